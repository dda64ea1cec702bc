/* SPDX-License-Identifier: Apache-2.0 */
/* An array that several threads write and that grows with the numbers of a store: chunks that never move. */
#ifndef SEARCH_NUMBERED_H
#define SEARCH_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef NUMBERED_CHUNK /* tests have smaller ones */
#define NUMBERED_CHUNK (1 << 16)
#define NUMBERED_CHUNKS (1 << 16)
#endif

struct numbered {
    size_t size;           /* of an element */
    unsigned char **chunk; /* NULL where nothing has been written */
};

/* False when memory is exhausted. */
static inline bool numbered_make(struct numbered *n, size_t size)
{
    n->size = size;
    n->chunk = calloc(NUMBERED_CHUNKS, sizeof *n->chunk);
    return n->chunk != NULL;
}

static inline void numbered_clear(struct numbered *n)
{
    for (uint32_t i = 0; n->chunk && i < NUMBERED_CHUNKS; i++)
        free(n->chunk[i]);
    free(n->chunk);
}

/* The element of a number, zero at first; NULL when memory is exhausted. */
static inline void *numbered_at(struct numbered *n, uint32_t number)
{
    unsigned char **place = &n->chunk[number / NUMBERED_CHUNK], *chunk = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!chunk) {
        unsigned char *fresh = calloc(NUMBERED_CHUNK, n->size);
        if (!fresh)
            return NULL;
        if (__atomic_compare_exchange_n(place, &chunk, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            chunk = fresh;
        else
            free(fresh); /* another was faster */
    }
    return chunk + number % NUMBERED_CHUNK * n->size;
}

static inline size_t numbered_bytes(const struct numbered *n)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < NUMBERED_CHUNKS && __atomic_load_n(&n->chunk[i], __ATOMIC_RELAXED); i++)
        sum += NUMBERED_CHUNK * n->size;
    return sum;
}

#endif
