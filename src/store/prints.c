/* SPDX-License-Identifier: Apache-2.0 */
#include "store/prints.h"

#include "base/limits.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SEGMENT_BITS = 10,
    SEGMENTS = 1 << SEGMENT_BITS,
    HOME_BITS = 6, /* of the first buckets of a segment */
    REST_BITS = 28,
    PRINT_BITS = HOME_BITS + REST_BITS, /* within a segment */
    SLOTS = 16,                         /* of a bucket: a line of the cache */
    REACH = 8,                          /* buckets that a fingerprint may lie in */
    BITS = 3,                           /* of bitstate hashing */
    LOCKS = 256
};

struct segment {
    uint32_t *slot; /* SLOTS * (buckets + REACH - 1) */
    uint32_t buckets, count;
    pthread_mutex_t lock;
};

struct prints {
    struct segment *segments; /* NULL: bits */
    uint64_t *words;
    pthread_mutex_t locks[LOCKS]; /* of bits: so that a state is new to one thread only */
    size_t bytes;
};

/* --- fingerprints */

static size_t slots_of(uint32_t buckets)
{
    return (size_t)SLOTS * (buckets + REACH - 1);
}

/* What the home does not tell: the distance to the first fingerprint of that home. */
static uint32_t home_of(uint32_t buckets, uint64_t print, uint32_t *rest)
{
    uint64_t home = print * buckets >> PRINT_BITS;
    uint64_t first = ((home << PRINT_BITS) + buckets - 1) / buckets;
    *rest = (uint32_t)(print - first);
    return (uint32_t)home;
}

static uint32_t slot_value(uint32_t rest, uint32_t reach)
{
    return UINT32_C(1) << 31 | rest << 3 | reach;
}

/* The place of a fingerprint, or where it can be put; NULL: there is no room. */
static uint32_t *look_for(const struct segment *s, uint64_t print, uint32_t *value)
{
    uint32_t rest, home = home_of(s->buckets, print, &rest);
    for (uint32_t reach = 0; reach < REACH; reach++) {
        uint32_t *bucket = s->slot + (size_t)SLOTS * (home + reach);
        *value = slot_value(rest, reach);
        for (uint32_t i = 0; i < SLOTS; i++)
            if (!bucket[i] || bucket[i] == *value)
                return &bucket[i];
    }
    return NULL;
}

static bool move_all(const struct segment *from, struct segment *to)
{
    for (size_t i = 0; i < slots_of(from->buckets); i++) {
        uint32_t slot = from->slot[i], value;
        if (!slot)
            continue;
        uint64_t home = i / SLOTS - (slot & 7), rest = (slot & ~(UINT32_C(1) << 31)) >> 3;
        uint64_t print = ((home << PRINT_BITS) + from->buckets - 1) / from->buckets + rest;
        uint32_t *place = look_for(to, print, &value);
        if (!place)
            return false;
        *place = value;
    }
    return true;
}

static bool grow(struct segment *s)
{
    struct segment larger = *s;
    for (bool fine = false; !fine;) {
        larger.buckets += larger.buckets / 8;
        if (!limits_allow(slots_of(larger.buckets) * sizeof *larger.slot))
            return false;
        larger.slot = calloc(slots_of(larger.buckets), sizeof *larger.slot);
        if (!larger.slot)
            return false;
        fine = move_all(s, &larger);
        if (!fine)
            free(larger.slot);
    }
    free(s->slot);
    s->slot = larger.slot;
    s->buckets = larger.buckets;
    return true;
}

static enum prints_answer insert_into(struct segment *s, uint64_t print)
{
    uint32_t value, *place = look_for(s, print, &value);
    if (place && *place)
        return PRINT_SEEN;
    uint64_t full = (uint64_t)s->buckets * SLOTS * 9 / 10;
    while (!place || s->count >= full) {
        if (!grow(s))
            return PRINT_NO_MEMORY;
        full = (uint64_t)s->buckets * SLOTS * 9 / 10;
        place = look_for(s, print, &value);
    }
    *place = value;
    s->count++;
    return PRINT_NEW;
}

static struct segment *segment_of(const struct prints *p, uint64_t hash, uint64_t *print)
{
    *print = hash << SEGMENT_BITS >> (64 - PRINT_BITS);
    return &p->segments[hash >> (64 - SEGMENT_BITS)];
}

/* --- bits */

static uint64_t bit_of(const struct prints *p, uint64_t hash, unsigned number)
{
    uint64_t mixed = (hash ^ hash >> 29) * (UINT64_C(0xbf58476d1ce4e5b9) + 2 * (uint64_t)number);
    return (uint64_t)((unsigned __int128)(mixed ^ mixed >> 32) * (p->bytes * 8) >> 64);
}

static enum prints_answer set_bits(struct prints *p, uint64_t hash)
{
    bool is_new = false;
    pthread_mutex_lock(&p->locks[hash % LOCKS]);
    for (unsigned i = 0; i < BITS; i++) {
        uint64_t bit = bit_of(p, hash * (2 * (uint64_t)i + 1), i), mask = UINT64_C(1) << bit % 64;
        is_new |= !(__atomic_fetch_or(&p->words[bit / 64], mask, __ATOMIC_RELAXED) & mask);
    }
    pthread_mutex_unlock(&p->locks[hash % LOCKS]);
    return is_new ? PRINT_NEW : PRINT_SEEN;
}

static bool has_bits(const struct prints *p, uint64_t hash)
{
    for (unsigned i = 0; i < BITS; i++) {
        uint64_t bit = bit_of(p, hash * (2 * (uint64_t)i + 1), i);
        if (!(__atomic_load_n(&p->words[bit / 64], __ATOMIC_RELAXED) >> bit % 64 & 1))
            return false;
    }
    return true;
}

/* --- both */

struct prints *prints_new(size_t bytes)
{
    struct prints *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&p->locks[i], NULL);
    if (bytes) {
        p->bytes = bytes / sizeof *p->words * sizeof *p->words;
        p->words = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p->words != MAP_FAILED)
            return p;
        p->words = NULL;
        prints_free(p);
        return NULL;
    }
    p->segments = calloc(SEGMENTS, sizeof *p->segments);
    bool fine = p->segments;
    for (uint32_t i = 0; p->segments && i < SEGMENTS; i++) {
        struct segment *s = &p->segments[i];
        pthread_mutex_init(&s->lock, NULL);
        s->buckets = 1 << HOME_BITS;
        s->slot = calloc(slots_of(s->buckets), sizeof *s->slot);
        fine = fine && s->slot;
    }
    if (fine)
        return p;
    prints_free(p);
    return NULL;
}

void prints_free(struct prints *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; p->segments && i < SEGMENTS; i++) {
        free(p->segments[i].slot);
        pthread_mutex_destroy(&p->segments[i].lock);
    }
    free(p->segments);
    if (p->words)
        munmap(p->words, p->bytes);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&p->locks[i]);
    free(p);
}

size_t prints_bytes(const struct prints *p)
{
    size_t bytes = p->bytes;
    for (uint32_t i = 0; p->segments && i < SEGMENTS; i++) {
        struct segment *s = &p->segments[i];
        pthread_mutex_lock(&s->lock);
        bytes += slots_of(s->buckets) * sizeof *s->slot;
        pthread_mutex_unlock(&s->lock);
    }
    return bytes;
}

enum prints_answer prints_insert(struct prints *p, uint64_t hash)
{
    if (!p->segments)
        return set_bits(p, hash);
    uint64_t print;
    struct segment *s = segment_of(p, hash, &print);
    pthread_mutex_lock(&s->lock);
    enum prints_answer answer = insert_into(s, print);
    pthread_mutex_unlock(&s->lock);
    return answer;
}

bool prints_find(struct prints *p, uint64_t hash)
{
    if (!p->segments)
        return has_bits(p, hash);
    uint64_t print;
    uint32_t value;
    struct segment *s = segment_of(p, hash, &print);
    pthread_mutex_lock(&s->lock);
    const uint32_t *place = look_for(s, print, &value);
    bool found = place && *place;
    pthread_mutex_unlock(&s->lock);
    return found;
}

double prints_coverage(const struct prints *p, uint64_t states)
{
    enum { STEPS = 64 };
    double n = (double)states, missed = 0;
    if (p->segments)
        return 1 - fmin(1, n / ldexp(1, SEGMENT_BITS + PRINT_BITS + 1));
    for (int i = 0; i < STEPS; i++) { /* while the array was filling */
        double full = 1 - exp(-(double)BITS * n * (i + 0.5) / STEPS / (double)(p->bytes * 8));
        missed += pow(full, BITS) / STEPS;
    }
    return 1 - missed;
}
