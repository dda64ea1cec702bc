/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sequences.h"

#include "base/limits.h"

#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 256 };

void sequences_clear(struct sequences *s)
{
    free(s->items.item);
    free(s->ends.item);
    free(s->slot);
    memset(s, 0, sizeof *s);
}

size_t sequences_bytes(const struct sequences *s)
{
    return s->items.capacity * sizeof *s->items.item + s->ends.capacity * sizeof *s->ends.item +
           s->slots * sizeof *s->slot;
}

/* Where the sequence is, or would go. */
static uint32_t find_slot(const struct sequences *s, const uint32_t *items, size_t length)
{
    uint32_t at = (uint32_t)XXH3_64bits(items, length * sizeof *items) & (s->slots - 1);
    for (; s->slot[at]; at = (at + 1) & (s->slots - 1)) {
        size_t found_length;
        const uint32_t *found = sequence_get(s, s->slot[at] - 1, &found_length);
        if (found_length == length && (length == 0 || memcmp(found, items, length * sizeof *items) == 0))
            break;
    }
    return at;
}

static bool grow_table(struct sequences *s)
{
    if (s->slots > UINT32_MAX / 4)
        return false;
    uint32_t slots = s->slots ? s->slots * 2 : FIRST_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
    for (uint32_t i = 0; i < s->count; i++) {
        size_t length;
        const uint32_t *items = sequence_get(s, i, &length);
        s->slot[find_slot(s, items, length)] = i + 1;
    }
    return true;
}

uint32_t sequence_insert(struct sequences *s, const uint32_t *items, size_t length, bool *is_new)
{
    if (limits_reached() || (s->count >= s->slots / 2 && !grow_table(s)))
        return SEQUENCE_NONE;
    uint32_t at = find_slot(s, items, length);
    *is_new = !s->slot[at];
    if (!*is_new)
        return s->slot[at] - 1;
    if (!vector_reserve(&s->items, length + 1) || !vector_push(&s->ends, s->items.count + length))
        return SEQUENCE_NONE;
    if (length)
        memcpy(s->items.item + s->items.count, items, length * sizeof *items);
    s->items.count += length;
    s->slot[at] = ++s->count;
    return s->count - 1;
}
