/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads insert at once.  A slot is taken by a compare-and-swap; until the record is written its number
 * is all ones, which no state has (Laarman, van de Pol, Weber, "Boosting multi-core reachability performance with
 * shared hash tables", FMCAD 2010).  Without blocks numbers are dense, and a number that a thread has seen never
 * changes.
 */
#include "store/table.h"

#include <sched.h>
#include <stdlib.h>

#ifndef STORE_REFILL_PART /* tests have smaller ones */
#define STORE_REFILL_PART (1 << 12)
#endif
#ifndef STORE_PATIENCE /* looks at a slot before the thread lets others run */
#define STORE_PATIENCE 64
#endif

static inline uint32_t load_slot(const struct store *s, uint32_t i)
{
    return __atomic_load_n(&s->slot[i], __ATOMIC_ACQUIRE);
}

/* The slot once its state is published; one that is not when memory has run out. */
static uint32_t wait_for(const struct store *s, uint32_t i)
{
    uint32_t slot = load_slot(s, i), turns = 0;
    for (; (slot & s->id_mask) == s->id_mask; slot = load_slot(s, i)) {
        if (__atomic_load_n(&s->failed, __ATOMIC_RELAXED))
            return slot;
        if (turns < STORE_PATIENCE)
            turns++;
        else
            sched_yield();
    }
    return slot;
}

/* Looks on from slot *i; the number of the state, STORE_NONE when *i is an empty slot, STORE_FULL when memory has run
 * out. */
static inline __attribute__((always_inline)) uint32_t look(const struct store *s, const void *key, uint32_t wanted,
                                                           uint32_t *i)
{
    uint32_t mask = s->id_mask, slot;
    for (; (slot = load_slot(s, *i)); *i = store_next_slot(s, *i)) {
        if ((slot ^ wanted) > mask)
            continue;
        if (__builtin_expect((slot & mask) == mask, 0) && ((slot = wait_for(s, *i)) & mask) == mask)
            return STORE_FULL;
        if (store_is_key(s, (slot & mask) - 1, key))
            return (slot & mask) - 1;
    }
    return STORE_NONE;
}

uint32_t store_find_shared(const struct store *s, const void *key, uint64_t hash)
{
    if (s->prints)
        return prints_find(s->prints, hash) ? STORE_SEEN : STORE_NONE;
    uint32_t i = store_home(s, hash), state = look(s, key, store_piece(s, hash), &i);
    return state == STORE_FULL ? STORE_NONE : state;
}

/* --- numbers */

/* As many as wanted, or fewer, from *first on; 0: there are as many states as there may be. */
static uint32_t take_numbers(struct store *s, uint32_t wanted, uint32_t *first)
{
    uint32_t taken;
    *first = store_count(s);
    do {
        if (*first >= s->most)
            return 0;
        taken = s->most - *first < wanted ? 1 : wanted;
    } while (!__atomic_compare_exchange_n(&s->count, first, *first + taken, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return taken;
}

static uint32_t block_size(const struct store *s)
{
    uint32_t size = s->slots / (STORE_BLOCK_PART * s->threads);
    size = size > STORE_MOST_BLOCK ? STORE_MOST_BLOCK : size;
    return (s->most - store_count(s)) / STORE_MOST_BLOCK < s->threads ? 1 : size ? size : 1;
}

/* Numbers that were taken, and slots that are as good as taken. */
static uint32_t used(const struct store *s)
{
    return store_count(s) + __atomic_load_n(&s->left, __ATOMIC_RELAXED);
}

/* Has the thread a number for another state, or is there one for it? */
static __attribute__((noinline)) bool has_number(struct store *s, uint32_t thread)
{
    if (!s->blocks) {
        return used(s) < s->full && store_count(s) < s->most;
    }
    struct store_block *block = &s->blocks[thread];
    if (block->next < block->end)
        return true;
    if (used(s) >= s->full)
        return false;
    block->end = take_numbers(s, block_size(s), &block->next);
    block->end += block->next;
    return block->next < block->end;
}

/* STORE_NONE when there are as many states as there may be, or no memory: then *is_full is false. */
static uint32_t take_number(struct store *s, uint32_t thread, bool *is_full)
{
    struct store_block one = {0}, *block = s->blocks ? &s->blocks[thread] : &one;
    *is_full = s->blocks ? block->next >= block->end && !has_number(s, thread) : !take_numbers(s, 1, &one.next);
    if (*is_full)
        return STORE_NONE;
    if (!__atomic_load_n(&s->chunk[block->next >> s->chunk_bits], __ATOMIC_ACQUIRE) && !store_chunk(s, block->next))
        return STORE_NONE;
    return block->next++;
}

bool store_number_in_blocks(struct store *s, uint32_t threads)
{
    free(s->blocks);
    s->threads = threads;
    s->blocks = aligned_alloc(sizeof *s->blocks, threads * sizeof *s->blocks);
    if (s->blocks)
        memset(s->blocks, 0, threads * sizeof *s->blocks);
    return s->blocks;
}

/* --- no gaps between numbers */

/* The state of this number gets another one. */
static void renumber(struct store *s, uint32_t from, uint32_t to)
{
    memcpy((unsigned char *)store_key(s, to), store_key(s, from), s->record_bytes);
    unsigned char key[s->key_bytes];
    store_copy(s, to, key);
    uint64_t hash = store_hash(key, s->key_bytes);
    for (uint32_t i = store_home(s, hash); s->slot[i]; i = store_next_slot(s, i))
        if ((s->slot[i] & s->id_mask) == from + 1)
            s->slot[i] = store_piece(s, hash) | (to + 1);
}

/* One that is used up may end where one begins that is not: it comes first. */
static int by_number(const void *a, const void *b)
{
    const struct store_block *x = a, *y = b;
    return x->next != y->next ? (x->next > y->next) - (x->next < y->next) : (x->end > y->end) - (x->end < y->end);
}

void store_settle(struct store *s)
{
    uint32_t last = s->threads, from = s->count, left = 0;
    if (!s->blocks)
        return;
    s->settled++;
    qsort(s->blocks, s->threads, sizeof *s->blocks, by_number);
    for (uint32_t i = 0; i < s->threads; i++)
        left += s->blocks[i].end - s->blocks[i].next;
    s->count -= left;
    for (uint32_t i = 0; i < s->threads; i++)
        for (uint32_t to = s->blocks[i].next; to < s->blocks[i].end && to < s->count; to++) {
            for (from--; last > 0 && from < s->blocks[last - 1].end; last--)
                if (s->blocks[last - 1].next < s->blocks[last - 1].end)
                    from = s->blocks[last - 1].next - 1;
            renumber(s, from, to);
        }
    memset(s->blocks, 0, s->threads * sizeof *s->blocks);
}

/* --- inserting */

/* 0; STORE_FULL when somebody must make room first, or STORE_NONE. */
static uint32_t encode(struct store *s, const void *key, uint64_t *record)
{
    bool fits = true;
    uint32_t fine = tree_encode(s->tree, key, true, record, &fits);
    if (fine != 0 || fits)
        return fine;
    __atomic_store_n(&s->is_too_narrow, true, __ATOMIC_RELAXED);
    return STORE_FULL;
}

static uint32_t insert_print(struct store *s, uint64_t hash, bool *is_new)
{
    uint32_t number;
    *is_new = false;
    if (store_count(s) >= s->most)
        return prints_find(s->prints, hash) ? STORE_SEEN : STORE_FULL;
    enum prints_answer answer = prints_insert(s->prints, hash);
    if (answer != PRINT_NEW)
        return answer == PRINT_SEEN ? STORE_SEEN : STORE_NONE;
    *is_new = take_numbers(s, 1, &number);
    return *is_new ? number : STORE_FULL;
}

static bool swap_slot(struct store *s, uint32_t i, uint32_t before, uint32_t after)
{
    return __atomic_compare_exchange_n(&s->slot[i], &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Takes its home slot for a new state: what was found lately is asked for most.  What stands there is first put into
 * the empty slot at the end, too.  Whoever inserts the same state must swap the same slot, which never holds again what
 * it held before; so if the slot still is as it was before the others were looked at, the state is new.  False: look
 * again; a copy that was left at the end does no harm, but is counted, since there must be empty slots. */
static bool take_home(struct store *s, uint32_t home, uint32_t before, uint32_t empty, uint32_t taken)
{
    if (before == 0)
        return swap_slot(s, home, 0, taken);
    if ((before & s->id_mask) == s->id_mask) {
        wait_for(s, home);
        return false;
    }
    if (!swap_slot(s, empty, 0, before))
        return false;
    if (swap_slot(s, home, before, taken))
        return true;
    __atomic_fetch_add(&s->left, 1, __ATOMIC_RELAXED);
    return false;
}

/* A state that was not there, when its home slot was like this and the empty one behind it was looked at. */
static __attribute__((noinline)) uint32_t insert_new(struct store *s, const void *key, uint64_t hash, uint32_t thread,
                                                     uint32_t before, uint32_t i, bool *is_new)
{
    uint32_t home = store_home(s, hash), wanted = store_piece(s, hash), state = STORE_NONE;
    uint64_t record = 0;
    bool is_encoded = false, is_full;
    for (;;) {
        if (state != STORE_NONE)
            return state == STORE_FULL ? STORE_NONE : state;
        if ((!s->blocks || s->blocks[thread].next >= s->blocks[thread].end) && !has_number(s, thread))
            return STORE_FULL;
        if (s->tree && !is_encoded) {
            uint32_t fine = encode(s, key, &record);
            if (fine != 0)
                return fine;
            is_encoded = true;
        }
        if (__atomic_load_n(&s->failed, __ATOMIC_RELAXED))
            return STORE_NONE;
        if (take_home(s, home, before, i, wanted | s->id_mask))
            break;
        if (used(s) >= s->full)
            return STORE_FULL;
        i = home;
        before = load_slot(s, home);
        state = look(s, key, wanted, &i);
    }
    state = take_number(s, thread, &is_full);
    if (state == STORE_NONE) {
        __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
        return is_full ? STORE_FULL : STORE_NONE;
    }
    memcpy((unsigned char *)store_key(s, state), s->tree ? &record : key, s->record_bytes);
    __atomic_store_n(&s->slot[home], wanted | (state + 1), __ATOMIC_RELEASE);
    *is_new = true;
    return state;
}

uint32_t store_insert_shared(struct store *s, const void *key, uint64_t hash, uint32_t thread, bool *is_new)
{
    if (__builtin_expect(s->prints != NULL, 0))
        return insert_print(s, hash, is_new);
    uint32_t i = store_home(s, hash), before = load_slot(s, i), state = look(s, key, store_piece(s, hash), &i);
    *is_new = false;
    if (state == STORE_NONE)
        return insert_new(s, key, hash, thread, before, i, is_new);
    return __builtin_expect(state == STORE_FULL, 0) ? STORE_NONE : state;
}

/* --- a larger table */

static void put_shared(struct store *s, uint32_t state, uint64_t hash)
{
    uint32_t i = store_home(s, hash), slot = store_piece(s, hash) | (state + 1);
    for (;; i = store_next_slot(s, i)) {
        uint32_t empty = __atomic_load_n(&s->slot[i], __ATOMIC_RELAXED);
        if (empty == 0 &&
            __atomic_compare_exchange_n(&s->slot[i], &empty, slot, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

struct refilling {
    struct store *store;
    uint64_t done; /* so many have been put into the table, or are being */
};

static void refill_part(void *argument)
{
    enum { PART = STORE_REFILL_PART };
    struct refilling *r = argument;
    uint64_t done, count = r->store->count;
    while ((done = __atomic_fetch_add(&r->done, PART, __ATOMIC_RELAXED)) < count) /* the last first */
        store_refill(r->store, (uint32_t)(count - done < PART ? 0 : count - done - PART), (uint32_t)(count - done),
                     put_shared);
}

/* Or becomes full when every thread takes one more block. */
static bool is_nearly_full(const struct store *s)
{
    uint32_t blocks = s->blocks ? s->threads * block_size(s) : 0;
    return used(s) + blocks >= s->full;
}

bool store_grow_shared(struct store *s, void (*together)(void *user, void (*part)(void *), void *argument), void *user)
{
    store_settle(s);
    if (s->tree && !tree_make_room(s->tree, together, user))
        return false;
    if (s->is_too_narrow && !store_widen_records(s))
        return false;
    s->is_too_narrow = false;
    if (!is_nearly_full(s))
        return true;
    store_try_tree(s);
    if (!is_nearly_full(s))
        return true;
    bool is_empty, fine = store_enlarge(s, &is_empty);
    struct refilling refilling = {.store = s};
    if (is_empty)
        together(user, refill_part, &refilling);
    return fine;
}
