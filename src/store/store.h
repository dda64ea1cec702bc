/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of visited states.  Each state gets a number, 0 upwards in the order
 * of insertion, that never changes.  Records of key_bytes stand in chunks that
 * never move; an open-addressed table of 32-bit slots leads to them.  A slot
 * holds a state's number and, in the bits that the number leaves free, a piece
 * of the state's hash: nearly every look-up touches one slot line and at most
 * one record.  Memory is key_bytes plus 5.3 to 8 bytes a state.
 *
 * Growing the table first gives the old one back and refills from the records,
 * so both are never held at once.
 *
 * Several threads may insert at once (store_insert_shared): a thread takes an
 * empty slot by a compare-and-swap, then a number, writes the record and
 * publishes it in the slot.  Whoever meets a slot that is taken but not yet
 * published waits only if the piece of hash there is its own.  When the table is
 * full the threads meet and refill a larger one together.  Threads that write
 * neighbouring records, or count together, wait for each other's lines of the
 * cache; so each may take numbers in blocks (store_number_in_blocks), and what
 * is left of those is filled by the last states when all rest (store_settle).
 *
 * To write a store to a file: store_count, then store_copy of each number.  To
 * read it back: store_make, then store_insert in the same order.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    STORE_NONE = UINT32_MAX,
    STORE_FULL = UINT32_MAX - 1,
    STORE_SEEN = UINT32_MAX - 2,
    STORE_LAST = UINT32_MAX - 3, /* the largest number of a state */
    STORE_CHUNKS = 1 << 16,
    STORE_MOST_THREADS = 64
};

/* How states are kept; docs/scale.md. */
enum store_kind { STORE_PLAIN, STORE_TREE, STORE_HASH, STORE_BITSTATE };

struct tree;
struct prints;
struct spill;

/* Numbers that a thread has taken, and will give to states that it finds. */
struct store_block {
    uint32_t next, end;
    unsigned char apart[56]; /* from what others write */
};

struct store {
    size_t key_bytes;
    size_t record_bytes;   /* in a chunk: the key, or with a tree less */
    size_t record_bits;    /* from one record to the next */
    bool is_alone;         /* only one thread ever inserts: with a tree records follow each other bit by bit */
    struct tree *tree;     /* keys are kept as trees; NULL: as they are */
    struct prints *prints; /* states are forgotten but for these; NULL: they are not */
    size_t tree_at;        /* bytes of the store from which on a tree is tried; 0: never */
    bool is_part;          /* of a tree: there are many */
    bool is_ordered;       /* the tree has its bytes in the best order that was found */
    uint32_t slots;
    uint32_t full;          /* grow when count reaches this */
    uint8_t id_bits;        /* of a slot; the rest is hash */
    uint32_t id_mask;       /* as many ones */
    uint32_t *slot;         /* 0 is empty, else (hash piece << id_bits | number + 1) */
    struct spill *spill;    /* where records are kept in a file; NULL: nowhere */
    bool slots_are_spilled; /* the table too: there was no room for it */
    uint8_t chunk_bits;     /* a chunk holds 1 << chunk_bits states */
    uint32_t chunk_mask;
    size_t chunk_bytes;
    unsigned char **chunk;      /* STORE_CHUNKS pointers, NULL beyond the last */
    uint32_t most;              /* states that may be inserted by several threads */
    bool is_too_narrow;         /* records, for the numbers of parts, while several threads inserted */
    bool failed;                /* memory ran out while several threads inserted */
    uint32_t left;              /* slots of the table that hold what others hold, too */
    uint32_t settled;           /* how often states may have got other numbers */
    struct store_block *blocks; /* one per thread; NULL: numbers are taken one by one */
    uint32_t threads;
    unsigned char apart[64]; /* what is above is hardly ever written */
    uint32_t count;
    unsigned char apart_too[64];
};

bool store_make(struct store *store, size_t key_bytes);
bool store_make_tree(struct store *store, size_t key_bytes);
/* One that keeps fingerprints (bits: 0), or an array of so many bytes of bits.  It takes two states for one now and
 * then.  New states have numbers but no records; for others store_find_shared and store_insert_shared return
 * STORE_SEEN. Only those, store_count, store_bytes and store_clear may be used. */
bool store_make_prints(struct store *store, size_t key_bytes, size_t bits);
/* Of a store without states: only one thread will ever insert, which takes a little less memory. */
void store_alone(struct store *store);
/* Of a store without states: records live in a file from now on, and the table when memory has no room for it. */
void store_spill(struct store *store, struct spill *spill);
void store_clear(struct store *store);

static inline uint64_t store_load(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t store_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t store_load_half(const unsigned char *bytes)
{
    uint32_t half;
    memcpy(&half, bytes, sizeof half);
    return half;
}

uint64_t store_hash_other(const void *key, size_t key_bytes);

/* Keys of 4 to 128 bytes, the most frequent ones, are folded in place, 16 bytes at a time and the last 16 whatever came
 * before, by products as in wyhash (Wang Yi); others by XXH3. */
static inline uint64_t store_hash(const void *key, size_t key_bytes)
{
    enum { HALF = 4, WORD = 8, PAIR = 16, MOST = 128 };
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15), other = UINT64_C(0xc2b2ae3d27d4eb4f);
    const unsigned char *at = key, *end = at + key_bytes;
    if (key_bytes < HALF || key_bytes > MOST)
        return store_hash_other(key, key_bytes);
    if (key_bytes < WORD)
        return store_fold(store_fold(store_load_half(at) ^ odd, store_load_half(end - HALF) ^ other), odd);
    uint64_t hash = other, first = store_load(at);
    if (key_bytes > PAIR) {
        for (; at < end - PAIR; at += PAIR)
            hash = store_fold(store_load(at) ^ odd, store_load(at + WORD) ^ hash);
        first = store_load(end - PAIR);
    }
    uint64_t last = store_load(end - WORD), mixed = store_fold(first ^ odd, last ^ hash);
    return store_fold(mixed ^ first, UINT64_C(0x9fb21c651e98df25) ^ (last << 1));
}

/* Looking up several states at once hides the way to memory: first store_prefetch for all, then
 * store_guess for all, then store_is_right, and find or insert what was guessed wrong. */
static inline uint32_t store_home(const struct store *store, uint64_t hash)
{
    return (uint32_t)((unsigned __int128)hash * store->slots >> 64);
}

/* A slot that may be written.  A line that another processor has must be taken from it for that: at once, not first to
 * be read. */
static inline void store_prefetch(const struct store *store, uint64_t hash)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(store->slot[store_home(store, hash)]));
#else
    __builtin_prefetch(&store->slot[store_home(store, hash)], 1);
#endif
}

/* Where the record of a state begins: without a tree its key. */
static inline const unsigned char *store_key(const struct store *store, uint32_t state)
{
    const unsigned char *chunk = __atomic_load_n(&store->chunk[state >> store->chunk_bits], __ATOMIC_RELAXED);
    return chunk + ((size_t)(state & store->chunk_mask) * store->record_bits >> 3);
}

static inline void store_prefetch_state(const struct store *store, uint32_t state)
{
    unsigned char *chunk = __atomic_load_n(&store->chunk[state >> store->chunk_bits], __ATOMIC_RELAXED);
    __builtin_prefetch((void *)((uintptr_t)chunk + ((size_t)(state & store->chunk_mask) * store->record_bits >> 3)));
}

/* The state that is probably meant, whose record is fetched: of the slots in the line of the cache where the way to it
 * begins, the first with its piece of the hash.  STORE_NONE: there is none, so that the state is probably new. */
static inline uint32_t store_guess(const struct store *store, uint64_t hash)
{
    enum { LINE = 64 / sizeof(uint32_t) };
    uint32_t mask = store->id_mask, wanted = (uint32_t)(hash << store->id_bits), i = store_home(store, hash), slot;
    do { /* behind the last slot its page is empty */
        slot = __atomic_load_n(&store->slot[i], __ATOMIC_ACQUIRE);
        if (slot == 0 || (slot & mask) == mask) /* or another thread has not published it yet */
            return STORE_NONE;
        if ((slot ^ wanted) <= mask) {
            store_prefetch_state(store, (slot & mask) - 1);
            return (slot & mask) - 1;
        }
    } while (++i % LINE);
    return STORE_NONE;
}

static inline uint32_t store_count(const struct store *store)
{
    return __atomic_load_n(&store->count, __ATOMIC_RELAXED);
}

void store_copy_tree(const struct store *store, uint32_t state, void *key);

/* Writes the key of a state. */
static inline void store_copy(const struct store *store, uint32_t state, void *key)
{
    if (__builtin_expect(store->tree != NULL, 0))
        store_copy_tree(store, state, key);
    else
        memcpy(key, store_key(store, state), store->key_bytes);
}

bool store_is_tree(const struct store *store, uint32_t state, const unsigned char *key);

/* Is the record of a state that of the key?  Short keys are compared in place: the first words and the last, which may
 * overlap. */
static inline bool store_is_key(const struct store *store, uint32_t state, const unsigned char *key)
{
    size_t bytes = store->key_bytes;
    if (__builtin_expect(store->tree != NULL, 0))
        return store_is_tree(store, state, key);
    const unsigned char *record = store_key(store, state);
    if (bytes >= 8 && bytes <= 24)
        return store_load(record) == store_load(key) && store_load(record + bytes - 8) == store_load(key + bytes - 8) &&
               (bytes <= 16 || store_load(record + 8) == store_load(key + 8));
    if (bytes >= 4 && bytes < 8)
        return store_load_half(record) == store_load_half(key) &&
               store_load_half(record + bytes - 4) == store_load_half(key + bytes - 4);
    return memcmp(record, key, bytes) == 0;
}

/* Does the guess (store_guess) name the state with this key?  It may have been made at any time before, as long as
 * store->settled is what it was. */
static inline bool store_is_right(const struct store *store, uint32_t guess, const unsigned char *key)
{
    return guess != STORE_NONE && store_is_key(store, guess, key);
}

/* The number of a state, or STORE_NONE. */
uint32_t store_find(const struct store *store, const void *key, uint64_t hash);
/* The number of a state; when it is new it is inserted, and its number is the count before.  STORE_NONE when memory is
 * exhausted. */
uint32_t store_insert(struct store *store, const void *key, uint64_t hash);

/* Rewrites every record to a new size; states keep their numbers.  On failure the store is as before. */
bool store_rewrite(struct store *store, size_t key_bytes,
                   void (*convert)(void *user, const unsigned char *old_key, unsigned char *new_key), void *user);

/* In memory. */
size_t store_bytes(const struct store *store);

/* --- several threads at once; shared.c */

/* As store_find and store_insert, by the thread of this number.  store_insert_shared may also return STORE_FULL:
 * nothing was inserted, and nothing can be until store_grow_shared was called; or there are `most` states.  *is_new
 * tells whether it was inserted now. */
uint32_t store_find_shared(const struct store *store, const void *key, uint64_t hash);
uint32_t store_insert_shared(struct store *store, const void *key, uint64_t hash, uint32_t thread, bool *is_new);

/* So many threads take numbers in blocks from now on.  Then numbers are dense, and those of states found since the last
 * time no longer change, after store_settle.  False when memory ran out. */
bool store_number_in_blocks(struct store *store, uint32_t threads);
/* Nobody else may use the store meanwhile. */
void store_settle(struct store *store);

/* A larger table, if the present one is full.  Nobody else may use the store meanwhile; together(user, part, argument)
 * has part(argument) called by as many threads as there are, and returns when all have.  False when memory ran out. */
bool store_grow_shared(struct store *store, void (*together)(void *user, void (*part)(void *), void *argument),
                       void *user);

#endif
