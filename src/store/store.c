/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"
#include "store/table.h"

#include "base/limits.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>
#include <sys/mman.h>

enum { FIRST_SLOTS = 1 << 10, LEAST_CHUNK_BITS = 8, MOST_CHUNK_BITS = 16, LARGE_CHUNK = 1 << 22 };
static const size_t CHUNK_TABLE = STORE_CHUNKS * sizeof(unsigned char *);

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

static bool set_slots(struct store *s, uint32_t slots)
{
    s->slot = map((size_t)slots * sizeof *s->slot);
    s->slots = s->slot ? slots : 0;
    s->full = s->slot ? (uint32_t)((uint64_t)slots * 3 / 4) : 0;
    s->id_bits = (uint8_t)(32 - __builtin_clz(s->full + STORE_MOST_THREADS + 1));
    s->id_mask = (uint32_t)((UINT64_C(1) << s->id_bits) - 1);
    return s->slot != NULL;
}

/* Chunks of large records hold fewer of them, so that rewriting one takes little memory. */
static void set_record(struct store *s, size_t key_bytes)
{
    s->key_bytes = key_bytes;
    s->chunk_bits = MOST_CHUNK_BITS;
    while (s->chunk_bits > LEAST_CHUNK_BITS && (key_bytes << s->chunk_bits) > LARGE_CHUNK)
        s->chunk_bits--;
    s->chunk_mask = (UINT32_C(1) << s->chunk_bits) - 1;
    s->chunk_bytes = key_bytes << s->chunk_bits;
}

bool store_make(struct store *s, size_t key_bytes)
{
    memset(s, 0, sizeof *s);
    s->most = STORE_FULL - 1;
    set_record(s, key_bytes);
    s->chunk = map(CHUNK_TABLE);
    if (!s->chunk || !set_slots(s, FIRST_SLOTS)) {
        store_clear(s);
        return false;
    }
    return true;
}

void store_clear(struct store *s)
{
    for (uint32_t i = 0; s->chunk && i < STORE_CHUNKS && i <= s->count >> s->chunk_bits; i++)
        unmap(s->chunk[i], s->chunk_bytes);
    unmap(s->chunk, CHUNK_TABLE);
    unmap(s->slot, (size_t)s->slots * sizeof *s->slot);
    memset(s, 0, sizeof *s);
}

uint64_t store_hash_other(const void *key, size_t key_bytes)
{
    return XXH3_64bits(key, key_bytes);
}

static inline uint32_t find(const struct store *s, const void *key, uint64_t hash)
{
    const uint32_t *slots = s->slot;
    uint32_t mask = s->id_mask, wanted = store_piece(s, hash), i = store_home(s, hash), slot;
    for (; (slot = slots[i]); i = store_next_slot(s, i))
        if ((slot ^ wanted) <= mask && store_same_key(s, store_key(s, (slot & mask) - 1), key))
            return (slot & mask) - 1;
    return STORE_NONE;
}

uint32_t store_find(const struct store *s, const void *key, uint64_t hash)
{
    return find(s, key, hash);
}

/* The last to come takes its home slot, and what stood there moves up: what was found lately is asked for most. */
static void put_new(struct store *s, uint32_t state, uint64_t hash)
{
    uint32_t *slots = s->slot, moved = store_piece(s, hash) | (state + 1);
    for (uint32_t i = store_home(s, hash); moved; i = store_next_slot(s, i)) {
        uint32_t before = slots[i];
        slots[i] = moved;
        moved = before;
    }
}

/* Refills the table from some of the records, a batch at a time so that slots are fetched ahead of use. */
void store_refill(struct store *s, uint32_t from, uint32_t end,
                  void (*put)(struct store *s, uint32_t state, uint64_t hash))
{
    enum { BATCH = 16 };
    for (uint32_t first = from; first < end; first += BATCH) {
        uint64_t hash[BATCH];
        uint32_t batch = end - first < BATCH ? end - first : BATCH;
        for (uint32_t i = 0; i < batch; i++) {
            hash[i] = store_hash(store_key(s, first + i), s->key_bytes);
            store_prefetch(s, hash[i]);
        }
        for (uint32_t i = 0; i < batch; i++)
            put(s, first + i, hash[i]);
    }
}

bool store_enlarge(struct store *s)
{
    uint32_t slots = s->slots;
    uint64_t larger = (uint64_t)slots + slots / 2;
    if (larger > UINT32_MAX - 64 || !limits_allow(slots / 2 * sizeof *s->slot))
        return false;
    unmap(s->slot, (size_t)slots * sizeof *s->slot);
    bool fine = set_slots(s, (uint32_t)larger);
    if (!fine && !set_slots(s, slots))
        return false; /* the table is gone; the caller stops, the records stay readable */
    return fine;
}

static bool grow(struct store *s)
{
    bool fine = store_enlarge(s);
    if (s->slot)
        store_refill(s, 0, s->count, put_new);
    return fine;
}

/* Makes sure that there is room for the record of a state. */
bool store_chunk(struct store *s, uint32_t state)
{
    unsigned char **chunk = s->chunk + (state >> s->chunk_bits), *none = NULL;
    if (__atomic_load_n(chunk, __ATOMIC_ACQUIRE))
        return true;
    unsigned char *fresh = state >> s->chunk_bits < STORE_CHUNKS ? map(s->chunk_bytes) : NULL;
    if (fresh && !__atomic_compare_exchange_n(chunk, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        unmap(fresh, s->chunk_bytes); /* another thread was faster */
    return fresh;
}

static __attribute__((noinline)) uint32_t insert_new(struct store *s, const void *key, uint64_t hash)
{
    uint32_t state = s->count;
    if (state == s->full && !grow(s))
        return STORE_NONE;
    if (!store_chunk(s, state))
        return STORE_NONE;
    memcpy((unsigned char *)store_key(s, state), key, s->key_bytes);
    put_new(s, state, hash);
    s->count++;
    return state;
}

uint32_t store_insert(struct store *s, const void *key, uint64_t hash)
{
    uint32_t state = find(s, key, hash);
    return state == STORE_NONE ? insert_new(s, key, hash) : state;
}

bool store_rewrite(struct store *s, size_t key_bytes,
                   void (*convert)(void *user, const unsigned char *old_key, unsigned char *new_key), void *user)
{
    struct store fresh = *s;
    set_record(&fresh, key_bytes);
    if (key_bytes > s->key_bytes && !limits_allow(s->count * (key_bytes - s->key_bytes)))
        return false;
    fresh.chunk = map(CHUNK_TABLE);
    if (!fresh.chunk)
        return false;
    for (uint64_t i = 0; i < s->count; i += (uint64_t)fresh.chunk_mask + 1)
        if (!store_chunk(&fresh, (uint32_t)i)) {
            fresh.slot = NULL; /* still s's */
            store_clear(&fresh);
            return false;
        }
    for (uint32_t i = 0; i < s->count; i++) {
        convert(user, store_key(s, i), (unsigned char *)store_key(&fresh, i));
        if ((i & s->chunk_mask) == s->chunk_mask || i + 1 == s->count)
            unmap(s->chunk[i >> s->chunk_bits], s->chunk_bytes); /* chunk by chunk: no second copy of everything */
    }
    if (s->count && (s->count & s->chunk_mask) == 0 && s->count >> s->chunk_bits < STORE_CHUNKS)
        unmap(s->chunk[s->count >> s->chunk_bits], s->chunk_bytes); /* taken, but not used yet */
    unmap(s->chunk, CHUNK_TABLE);
    *s = fresh;
    memset(s->slot, 0, (size_t)s->slots * sizeof *s->slot);
    store_refill(s, 0, s->count, put_new);
    return true;
}

size_t store_bytes(const struct store *s)
{
    return (size_t)s->count * s->key_bytes + (size_t)s->slots * sizeof *s->slot;
}
