/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads insert at once.  An empty slot is taken by a compare-and-swap; until the record is written its number
 * is all ones, which no state has (Laarman, van de Pol, Weber, "Boosting multi-core reachability performance with
 * shared hash tables", FMCAD 2010).  Numbers are dense, and a number that a thread has seen never changes.
 */
#include "store/table.h"

#include <sched.h>

static inline uint32_t load_slot(const struct store *s, uint32_t i)
{
    return __atomic_load_n(&s->slot[i], __ATOMIC_ACQUIRE);
}

/* The slot once its state is published; one that is not when memory has run out. */
static uint32_t wait_for(const struct store *s, uint32_t i)
{
    enum { PATIENCE = 64 };
    uint32_t slot = load_slot(s, i);
    for (unsigned turns = 0; (slot & s->id_mask) == s->id_mask; slot = load_slot(s, i), turns++) {
        if (__atomic_load_n(&s->failed, __ATOMIC_RELAXED))
            return slot;
        if (turns > PATIENCE)
            sched_yield();
    }
    return slot;
}

/* Looks on from slot *i; the number of the state, STORE_NONE when *i is an empty slot, STORE_FULL when memory has run
 * out. */
static inline uint32_t look(const struct store *s, const void *key, uint32_t wanted, uint32_t *i)
{
    uint32_t mask = s->id_mask, slot;
    for (; (slot = load_slot(s, *i)); *i = store_next_slot(s, *i)) {
        if ((slot ^ wanted) > mask)
            continue;
        if (__builtin_expect((slot & mask) == mask, 0) && ((slot = wait_for(s, *i)) & mask) == mask)
            return STORE_FULL;
        if (store_same_key(s, store_key(s, (slot & mask) - 1), key))
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

/* A number of its own; STORE_NONE when there are as many states as there may be. */
static uint32_t take_number(struct store *s)
{
    uint32_t number = store_count(s);
    while (number < s->most &&
           !__atomic_compare_exchange_n(&s->count, &number, number + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return number < s->most ? number : STORE_NONE;
}

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

static uint32_t insert_print(struct store *s, const void *key, uint64_t hash, bool *is_new)
{
    *is_new = false;
    if (store_count(s) >= s->most)
        return prints_find(s->prints, hash) ? STORE_SEEN : STORE_FULL;
    enum prints_answer answer = prints_insert(s->prints, hash);
    if (answer != PRINT_NEW)
        return answer == PRINT_SEEN ? STORE_SEEN : STORE_NONE;
    uint32_t state = take_number(s);
    if (state == STORE_NONE)
        return STORE_FULL;
    if (!store_chunk(s, state))
        return STORE_NONE;
    memcpy((unsigned char *)store_key(s, state), key, s->key_bytes);
    *is_new = true;
    return state;
}

uint32_t store_insert_shared(struct store *s, const void *key, uint64_t hash, bool *is_new)
{
    if (s->prints)
        return insert_print(s, key, hash, is_new);
    uint32_t i = store_home(s, hash), wanted = store_piece(s, hash);
    uint64_t record = 0;
    bool is_encoded = false;
    *is_new = false;
    for (;;) {
        uint32_t state = look(s, key, wanted, &i), empty = 0;
        if (state == STORE_FULL)
            return STORE_NONE;
        if (state != STORE_NONE)
            return state;
        uint32_t count = store_count(s);
        if (count >= s->full || count >= s->most)
            return STORE_FULL;
        if (s->tree && !is_encoded) {
            uint32_t fine = encode(s, key, &record);
            if (fine != 0)
                return fine;
            is_encoded = true;
        }
        if (!__atomic_compare_exchange_n(&s->slot[i], &empty, wanted | s->id_mask, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue; /* perhaps by the same state */
        state = take_number(s);
        if (state == STORE_NONE || !store_chunk(s, state)) {
            __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
            return state == STORE_NONE ? STORE_FULL : STORE_NONE;
        }
        memcpy((unsigned char *)store_key(s, state), s->tree ? &record : key, s->record_bytes);
        __atomic_store_n(&s->slot[i], wanted | (state + 1), __ATOMIC_RELEASE);
        *is_new = true;
        return state;
    }
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
    uint64_t next; /* to be put into the table */
};

static void refill_part(void *argument)
{
    enum { PART = 1 << 12 };
    struct refilling *r = argument;
    uint64_t first, count = r->store->count;
    while ((first = __atomic_fetch_add(&r->next, PART, __ATOMIC_RELAXED)) < count)
        store_refill(r->store, (uint32_t)first, (uint32_t)(count - first < PART ? count : first + PART), put_shared);
}

bool store_grow_shared(struct store *s, void (*together)(void *user, void (*part)(void *), void *argument), void *user)
{
    if (s->tree && !tree_make_room(s->tree, together, user))
        return false;
    if (s->is_too_narrow && !store_widen_records(s))
        return false;
    s->is_too_narrow = false;
    if (s->count < s->full)
        return true;
    store_try_tree(s);
    if (s->count < s->full)
        return true;
    bool is_empty, fine = store_enlarge(s, &is_empty);
    struct refilling refilling = {.store = s};
    if (is_empty)
        together(user, refill_part, &refilling);
    return fine;
}
