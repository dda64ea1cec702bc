/* SPDX-License-Identifier: Apache-2.0 */
/* A square of bits that grows: which two facts can be true at once. */
#include "graph/ground/ground.h"

#include "base/bits.h"

#include <string.h>

bool pairs_grow(struct pairs *pairs, uint32_t facts)
{
    if (facts <= pairs->capacity)
        return true;
    uint32_t capacity = facts + facts / 2 + 64;
    size_t words = bit_words(capacity);
    uint64_t *row = calloc((size_t)capacity * words, sizeof *row);
    uint32_t *changed = calloc(capacity, sizeof *changed);
    if (!row || !changed) {
        free(row);
        free(changed);
        return false;
    }
    for (uint32_t e = 0; e < pairs->capacity; e++) {
        memcpy(row + e * words, pairs->row + e * pairs->words, pairs->words * sizeof *row);
        changed[e] = pairs->changed[e];
    }
    uint32_t clock = pairs->clock;
    pairs_clear(pairs);
    *pairs = (struct pairs){.row = row, .words = words, .capacity = capacity, .changed = changed, .clock = clock};
    return true;
}

void pairs_clear(struct pairs *pairs)
{
    free(pairs->row);
    free(pairs->changed);
    *pairs = (struct pairs){0};
}

bool pairs_have(const struct pairs *pairs, uint32_t a, uint32_t b)
{
    return bit_get(pairs->row + a * pairs->words, b);
}

void pairs_add(struct pairs *pairs, uint32_t a, uint32_t b)
{
    if (pairs_have(pairs, a, b))
        return;
    bit_set(pairs->row + a * pairs->words, b);
    bit_set(pairs->row + b * pairs->words, a);
    pairs->changed[a] = pairs->changed[b] = ++pairs->clock;
}
