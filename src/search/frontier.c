/* SPDX-License-Identifier: Apache-2.0 */
#include "search/frontier.h"

#include "base/vector.h"
#include "store/spill.h"

#include <malloc.h>
#include <pthread.h>
#include <string.h>

enum {
    BLOCK = 1 << 14, /* bytes for states */
    MOST_STATES = 1 << 12,
    MOST_VARINT = 10,
    FEW_ORIGINS = 1 << 16, /* bytes that are not worth going through */
    FEW_ROOMS = 16,
    WORTH_TRIMMING = 1 << 20 /* bytes */
};

/* What a state takes at most. */
#define MOST_OF_STATE(key_bytes) (2 * (key_bytes) + 16)

struct block {
    unsigned char *states; /* NULL: they have been expanded */
    unsigned char *origins;
    uint32_t count, origin_bytes;
    uint32_t first;  /* number of its first state, in the order of all that are remembered */
    uint32_t parent; /* of the first; of the very first state itself */
};

struct blocks {
    struct block *item;
    size_t count, capacity;
};

struct worker {
    /* writing */
    struct block open; /* its origins are in the array below */
    size_t state_bytes;
    VECTOR(unsigned char) origins;
    uint32_t last_parent;
    unsigned char *last_key;
    struct blocks closed; /* of the next level */
    /* reading */
    size_t block; /* that it has taken */
    const unsigned char *at;
    uint32_t left;  /* states of the block that it has not taken */
    uint32_t taken; /* number of the state that it has */
    unsigned char *key;
    unsigned char apart[64];
};

struct frontier {
    size_t key_bytes, block_bytes;
    struct blocks blocks; /* in order; the present level is at the end */
    size_t next_block;    /* of the present level, that nobody has taken */
    uint32_t level_first; /* number of its first state */
    size_t origin_bytes, tidy_at;
    struct worker *workers;
    uint32_t worker_count;
    struct spill *spill;
    pthread_mutex_t mutex;         /* of what follows */
    VECTOR(unsigned char *) spare; /* blocks for states */
    size_t rooms;                  /* blocks for states that there are */
    size_t freed;                  /* bytes, which the allocator has kept so far */
};

/* --- making */

struct frontier *frontier_new(uint32_t workers, size_t key_bytes)
{
    struct frontier *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    pthread_mutex_init(&f->mutex, NULL);
    f->key_bytes = key_bytes;
    f->block_bytes = BLOCK > 2 * MOST_OF_STATE(key_bytes) ? BLOCK : 2 * MOST_OF_STATE(key_bytes);
    f->tidy_at = FEW_ORIGINS;
    f->workers = calloc(workers, sizeof *f->workers);
    bool fine = f->workers;
    for (; fine && f->worker_count < workers; f->worker_count++) {
        struct worker *w = &f->workers[f->worker_count];
        w->last_key = calloc(2, key_bytes + 1);
        w->key = w->last_key + key_bytes;
        fine = w->last_key;
    }
    if (fine)
        return f;
    frontier_free(f);
    return NULL;
}

void frontier_spill(struct frontier *f, struct spill *spill)
{
    f->spill = spill;
}

static void free_room(struct frontier *f, unsigned char *room)
{
    if (f->spill)
        spill_unmap(f->spill, room, f->block_bytes);
    else
        free(room);
}

static void free_blocks(struct frontier *f, struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        free_room(f, blocks->item[i].states);
        free(blocks->item[i].origins);
    }
    free(blocks->item);
}

void frontier_free(struct frontier *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->worker_count; i++) {
        struct worker *w = &f->workers[i];
        free_room(f, w->open.states);
        free(w->origins.item);
        free(w->last_key);
        free_blocks(f, &w->closed);
    }
    free(f->workers);
    free_blocks(f, &f->blocks);
    for (size_t i = 0; i < f->spare.count; i++)
        free_room(f, f->spare.item[i]);
    free(f->spare.item);
    pthread_mutex_destroy(&f->mutex);
    free(f);
}

size_t frontier_bytes(const struct frontier *f)
{
    return __atomic_load_n(&f->origin_bytes, __ATOMIC_RELAXED) +
           (f->spill ? 0 : __atomic_load_n(&f->rooms, __ATOMIC_RELAXED) * f->block_bytes);
}

/* Room for the states of a block, perhaps that of one which has been expanded; NULL when memory ran out. */
static unsigned char *take_room(struct frontier *f)
{
    pthread_mutex_lock(&f->mutex);
    unsigned char *room = f->spare.count ? f->spare.item[--f->spare.count] : NULL;
    pthread_mutex_unlock(&f->mutex);
    if (room)
        return room;
    room = f->spill ? spill_map(f->spill, f->block_bytes) : malloc(f->block_bytes);
    if (room)
        __atomic_fetch_add(&f->rooms, 1, __ATOMIC_RELAXED);
    return room;
}

static void give_room_back(struct frontier *f, unsigned char *room)
{
    pthread_mutex_lock(&f->mutex);
    bool kept = vector_push(&f->spare, room);
    pthread_mutex_unlock(&f->mutex);
    if (!kept) {
        free_room(f, room);
        __atomic_fetch_sub(&f->rooms, 1, __ATOMIC_RELAXED);
    }
}

/* --- bytes */

static size_t put_number(unsigned char *to, uint64_t number)
{
    size_t bytes = 0;
    for (; number >= 128; number >>= 7)
        to[bytes++] = (unsigned char)(number | 128);
    to[bytes++] = (unsigned char)number;
    return bytes;
}

static uint64_t get_number(const unsigned char **from)
{
    uint64_t number = 0;
    unsigned shift = 0;
    for (; **from & 128; shift += 7)
        number |= (uint64_t)(*(*from)++ & 127) << shift;
    return number | (uint64_t) * (*from)++ << shift;
}

/* The next place from here on where two keys differ. */
static size_t next_difference(const unsigned char *a, const unsigned char *b, size_t from, size_t end)
{
    uint64_t x, y;
    for (; end - from >= sizeof x; from += sizeof x) {
        memcpy(&x, a + from, sizeof x);
        memcpy(&y, b + from, sizeof y);
        if (x != y)
            break;
    }
    while (from < end && a[from] == b[from])
        from++;
    return from;
}

/* A key as its differences from another one.  A difference is how many bytes are passed over, and the byte's change
 * (exclusive or): in a byte if both are small; else a nibble that tells the first, or that a number does, and the
 * change in a byte of its own.  0 is the end. */
static size_t put_key(unsigned char *to, const unsigned char *before, const unsigned char *key, size_t key_bytes)
{
    size_t bytes = 0, from = 0, at;
    for (; (at = next_difference(before, key, from, key_bytes)) < key_bytes; from = at + 1) {
        size_t passed = at - from;
        unsigned change = before[at] ^ key[at];
        if (passed < 16 && change < 16) {
            to[bytes++] = (unsigned char)(passed << 4 | change);
            continue;
        }
        to[bytes++] = (unsigned char)(passed < 14 ? (passed + 1) << 4 : 15 << 4);
        if (passed >= 14)
            bytes += put_number(to + bytes, passed);
        to[bytes++] = (unsigned char)change;
    }
    to[bytes++] = 0;
    return bytes;
}

static const unsigned char *get_key(const unsigned char *from, unsigned char *key)
{
    for (unsigned code; (code = *from++);) {
        size_t passed = code >> 4;
        unsigned change = code & 15;
        if (!change) {
            passed = passed < 15 ? passed - 1 : (size_t)get_number(&from);
            change = *from++;
        }
        key += passed;
        *key++ ^= (unsigned char)change;
    }
    return from;
}

/* --- adding */

/* Appends an origin to an array that has room for it. */
static size_t put_origin(unsigned char *to, uint32_t behind, uint32_t action)
{
    size_t bytes = put_number(to, (uint64_t)action << 1 | (behind > 0));
    return behind ? bytes + put_number(to + bytes, behind - 1) : bytes;
}

static uint32_t get_origin(const unsigned char **from, uint32_t *parent)
{
    uint64_t word = get_number(from);
    if (word & 1)
        *parent += (uint32_t)get_number(from) + 1;
    return (uint32_t)(word >> 1);
}

/* Takes over origins as those of a block, which then goes to the others. */
static bool close_block(struct frontier *f, struct block *block, const unsigned char *origins, size_t bytes,
                        struct blocks *to)
{
    block->origins = malloc(bytes + 1);
    block->origin_bytes = (uint32_t)bytes;
    if (!block->origins || !vector_push(to, *block)) {
        free(block->origins);
        block->origins = NULL;
        return false;
    }
    memcpy(block->origins, origins, bytes);
    __atomic_fetch_add(&f->origin_bytes, bytes + sizeof *block, __ATOMIC_RELAXED);
    *block = (struct block){0};
    return true;
}

static bool close_open(struct frontier *f, struct worker *w)
{
    if (!w->open.states || !w->open.count)
        return true;
    if (!close_block(f, &w->open, w->origins.item, w->origins.count, &w->closed))
        return false;
    w->origins.count = w->state_bytes = 0;
    return true;
}

bool frontier_add(struct frontier *f, uint32_t worker, const unsigned char *key, uint32_t action)
{
    struct worker *w = &f->workers[worker];
    if ((w->open.count == MOST_STATES || w->state_bytes + MOST_OF_STATE(f->key_bytes) > f->block_bytes) &&
        !close_open(f, w))
        return false;
    if ((!w->open.states && !(w->open.states = take_room(f))) || !vector_reserve(&w->origins, 2 * MOST_VARINT))
        return false;
    if (!w->open.count) {
        memset(w->last_key, 0, f->key_bytes);
        w->open.parent = w->last_parent = w->taken;
    }
    w->state_bytes += put_key(w->open.states + w->state_bytes, w->last_key, key, f->key_bytes);
    w->origins.count += put_origin(w->origins.item + w->origins.count, w->taken - w->last_parent, action);
    memcpy(w->last_key, key, f->key_bytes);
    w->last_parent = w->taken;
    w->open.count++;
    return true;
}

/* --- leaving out what nothing descends from */

struct tidying {
    struct frontier *frontier;
    uint64_t *live;   /* a bit for each state */
    uint32_t *before; /* of each word: live states of the words before */
    struct blocks kept;
    struct block open; /* the last of them, still to be closed */
    unsigned char origins[2 * MOST_VARINT * MOST_STATES];
    size_t bytes;
    uint32_t last_parent, count;
};

static bool is_live(const struct tidying *t, uint32_t number)
{
    return t->live[number / 64] >> number % 64 & 1;
}

static uint32_t new_number(const struct tidying *t, uint32_t number)
{
    uint64_t below = t->live[number / 64] & ((UINT64_C(1) << number % 64) - 1);
    return t->before[number / 64] + (uint32_t)__builtin_popcountll(below);
}

/* From the last state to the first: the parents of those that live. */
static void mark_live(struct tidying *t, size_t level)
{
    const struct frontier *f = t->frontier;
    uint32_t parents[MOST_STATES];
    for (size_t i = f->blocks.count; i-- > 0;) {
        const struct block *block = &f->blocks.item[i];
        const unsigned char *from = block->origins;
        uint32_t parent = block->parent;
        for (uint32_t j = 0; j < block->count; j++) {
            (void)get_origin(&from, &parent);
            parents[j] = parent;
        }
        for (uint32_t j = block->count; j-- > 0;) {
            uint32_t number = block->first + j;
            if (i >= level)
                t->live[number / 64] |= UINT64_C(1) << number % 64;
            if (is_live(t, number))
                t->live[parents[j] / 64] |= UINT64_C(1) << parents[j] % 64;
        }
    }
}

static bool close_kept(struct tidying *t)
{
    if (!t->open.count)
        return true;
    t->count += t->open.count;
    bool fine = close_block(t->frontier, &t->open, t->origins, t->bytes, &t->kept);
    t->bytes = 0;
    return fine;
}

/* A block that keeps its states stays one; of others several become one. */
static bool keep_origins(struct tidying *t, struct block *block, bool is_of_level)
{
    const unsigned char *from = block->origins;
    uint32_t parent = block->parent;
    if (is_of_level && !close_kept(t))
        return false;
    for (uint32_t j = 0; j < block->count; j++) {
        uint32_t action = get_origin(&from, &parent);
        if (!is_live(t, block->first + j))
            continue;
        uint32_t now = new_number(t, parent);
        if ((t->open.count == MOST_STATES || now < t->last_parent) && !close_kept(t))
            return false;
        if (!t->open.count)
            t->open = (struct block){.first = t->count, .parent = t->last_parent = now};
        t->bytes += put_origin(t->origins + t->bytes, now - t->last_parent, action);
        t->last_parent = now;
        t->open.count++;
    }
    if (!is_of_level)
        return true;
    t->open.states = block->states;
    return close_kept(t);
}

/* Origins are given back as they are taken over: there is no second copy of all. */
static bool keep_all(struct tidying *t, size_t level)
{
    const struct frontier *f = t->frontier;
    for (size_t i = 0; i < f->blocks.count; i++) {
        struct block *block = &f->blocks.item[i];
        if (!keep_origins(t, block, i >= level))
            return false;
        free(block->origins);
        block->origins = NULL;
    }
    return close_kept(t);
}

static bool tidy_with(struct tidying *t, size_t words, size_t *level)
{
    struct frontier *f = t->frontier;
    size_t level_blocks = f->blocks.count - *level;
    mark_live(t, *level);
    for (size_t i = 1; i < words; i++)
        t->before[i] = t->before[i - 1] + (uint32_t)__builtin_popcountll(t->live[i - 1]);
    f->origin_bytes = 0;
    if (!keep_all(t, *level)) {
        for (size_t i = 0; i < t->kept.count; i++)
            free(t->kept.item[i].origins); /* states still are the old blocks' */
        free(t->kept.item);
        return false;
    }
    free(f->blocks.item);
    f->blocks = t->kept;
    *level = f->blocks.count - level_blocks;
    return true;
}

/* False when memory ran out; then origins are lost. */
static bool tidy(struct frontier *f, size_t *level)
{
    const struct block *last = &f->blocks.item[f->blocks.count - 1];
    size_t words = ((size_t)last->first + last->count) / 64 + 1, before = f->origin_bytes;
    struct tidying *t = calloc(1, sizeof *t);
    if (!t)
        return false;
    t->frontier = f;
    t->live = calloc(words, sizeof *t->live);
    t->before = calloc(words, sizeof *t->before);
    bool fine = t->live && t->before && tidy_with(t, words, level);
    free(t->live);
    free(t->before);
    free(t);
    f->tidy_at = f->origin_bytes + f->origin_bytes / 4 + FEW_ORIGINS;
    f->freed += before > f->origin_bytes ? before - f->origin_bytes : 0;
    return fine;
}

/* --- levels */

/* Levels become smaller in the end while the store still grows: what the next one will hardly need is given back. */
static void give_back(struct frontier *f)
{
    size_t enough = (f->rooms - f->spare.count) / 8 + FEW_ROOMS;
    if (f->spill)
        return;
    for (; f->spare.count > enough; f->freed += f->block_bytes) {
        free_room(f, f->spare.item[--f->spare.count]);
        __atomic_fetch_sub(&f->rooms, 1, __ATOMIC_RELAXED);
    }
    if (f->freed >= WORTH_TRIMMING) {
        malloc_trim(0);
        f->freed = 0;
    }
}

bool frontier_turn(struct frontier *f, uint32_t *states)
{
    size_t level = f->blocks.count;
    *states = 0;
    for (uint32_t i = 0; i < f->worker_count; i++) {
        struct worker *w = &f->workers[i];
        if (!close_open(f, w) || !vector_reserve(&f->blocks, w->closed.count))
            return false;
        for (size_t j = 0; j < w->closed.count; j++) {
            const struct block *last = f->blocks.count ? &f->blocks.item[f->blocks.count - 1] : NULL;
            w->closed.item[j].first = last ? last->first + last->count : 0;
            f->blocks.item[f->blocks.count++] = w->closed.item[j];
            *states += w->closed.item[j].count;
        }
        w->closed.count = 0;
        w->left = 0;
    }
    if (*states && f->origin_bytes >= f->tidy_at && !tidy(f, &level))
        return false;
    give_back(f);
    f->next_block = level;
    f->level_first = *states ? f->blocks.item[level].first : 0;
    return true;
}

/* Begins with the next block that nobody has taken; false: there is none. */
static bool take_block(struct frontier *f, struct worker *w)
{
    if (w->at) {
        give_room_back(f, f->blocks.item[w->block].states);
        f->blocks.item[w->block].states = NULL;
        w->at = NULL;
    }
    w->block = __atomic_fetch_add(&f->next_block, 1, __ATOMIC_RELAXED);
    if (w->block >= f->blocks.count)
        return false;
    const struct block *block = &f->blocks.item[w->block];
    w->at = block->states;
    w->left = block->count;
    w->taken = block->first - 1;
    memset(w->key, 0, f->key_bytes);
    return true;
}

const unsigned char *frontier_take(struct frontier *f, uint32_t worker, uint32_t *number)
{
    struct worker *w = &f->workers[worker];
    if (!w->left && !take_block(f, w))
        return NULL;
    w->at = get_key(w->at, w->key);
    w->left--;
    w->taken++;
    *number = w->taken - f->level_first;
    return w->key;
}

/* --- paths */

static const struct block *block_of(const struct frontier *f, uint32_t number)
{
    size_t low = 0, high = f->blocks.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->blocks.item[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return &f->blocks.item[low];
}

size_t frontier_path(const struct frontier *f, uint32_t worker, uint32_t **actions)
{
    VECTOR(uint32_t) path = {0};
    const struct block *block = NULL;
    uint32_t parent[MOST_STATES], action[MOST_STATES], number = f->workers[worker].taken;
    bool fine = vector_reserve(&path, 1);
    while (fine && number != 0) {
        if (!block || number < block->first) {
            block = block_of(f, number);
            const unsigned char *from = block->origins;
            uint32_t last = block->parent;
            for (uint32_t i = 0; i < block->count; i++) {
                action[i] = get_origin(&from, &last);
                parent[i] = last;
            }
        }
        fine = vector_push(&path, action[number - block->first]);
        number = parent[number - block->first];
    }
    if (!fine) {
        free(path.item);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < path.count / 2; i++) {
        uint32_t swapped = path.item[i];
        path.item[i] = path.item[path.count - 1 - i];
        path.item[path.count - 1 - i] = swapped;
    }
    *actions = path.item;
    return path.count;
}
