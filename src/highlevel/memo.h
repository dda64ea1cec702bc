/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was computed for a few numbers, found again by these numbers.
 *
 *     struct memo memo = {.key = 2};
 *     const uint32_t *found = memo_find(&memo, key);
 *     if (!found) found = memo_add(&memo, key, values, count);
 */
#ifndef HIGHLEVEL_MEMO_H
#define HIGHLEVEL_MEMO_H

#include "base/vector.h"

struct memo {
    uint32_t key;           /* numbers of a key */
    VECTOR(uint32_t) items; /* each entry: its key, then its values */
    uint32_t *slot;         /* where an entry begins, + 1; 0 is free */
    uint32_t slots, count;  /* slots: a power of 2, or 0 */
};

/* The values, NULL when there is no such key; valid until the next one is added. */
const uint32_t *memo_find(const struct memo *memo, const uint32_t *key);
/* The same of a key that is new; NULL when memory is exhausted. */
const uint32_t *memo_add(struct memo *memo, const uint32_t *key, const uint32_t *values, size_t count);
/* Forgets everything and gives the memory back. */
void memo_clear(struct memo *memo);

#endif
