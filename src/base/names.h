/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of names: each gets a number, from 0 in the order in which they are
 * added, and is found again by hashing.  A zeroed struct is an empty table.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/vector.h"

struct names {
    VECTOR(char) text;       /* all names, each terminated */
    VECTOR(size_t) position; /* in the text, one a name */
    uint32_t *slot;          /* open addressing; number + 1, 0 is free */
    size_t slots;            /* a power of two */
};

enum { NAMES_MOST = INT32_MAX };

static inline uint32_t names_count(const struct names *names)
{
    return (uint32_t)names->position.count;
}

/* Valid until the next name is added. */
static inline const char *names_get(const struct names *names, uint32_t number)
{
    return names->text.item + names->position.item[number];
}

bool names_find(const struct names *names, const char *name, uint32_t *number);
/* Adds a name unless it is there; false when memory is exhausted or there are NAMES_MOST. */
bool names_add(struct names *names, const char *name, uint32_t *number);
/* The same for a name that is not terminated. */
bool names_add_piece(struct names *names, const char *name, size_t length, uint32_t *number);
void names_clear(struct names *names);

#endif
