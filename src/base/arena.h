/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is given back all at once: what a parser makes lives exactly as long as its arena. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_chunk *chunks;
    char *next;
    size_t left;
};

/* Zeroed memory for any type, NULL when there is none. */
void *arena_get(struct arena *arena, size_t size);
/* A terminated copy of a text. */
char *arena_copy(struct arena *arena, const char *text, size_t length);
void arena_clear(struct arena *arena);

#endif
