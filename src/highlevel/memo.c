/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/memo.h"

#include "base/limits.h"

#include <string.h>

static uint32_t hash(const uint32_t *key, uint32_t count)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < count; i++) {
        h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (uint32_t)(h * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* Keys are short: a call would cost more than the comparison. */
static bool is_equal(const uint32_t *one, const uint32_t *other, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (one[i] != other[i])
            return false;
    return true;
}

/* The slot of the key, or the free one where it belongs. */
static uint32_t *find_slot(const struct memo *memo, const uint32_t *key)
{
    uint32_t mask = memo->slots - 1;
    for (uint32_t at = hash(key, memo->key) & mask;; at = (at + 1) & mask) {
        uint32_t entry = memo->slot[at];
        if (entry == 0 || is_equal(memo->items.item + entry - 1, key, memo->key))
            return &memo->slot[at];
    }
}

const uint32_t *memo_find(const struct memo *memo, const uint32_t *key)
{
    uint32_t entry = memo->slots ? *find_slot(memo, key) : 0;
    return entry ? memo->items.item + entry - 1 + memo->key : NULL;
}

static bool grow(struct memo *memo)
{
    struct memo larger = *memo;
    larger.slots = memo->slots ? memo->slots * 2 : 16;
    if (larger.slots == 0 || !limits_allow(larger.slots * sizeof *larger.slot) ||
        !(larger.slot = calloc(larger.slots, sizeof *larger.slot)))
        return false;
    for (uint32_t i = 0; i < memo->slots; i++)
        if (memo->slot[i])
            *find_slot(&larger, memo->items.item + memo->slot[i] - 1) = memo->slot[i];
    free(memo->slot);
    *memo = larger;
    return true;
}

const uint32_t *memo_add(struct memo *memo, const uint32_t *key, const uint32_t *values, size_t count)
{
    if (memo->count >= memo->slots / 2 && !grow(memo))
        return NULL;
    size_t entry = memo->items.count;
    if (entry >= UINT32_MAX - memo->key - count || !vector_reserve(&memo->items, memo->key + count))
        return NULL;
    memcpy(memo->items.item + entry, key, memo->key * sizeof *key);
    if (count > 0)
        memcpy(memo->items.item + entry + memo->key, values, count * sizeof *values);
    uint32_t *slot = find_slot(memo, key);
    memo->items.count += memo->key + count;
    *slot = (uint32_t)entry + 1;
    memo->count++;
    return memo->items.item + entry + memo->key;
}

void memo_clear(struct memo *memo)
{
    free(memo->items.item);
    free(memo->slot);
    *memo = (struct memo){.key = memo->key};
}
