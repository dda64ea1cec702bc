/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of sequences of numbers.  Each gets a number of its own, 0 upwards in
 * the order of insertion; equal sequences have equal numbers.
 */
#ifndef BASE_SEQUENCES_H
#define BASE_SEQUENCES_H

#include "base/vector.h"

enum { SEQUENCE_NONE = UINT32_MAX };

struct sequences {
    uint32_t count;
    VECTOR(uint32_t) items;
    VECTOR(uint64_t) ends; /* sequence i ends before items[ends[i]] */
    uint32_t *slot;        /* number + 1; 0 is empty */
    uint32_t slots;        /* a power of 2, or 0 */
};

void sequences_clear(struct sequences *sequences);
size_t sequences_bytes(const struct sequences *sequences);

/* The number of a sequence, which is inserted when it is new; SEQUENCE_NONE when memory is exhausted.  `items` must
 * not point into the set. */
uint32_t sequence_insert(struct sequences *sequences, const uint32_t *items, size_t length, bool *is_new);

/* Valid until the next insertion. */
static inline const uint32_t *sequence_get(const struct sequences *sequences, uint32_t number, size_t *length)
{
    uint64_t start = number ? sequences->ends.item[number - 1] : 0;
    *length = (size_t)(sequences->ends.item[number] - start);
    return sequences->items.item + start;
}

#endif
