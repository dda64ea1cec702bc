/* SPDX-License-Identifier: Apache-2.0 */
#include "store/prints.h"

#include "base/limits.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    SEGMENT_BITS = 8,
    SEGMENTS = 1 << SEGMENT_BITS,
    PRINT_BITS = PRINTS_BITS - SEGMENT_BITS, /* within a segment */
    SPARE = 64,                              /* slots behind the last home */
    PAGE = 1 << 12,
    BITS = 3, /* of bitstate hashing */
    LOCKS = 256
};

/* Of a slot; the rest of a fingerprint stands above them.  The first belongs to the place, the others to what is there,
 * and an empty slot has none. */
enum {
    OCCUPIED = 1,     /* it is the home of some fingerprint */
    CONTINUATION = 2, /* what is here has the same home as what is before it */
    SHIFTED = 4,      /* what is here is not at home */
    FLAGS = 7,
    FLAG_BITS = 3
};

struct segment {
    unsigned char *memory; /* slots + SPARE of them, of `width` bytes each */
    size_t bytes;
    uint32_t slots, count;
    uint8_t width;
    pthread_mutex_t lock;
};

struct prints {
    struct segment *segments; /* NULL: bits */
    uint64_t *words;
    pthread_mutex_t locks[LOCKS]; /* of bits: so that a state is new to one thread only */
    size_t bytes;
};

/* --- fingerprints */

/* What looks for a fingerprint is compiled for each width. */
#define FOR_WIDTH static inline __attribute__((always_inline))

FOR_WIDTH uint32_t get(const struct segment *s, size_t i, size_t width)
{
    uint32_t slot;
    memcpy(&slot, s->memory + i * width, sizeof slot);
    return width == sizeof slot ? slot : slot & 0xffffff;
}

FOR_WIDTH void set(const struct segment *s, size_t i, uint32_t slot, size_t width)
{
    memcpy(s->memory + i * width, &slot, width);
}

/* The first fingerprint of a home. */
static uint64_t first_of(const struct segment *s, uint64_t home)
{
    return ((home << PRINT_BITS) + s->slots - 1) / s->slots;
}

/* The rest is what the home does not tell. */
static uint32_t home_of(const struct segment *s, uint64_t print, uint32_t *rest)
{
    uint32_t home = (uint32_t)(print * s->slots >> PRINT_BITS);
    *rest = (uint32_t)(print - first_of(s, home));
    return home;
}

/* Where the run of a home begins that has one: as many runs behind the beginning of the cluster as homes. */
FOR_WIDTH size_t run_of(const struct segment *s, size_t home, size_t width)
{
    size_t at = home;
    while (get(s, at, width) & SHIFTED)
        at--;
    for (size_t passed = at; passed != home;) {
        do
            at++;
        while (get(s, at, width) & CONTINUATION);
        do
            passed++;
        while (!(get(s, passed, width) & OCCUPIED));
    }
    return at;
}

/* The place of a fingerprint in the run of its home, which begins at *run, or that of the next larger one. */
FOR_WIDTH size_t place_in(const struct segment *s, size_t run, uint32_t rest, bool *found, size_t width)
{
    size_t at = run;
    uint32_t slot = get(s, at, width);
    do {
        *found = slot >> FLAG_BITS == rest;
        if (slot >> FLAG_BITS >= rest)
            return at;
        slot = get(s, ++at, width);
    } while (slot & CONTINUATION);
    return at;
}

FOR_WIDTH bool has_print_of(const struct segment *s, uint64_t print, size_t width)
{
    uint32_t rest, home = home_of(s, print, &rest);
    bool found = false;
    if (get(s, home, width) & OCCUPIED)
        (void)place_in(s, run_of(s, home, width), rest, &found, width);
    return found;
}

/* Everything from here to the next empty slot moves up by one. */
FOR_WIDTH void move_up(const struct segment *s, size_t at, uint32_t slot, size_t width)
{
    uint32_t before;
    do {
        before = get(s, at, width);
        set(s, at++, slot | (before & OCCUPIED), width);
        slot = (before & ~(uint32_t)OCCUPIED) | SHIFTED;
    } while (before);
}

FOR_WIDTH bool has_room(const struct segment *s, size_t from, size_t width)
{
    size_t end = s->slots + (size_t)SPARE;
    while (from < end && get(s, from, width))
        from++;
    return from < end;
}

enum placing { PLACED, THERE, NO_ROOM };

FOR_WIDTH enum placing place_of(const struct segment *s, uint64_t print, size_t width)
{
    uint32_t rest, home = home_of(s, print, &rest), there = get(s, home, width), slot = rest << FLAG_BITS;
    if (!there) {
        set(s, home, slot | OCCUPIED, width);
        return PLACED;
    }
    bool is_first = !(there & OCCUPIED), found = false;
    if (is_first)
        set(s, home, there | OCCUPIED, width); /* as run_of wants it */
    size_t run = run_of(s, home, width), at = is_first ? run : place_in(s, run, rest, &found, width);
    if (found)
        return THERE;
    if (!has_room(s, at, width)) {
        set(s, home, there, width);
        return NO_ROOM;
    }
    if (!is_first && at == run)
        set(s, run, get(s, run, width) | CONTINUATION, width);
    move_up(s, at, slot | (at != run ? CONTINUATION : 0) | (at != home ? SHIFTED : 0), width);
    return PLACED;
}

static bool has_print(const struct segment *s, uint64_t print)
{
    return s->width == 3 ? has_print_of(s, print, 3) : has_print_of(s, print, 4);
}

static enum placing place(const struct segment *s, uint64_t print)
{
    return s->width == 3 ? place_of(s, print, 3) : place_of(s, print, 4);
}

/* All of them, the smallest first, into a table that is empty; false when that has no room behind the last home. */
static bool move_prints(const struct segment *from, const struct segment *to)
{
    size_t home = 0, at = 0, last = SIZE_MAX;
    for (size_t i = 0; i < from->slots + (size_t)SPARE; i++) {
        uint32_t slot = get(from, i, from->width), rest;
        if (!slot)
            continue;
        if (!(slot & SHIFTED))
            home = i;
        else if (!(slot & CONTINUATION))
            do
                home++;
            while (!(get(from, home, from->width) & OCCUPIED));
        size_t now = home_of(to, first_of(from, home) + (slot >> FLAG_BITS), &rest);
        at = at < now ? now : at;
        if (at >= to->slots + (size_t)SPARE)
            return false;
        set(to, at, rest << FLAG_BITS | (at != now ? SHIFTED : 0) | (now == last ? CONTINUATION : 0), to->width);
        set(to, now, get(to, now, to->width) | OCCUPIED, to->width);
        last = now;
        at++;
    }
    return true;
}

/* As many slots as there is room for; fewer bytes each when the home tells enough. */
static void divide(struct segment *s)
{
    for (s->width = 3; s->width <= 4; s->width++) {
        s->slots = (uint32_t)((s->bytes - 1) / s->width - SPARE); /* get reads a byte more */
        if (UINT64_C(1) << PRINT_BITS < (uint64_t)s->slots << (8 * s->width - FLAG_BITS))
            return;
    }
}

/* A table without fingerprints. */
static bool make_table(struct segment *s, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    s->memory = memory != MAP_FAILED ? memory : NULL;
    s->bytes = bytes;
    divide(s);
    return s->memory;
}

/* The old table and the new one are there at once: those of one segment are a small part of all. */
static bool grow(struct segment *s)
{
    struct segment larger = {.bytes = s->bytes};
    bool fine;
    do {
        size_t bytes = larger.bytes + (larger.bytes / 16 + PAGE - 1) / PAGE * PAGE;
        if (larger.memory)
            munmap(larger.memory, larger.bytes);
        if (!limits_allow(bytes) || !make_table(&larger, bytes))
            return false;
        fine = move_prints(s, &larger);
    } while (!fine);
    munmap(s->memory, s->bytes);
    s->memory = larger.memory;
    s->bytes = larger.bytes;
    s->slots = larger.slots;
    s->width = larger.width;
    return true;
}

static enum prints_answer insert_into(struct segment *s, uint64_t print)
{
    enum placing placing = NO_ROOM;
    if (s->count < s->slots / 8 * 7 || has_print(s, print))
        placing = place(s, print);
    for (; placing == NO_ROOM; placing = place(s, print))
        if (!grow(s))
            return PRINT_NO_MEMORY;
    s->count += placing == PLACED;
    return placing == PLACED ? PRINT_NEW : PRINT_SEEN;
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
        fine = make_table(s, PAGE) && fine;
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
        if (p->segments[i].memory)
            munmap(p->segments[i].memory, p->segments[i].bytes);
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
        bytes += s->bytes;
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
    struct segment *s = segment_of(p, hash, &print);
    pthread_mutex_lock(&s->lock);
    bool found = has_print(s, print);
    pthread_mutex_unlock(&s->lock);
    return found;
}

double prints_coverage(const struct prints *p, uint64_t states)
{
    enum { STEPS = 64 };
    double n = (double)states, missed = 0;
    if (p->segments)
        return 1 - fmin(1, n / ldexp(1, PRINTS_BITS + 1));
    for (int i = 0; i < STEPS; i++) { /* while the array was filling */
        double full = 1 - exp(-(double)BITS * n * (i + 0.5) / STEPS / (double)(p->bytes * 8));
        missed += pow(full, BITS) / STEPS;
    }
    return 1 - missed;
}
