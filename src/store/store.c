/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"
#include "store/spill.h"
#include "store/table.h"

#include "base/limits.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef STORE_FIRST_SLOTS /* tests have smaller ones */
#define STORE_FIRST_SLOTS (1 << 10)
#define STORE_MOST_CHUNK_BITS 16
#endif

enum {
    FIRST_SLOTS = STORE_FIRST_SLOTS,
    SMALL_TABLE = 1 << 20, /* slots: up to here filling a table anew is dearer than some room in it, ... */
    FEW_SLOTS = 1 << 18,   /* ... and much up to here; a tree is to be small: tables are fuller, and grow less */
    LEAST_CHUNK_BITS = 8,
    MOST_CHUNK_BITS = STORE_MOST_CHUNK_BITS,
    LARGE_CHUNK = 1 << 22
};
/* those behind the last are NULL: each thread may look that far */
static const size_t CHUNK_TABLE = (STORE_CHUNKS + STORE_MOST_THREADS + 1) * sizeof(unsigned char *);

/* Untouched pages of a mapping cost nothing, and a mapping is given back whole. */
static void *map(size_t bytes)
{
    enum { HUGE_PAGE = 1 << 21 };
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (bytes >= 2 * HUGE_PAGE) /* the table is read all over: fewer pages, fewer misses on the way to them */
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static void unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

static void *map_chunks(const struct store *s, uint32_t count)
{
    return s->spill ? spill_map(s->spill, s->chunk_bytes) : map(count * s->chunk_bytes);
}

static void unmap_chunk(const struct store *s, void *chunk)
{
    if (s->spill)
        spill_unmap(s->spill, chunk, s->chunk_bytes);
    else
        unmap(chunk, s->chunk_bytes);
}

static void *map_slots(struct store *s, size_t bytes)
{
    enum { WORTH_SPILLING = 1 << 20 };
    s->slots_are_spilled = false;
    if (s->spill && bytes >= WORTH_SPILLING && bytes > limits_room()) {
        spill_relieve(s->spill);
        s->slots_are_spilled = bytes > limits_room();
    }
    return s->slots_are_spilled ? spill_map(s->spill, bytes) : map(bytes);
}

static void unmap_slots(const struct store *s)
{
    size_t bytes = (size_t)s->slots * sizeof *s->slot;
    if (s->slots_are_spilled)
        spill_unmap(s->spill, s->slot, bytes);
    else
        unmap(s->slot, bytes);
}

static bool set_slots(struct store *s, uint32_t slots)
{
    /* every thread may take one more, and leave a copy, before it is told that the table is full */
    const uint32_t least_empty = slots > 4 * STORE_MOST_THREADS ? 3 * STORE_MOST_THREADS : slots / 2;
    s->slot = map_slots(s, (size_t)slots * sizeof *s->slot);
    s->slots = s->slot ? slots : 0;
    uint32_t empty = s->tree ? slots / 64 * 3 : s->is_part && slots > FEW_SLOTS ? slots / 8 : slots / 4;
    s->full = s->slot ? slots - (empty > least_empty ? empty : least_empty) : 0;
    s->left = 0;
    /* threads that have taken numbers go on beyond */
    s->id_bits = (uint8_t)(32 - __builtin_clz(s->full + slots / STORE_BLOCK_PART + STORE_MOST_THREADS + 1));
    s->id_mask = (uint32_t)((UINT64_C(1) << s->id_bits) - 1);
    return s->slot != NULL;
}

/* Chunks of large records hold fewer of them, so that rewriting one takes little memory; those of records that are no
 * whole bytes hold more, so that they are as many whole pages. */
static void set_record(struct store *s, size_t record_bits)
{
    s->record_bits = record_bits;
    s->record_bytes = (record_bits + 7) / 8;
    s->chunk_bits = record_bits % 8 ? MOST_CHUNK_BITS + 3 : MOST_CHUNK_BITS;
    while (s->chunk_bits > LEAST_CHUNK_BITS && (s->record_bytes << s->chunk_bits) > LARGE_CHUNK)
        s->chunk_bits--;
    s->chunk_mask = (UINT32_C(1) << s->chunk_bits) - 1;
    s->chunk_bytes = (record_bits << s->chunk_bits) >> 3;
}

bool store_make(struct store *s, size_t key_bytes)
{
    memset(s, 0, sizeof *s);
    s->most = STORE_LAST;
    s->key_bytes = key_bytes;
    set_record(s, 8 * key_bytes);
    s->chunk = map(CHUNK_TABLE);
    if (!s->chunk || !set_slots(s, FIRST_SLOTS)) {
        store_clear(s);
        return false;
    }
    return true;
}

static bool make_tree(struct store *s, size_t key_bytes, bool is_alone, const uint16_t *order, size_t cut)
{
    if (!store_make(s, key_bytes))
        return false;
    if (!(s->tree = tree_new(key_bytes, order, cut))) {
        store_clear(s);
        return false;
    }
    set_record(s, tree_record_bits(s->tree, false));
    if (is_alone)
        store_alone(s);
    return true;
}

bool store_make_tree(struct store *s, size_t key_bytes)
{
    return make_tree(s, key_bytes, false, NULL, 0);
}

void store_alone(struct store *s)
{
    s->is_alone = true;
    if (!s->tree)
        return;
    tree_alone(s->tree);
    set_record(s, tree_record_bits(s->tree, true));
}

bool store_make_prints(struct store *s, size_t key_bytes, size_t bits)
{
    if (!store_make(s, key_bytes))
        return false;
    if (!(s->prints = prints_new(bits))) {
        store_clear(s);
        return false;
    }
    set_record(s, 0);
    return true;
}

void store_spill(struct store *s, struct spill *spill)
{
    s->spill = spill;
    if (s->tree)
        tree_spill(s->tree, spill);
}

void store_clear(struct store *s)
{
    tree_free(s->tree);
    prints_free(s->prints);
    for (uint32_t i = 0; s->chunk && s->chunk[i]; i++)
        unmap_chunk(s, s->chunk[i]);
    unmap(s->chunk, CHUNK_TABLE);
    unmap_slots(s);
    free(s->blocks);
    memset(s, 0, sizeof *s);
}

uint64_t store_hash_other(const void *key, size_t key_bytes)
{
    return XXH3_64bits(key, key_bytes);
}

/* From here on, the next slot that is empty or has such bits; several at once, since tables of trees are nearly full.
 */
static inline uint32_t next_like(const struct store *s, uint32_t i, uint32_t bits, uint32_t wanted)
{
    enum { GROUP = 4 };
    typedef uint32_t group __attribute__((vector_size(GROUP * sizeof(uint32_t))));
    const uint32_t *slots = s->slot;
    for (; i + GROUP <= s->slots; i = i + GROUP == s->slots ? 0 : i + GROUP) {
        group some;
        memcpy(&some, slots + i, sizeof some);
        uint64_t like[sizeof some / sizeof(uint64_t)];
        some = (group)((some & bits) == wanted) | (group)(some == 0);
        memcpy(like, &some, sizeof like);
        if (like[0] | like[1])
            break;
    }
    while (slots[i] && (slots[i] & bits) != wanted)
        i = store_next_slot(s, i);
    return i;
}

static inline uint32_t find(const struct store *s, const void *key, uint64_t hash)
{
    const uint32_t *slots = s->slot;
    uint32_t mask = s->id_mask, wanted = store_piece(s, hash), i = store_home(s, hash);
    for (;; i = store_next_slot(s, i)) {
        i = next_like(s, i, ~mask, wanted);
        if (slots[i] == 0)
            return STORE_NONE;
        if (store_is_key(s, (slots[i] & mask) - 1, key))
            return (slots[i] & mask) - 1;
    }
}

uint32_t store_find(const struct store *s, const void *key, uint64_t hash)
{
    return find(s, key, hash);
}

/* The last to come takes its home slot, and what stood there moves up: what was found lately is asked for most.  Beyond
 * a few slots the next empty one takes what is left over; the way there would all have to be written. */
static void put_new(struct store *s, uint32_t state, uint64_t hash)
{
    enum { FEW = 8 };
    uint32_t *slots = s->slot, moved = store_piece(s, hash) | (state + 1), i = store_home(s, hash);
    for (uint32_t passed = 0; moved && passed < FEW; passed++, i = store_next_slot(s, i)) {
        uint32_t before = slots[i];
        slots[i] = moved;
        moved = before;
    }
    if (moved)
        slots[next_like(s, i, UINT32_MAX, 0)] = moved;
}

void store_copy_tree(const struct store *s, uint32_t state, void *key)
{
    tree_decode(s->tree, store_record(s, state), key);
}

bool store_is_tree(const struct store *s, uint32_t state, const unsigned char *key)
{
    return tree_is_key(s->tree, store_record(s, state), key);
}

static inline uint64_t hash_of(const struct store *s, uint32_t state)
{
    return s->tree ? tree_hash(s->tree, store_record(s, state)) : store_hash(store_key(s, state), s->key_bytes);
}

/* Refills the table from some of the records, a batch at a time so that slots are fetched ahead of use. */
void store_refill(struct store *s, uint32_t from, uint32_t end,
                  void (*put)(struct store *s, uint32_t state, uint64_t hash))
{
    enum { BATCH = 64 };
    for (uint32_t first = from; first < end; first += BATCH) {
        uint64_t hash[BATCH];
        uint32_t batch = end - first < BATCH ? end - first : BATCH;
        for (uint32_t i = 0; i < batch; i++) {
            hash[i] = hash_of(s, first + i);
            store_prefetch(s, hash[i]);
        }
        for (uint32_t i = 0; i < batch; i++)
            put(s, first + i, hash[i]);
    }
}

/* What lives in a file needs no room in memory. */
static bool may_take(const struct store *s, size_t bytes)
{
    return s->spill ? !limits_reached() : limits_allow(bytes);
}

static uint64_t slots_more(const struct store *s)
{
    uint32_t slots = s->slots;
    if (s->tree || s->is_part)
        return slots <= FEW_SLOTS ? slots / 2 : slots / (s->tree ? 8 : 4);
    return slots < FEW_SLOTS ? slots * UINT64_C(3) : slots < SMALL_TABLE ? slots : slots / 2;
}

bool store_enlarge(struct store *s, bool *is_empty)
{
    uint32_t slots = s->slots;
    uint64_t more = slots_more(s), larger = slots + more;
    *is_empty = false;
    if (larger > UINT32_MAX - 64 || !may_take(s, more * sizeof *s->slot))
        return false;
    unmap_slots(s);
    bool fine = set_slots(s, (uint32_t)larger);
    *is_empty = fine || set_slots(s, slots);
    return fine;
}

static bool grow(struct store *s)
{
    store_try_tree(s);
    if (s->count < s->full)
        return true;
    bool is_empty, fine = store_enlarge(s, &is_empty);
    if (is_empty)
        store_refill(s, 0, s->count, put_new);
    return fine;
}

/* Puts a chunk in its place, or gives it back: another thread was faster. */
static void place_chunk(struct store *s, uint32_t number, unsigned char *fresh)
{
    unsigned char *none = NULL;
    if (!__atomic_compare_exchange_n(&s->chunk[number], &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        unmap_chunk(s, fresh);
}

/* Makes sure that there is room for the record of a state.  Once there are many, chunks are mapped several at a time,
 * so that they lie in huge pages: records are read all over. */
bool store_chunk(struct store *s, uint32_t state)
{
    enum { TOGETHER = 16, LARGEST_PAGE = 1 << 16 }; /* each chunk is unmapped by itself */
    uint32_t number = state >> s->chunk_bits;
    if (number >= STORE_CHUNKS)
        return false;
    if (__atomic_load_n(&s->chunk[number], __ATOMIC_ACQUIRE))
        return true;
    bool is_one =
        s->spill || s->chunk_bits < MOST_CHUNK_BITS || s->chunk_bytes % LARGEST_PAGE || number % TOGETHER || !number;
    uint32_t count = is_one ? 1 : TOGETHER;
    unsigned char *fresh = map_chunks(s, count);
    for (uint32_t i = 0; fresh && i < count; i++)
        place_chunk(s, number + i, fresh + i * s->chunk_bytes);
    return fresh;
}

static bool write_tree(struct store *s, uint32_t state, const void *key)
{
    uint64_t record;
    bool fits = true;
    if (tree_encode(s->tree, key, false, &record, &fits) != 0)
        return false;
    if (!fits) /* numbers of parts have grown: once more, with wider records */
        return store_widen_records(s) && store_chunk(s, state) && write_tree(s, state, key);
    store_put_record(s, state, record);
    return true;
}

static __attribute__((noinline)) uint32_t insert_new(struct store *s, const void *key, uint64_t hash)
{
    uint32_t state = s->count;
    if (state == s->full && !grow(s))
        return STORE_NONE;
    if (!s->chunk[state >> s->chunk_bits] && !store_chunk(s, state))
        return STORE_NONE;
    if (!s->tree)
        memcpy((unsigned char *)store_key(s, state), key, s->key_bytes);
    else if (!write_tree(s, state, key))
        return STORE_NONE;
    put_new(s, state, hash);
    s->count++;
    return state;
}

uint32_t store_insert(struct store *s, const void *key, uint64_t hash)
{
    uint32_t state = find(s, key, hash);
    return state == STORE_NONE ? insert_new(s, key, hash) : state;
}

/* --- all records anew */

/* Chunks for as many records of another size; false when memory ran out. */
static bool fresh_chunks(const struct store *s, struct store *fresh, size_t record_bits)
{
    *fresh = *s;
    set_record(fresh, record_bits);
    if (record_bits > s->record_bits && !may_take(s, s->count * (record_bits - s->record_bits) / 8))
        return false;
    fresh->chunk = map(CHUNK_TABLE);
    fresh->slot = NULL;   /* still s's, ... */
    fresh->tree = NULL;   /* ... as is this, ... */
    fresh->blocks = NULL; /* ... and this */
    bool fine = fresh->chunk;
    for (uint64_t i = 0; fine && i < s->count; i += (uint64_t)fresh->chunk_mask + 1)
        fine = store_chunk(fresh, (uint32_t)i);
    if (!fine)
        store_clear(fresh);
    return fine;
}

/* Gives a chunk back when its last record, of this number, has been read: there is no second copy of everything. */
static void give_back(struct store *s, uint32_t state)
{
    if ((state & s->chunk_mask) == s->chunk_mask || state + 1 == s->count)
        unmap_chunk(s, s->chunk[state >> s->chunk_bits]);
    for (uint32_t i = state >> s->chunk_bits; state + 1 == s->count && s->chunk[++i];)
        unmap_chunk(s, s->chunk[i]); /* taken, but not used yet */
}

/* Takes over what is new, but for the table. */
static void take_over(struct store *s, struct store *fresh)
{
    unmap(s->chunk, CHUNK_TABLE);
    fresh->slot = s->slot;
    fresh->tree = s->tree;
    fresh->blocks = s->blocks;
    *s = *fresh;
}

bool store_widen_records(struct store *s)
{
    struct store fresh;
    tree_widen(s->tree, s->is_alone);
    if (!fresh_chunks(s, &fresh, tree_record_bits(s->tree, s->is_alone))) {
        tree_undo_widen(s->tree);
        return false;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        store_put_record(&fresh, i, tree_convert(s->tree, store_record(s, i)));
        give_back(s, i);
    }
    take_over(s, &fresh);
    return true;
}

/* The states of one store into another, which is empty; convert NULL: as they are. */
static bool copy_states(const struct store *s, struct store *fresh,
                        void (*convert)(void *user, const unsigned char *old_key, unsigned char *new_key), void *user)
{
    unsigned char key[s->key_bytes], converted[fresh->key_bytes];
    for (uint32_t i = 0; i < s->count; i++) {
        store_copy(s, i, key);
        if (convert)
            convert(user, key, converted);
        const unsigned char *now = convert ? converted : key;
        if (limits_reached() || insert_new(fresh, now, store_hash(now, fresh->key_bytes)) != i)
            return false;
    }
    return true;
}

static void replace(struct store *s, struct store *fresh)
{
    fresh->most = s->most;
    fresh->threads = s->threads;
    fresh->blocks = s->blocks;
    fresh->settled = s->settled;
    s->blocks = NULL;
    store_clear(s);
    *s = *fresh;
}

/* How large a tree would be, by a sample from all over; more than anything when that cannot be told. */
static double foretell_tree(const struct store *s, const uint16_t *order, size_t cut)
{
    enum { SAMPLE = 1 << 16 };
    uint32_t sample = s->count < SAMPLE ? s->count : SAMPLE, *half = NULL;
    unsigned char key[s->key_bytes];
    struct store trial;
    double bytes = HUGE_VAL;
    bool fine = sample > 1 && make_tree(&trial, s->key_bytes, s->is_alone, order, cut);
    if (!fine)
        return bytes;
    for (uint32_t i = 0; fine && i < sample; i++) { /* the even ones first, then the odd ones */
        uint32_t turned = i < (sample + 1) / 2 ? 2 * i : 2 * (i - (sample + 1) / 2) + 1;
        if (i == (sample + 1) / 2)
            fine = (half = tree_counts(trial.tree));
        store_copy(s, (uint32_t)((uint64_t)turned * s->count / sample), key);
        fine = fine && !limits_reached() && store_insert(&trial, key, store_hash(key, s->key_bytes)) != STORE_NONE;
    }
    if (fine && half)
        bytes = tree_foretell(trial.tree, s->is_alone, half, sample, (double)s->count / sample);
    free(half);
    store_clear(&trial);
    return bytes;
}

/* Keeps what there is as trees, with bytes in this order; nothing changes when that fails. */
static void make_trees(struct store *s, const uint16_t *order, size_t cut)
{
    struct store fresh;
    if (!make_tree(&fresh, s->key_bytes, s->is_alone, order, cut))
        return;
    fresh.is_ordered = true;
    store_spill(&fresh, s->spill);
    if (copy_states(s, &fresh, NULL, NULL))
        replace(s, &fresh);
    else
        store_clear(&fresh);
}

/* A tree that was wanted from the beginning, when there was nothing to judge an order by. */
static void try_order(struct store *s)
{
    enum { ENOUGH = 1 << 16 };
    uint16_t order[s->key_bytes + 1];
    if (s->is_ordered || s->is_part || s->count < ENOUGH)
        return;
    s->is_ordered = true;
    size_t cut = tree_order(s, order);
    if (cut)
        make_trees(s, order, cut);
}

void store_try_tree(struct store *s)
{
    static const double WORTH_IT = 0.7; /* parts of the size: a tree takes more time */
    if (s->tree) {
        try_order(s);
        return;
    }
    size_t bytes = store_bytes(s) + (s->spill ? (size_t)s->count * s->record_bits / 8 : 0);
    if (!s->tree_at || bytes < s->tree_at || s->key_bytes > TREE_MOST_KEY)
        return;
    s->tree_at = bytes * 2; /* for next time */
    uint16_t order[s->key_bytes + 1];
    size_t cut = tree_order(s, order);
    double foretold = foretell_tree(s, order, cut);
    if (foretold <= WORTH_IT * (double)bytes && (s->spill || foretold <= (double)limits_room()))
        make_trees(s, order, cut);
}

bool store_rewrite(struct store *s, size_t key_bytes,
                   void (*convert)(void *user, const unsigned char *old_key, unsigned char *new_key), void *user)
{
    struct store fresh;
    store_settle(s);
    if (s->tree) {
        if (!make_tree(&fresh, key_bytes, s->is_alone, NULL, 0))
            return false;
        store_spill(&fresh, s->spill);
        bool fine = copy_states(s, &fresh, convert, user);
        if (fine)
            replace(s, &fresh);
        else
            store_clear(&fresh);
        return fine;
    }
    if (!fresh_chunks(s, &fresh, 8 * key_bytes))
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        convert(user, store_key(s, i), (unsigned char *)store_key(&fresh, i));
        give_back(s, i);
    }
    take_over(s, &fresh);
    s->key_bytes = key_bytes;
    memset(s->slot, 0, (size_t)s->slots * sizeof *s->slot);
    store_refill(s, 0, s->count, put_new);
    return true;
}

size_t store_bytes(const struct store *s)
{
    size_t records = s->spill ? 0 : (size_t)store_count(s) * s->record_bits / 8;
    size_t slots = s->slots_are_spilled ? 0 : (size_t)s->slots * sizeof *s->slot;
    return records + slots + (s->tree ? tree_bytes(s->tree) : 0) + (s->prints ? prints_bytes(s->prints) : 0);
}
