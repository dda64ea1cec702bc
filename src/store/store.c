/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

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
    s->id_bits = (uint8_t)(32 - __builtin_clz(s->full + 1));
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
    for (uint32_t i = 0; i < s->chunks; i++)
        unmap(s->chunk[i], s->chunk_bytes);
    unmap(s->chunk, CHUNK_TABLE);
    unmap(s->slot, (size_t)s->slots * sizeof *s->slot);
    memset(s, 0, sizeof *s);
}

uint64_t store_hash_other(const void *key, size_t key_bytes)
{
    return XXH3_64bits(key, key_bytes);
}

/* Short keys are compared in place: the first words and the last, which may overlap. */
static inline bool same_key(const struct store *s, const unsigned char *a, const unsigned char *b)
{
    size_t bytes = s->key_bytes;
    if (bytes >= 8 && bytes <= 24)
        return store_load(a) == store_load(b) && store_load(a + bytes - 8) == store_load(b + bytes - 8) &&
               (bytes <= 16 || store_load(a + 8) == store_load(b + 8));
    if (bytes >= 4 && bytes < 8)
        return store_load_half(a) == store_load_half(b) &&
               store_load_half(a + bytes - 4) == store_load_half(b + bytes - 4);
    return memcmp(a, b, bytes) == 0;
}

/* The table uses the high bits of the hash, so the piece comes from the low ones. */
static inline uint32_t piece(const struct store *s, uint64_t hash)
{
    return (uint32_t)(hash << s->id_bits);
}

static inline uint32_t next_slot(const struct store *s, uint32_t i)
{
    return i + 1 == s->slots ? 0 : i + 1;
}

static inline uint32_t find(const struct store *s, const void *key, uint64_t hash)
{
    const uint32_t *slots = s->slot;
    uint32_t mask = s->id_mask, wanted = piece(s, hash), i = store_home(s, hash), slot;
    for (; (slot = slots[i]); i = next_slot(s, i))
        if ((slot ^ wanted) <= mask && same_key(s, store_key(s, (slot & mask) - 1), key))
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
    uint32_t *slots = s->slot, moved = piece(s, hash) | (state + 1);
    for (uint32_t i = store_home(s, hash); moved; i = next_slot(s, i)) {
        uint32_t before = slots[i];
        slots[i] = moved;
        moved = before;
    }
}

/* Refills the table from the records, a batch at a time so that slots are fetched ahead of use. */
static void refill(struct store *s)
{
    enum { BATCH = 16 };
    for (uint32_t first = 0; first < s->count; first += BATCH) {
        uint64_t hash[BATCH];
        uint32_t batch = s->count - first < BATCH ? s->count - first : BATCH;
        for (uint32_t i = 0; i < batch; i++) {
            hash[i] = store_hash(store_key(s, first + i), s->key_bytes);
            store_prefetch(s, hash[i]);
        }
        for (uint32_t i = 0; i < batch; i++)
            put_new(s, first + i, hash[i]);
    }
}

static bool grow(struct store *s)
{
    uint32_t slots = s->slots;
    uint64_t larger = (uint64_t)slots + slots / 2;
    if (larger > UINT32_MAX - 64 || !limits_allow(slots / 2 * sizeof *s->slot))
        return false;
    unmap(s->slot, (size_t)slots * sizeof *s->slot);
    bool fine = set_slots(s, (uint32_t)larger);
    if (!fine && !set_slots(s, slots))
        return false; /* the table is gone; the caller stops, the records stay readable */
    refill(s);
    return fine;
}

static __attribute__((noinline)) uint32_t insert_new(struct store *s, const void *key, uint64_t hash)
{
    uint32_t state = s->count;
    if (state == s->full && !grow(s))
        return STORE_NONE;
    if (state >> s->chunk_bits == s->chunks) {
        unsigned char *chunk = s->chunks < STORE_CHUNKS ? map(s->chunk_bytes) : NULL;
        if (!chunk)
            return STORE_NONE;
        s->chunk[s->chunks++] = chunk;
    }
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
    uint32_t chunks = s->count ? ((s->count - 1) >> fresh.chunk_bits) + 1 : 0;
    for (fresh.chunks = 0; fresh.chunks < chunks && fresh.chunks < STORE_CHUNKS; fresh.chunks++) {
        fresh.chunk[fresh.chunks] = map(fresh.chunk_bytes);
        if (!fresh.chunk[fresh.chunks])
            break;
    }
    if (fresh.chunks < chunks) {
        fresh.slot = NULL; /* still s's */
        store_clear(&fresh);
        return false;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        convert(user, store_key(s, i), (unsigned char *)store_key(&fresh, i));
        if ((i & s->chunk_mask) == s->chunk_mask || i + 1 == s->count)
            unmap(s->chunk[i >> s->chunk_bits], s->chunk_bytes); /* chunk by chunk: no second copy of everything */
    }
    unmap(s->chunk, CHUNK_TABLE);
    *s = fresh;
    memset(s->slot, 0, (size_t)s->slots * sizeof *s->slot);
    refill(s);
    return true;
}

size_t store_bytes(const struct store *s)
{
    return (size_t)s->count * s->key_bytes + (size_t)s->slots * sizeof *s->slot;
}
