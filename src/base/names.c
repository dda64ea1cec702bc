/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <string.h>
#include <xxhash.h>

/* The slot that holds the name, or the free one where it belongs; there is at least one. */
static size_t find_slot(const struct names *names, const char *name, size_t length)
{
    size_t at = XXH3_64bits(name, length) & (names->slots - 1);
    for (; names->slot[at]; at = (at + 1) & (names->slots - 1)) {
        const char *other = names_get(names, names->slot[at] - 1);
        if (strncmp(other, name, length) == 0 && other[length] == '\0')
            break;
    }
    return at;
}

/* Keeps at least half of the slots free. */
static bool make_room(struct names *names)
{
    if (names->position.count < names->slots / 2)
        return true;
    size_t slots = names->slots ? 2 * names->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    for (uint32_t number = 0; number < names_count(names); number++) {
        const char *name = names_get(names, number);
        slot[find_slot(names, name, strlen(name))] = number + 1;
    }
    return true;
}

bool names_find(const struct names *names, const char *name, uint32_t *number)
{
    size_t at = names->slots ? find_slot(names, name, strlen(name)) : 0;
    if (!names->slots || !names->slot[at])
        return false;
    *number = names->slot[at] - 1;
    return true;
}

bool names_add(struct names *names, const char *name, uint32_t *number)
{
    return names_add_piece(names, name, strlen(name), number);
}

bool names_add_piece(struct names *names, const char *name, size_t length, uint32_t *number)
{
    if (!make_room(names))
        return false;
    uint32_t *slot = &names->slot[find_slot(names, name, length)];
    if (!*slot) {
        if (names->position.count >= NAMES_MOST || !vector_reserve(&names->text, length + 1) ||
            !vector_push(&names->position, names->text.count))
            return false;
        memcpy(names->text.item + names->text.count, name, length);
        names->text.count += length;
        names->text.item[names->text.count++] = '\0';
        *slot = names_count(names);
    }
    *number = *slot - 1;
    return true;
}

void names_clear(struct names *names)
{
    free(names->text.item);
    free(names->position.item);
    free(names->slot);
    memset(names, 0, sizeof *names);
}
