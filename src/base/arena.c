/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/limits.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14 };

struct arena_chunk {
    struct arena_chunk *before;
    alignas(max_align_t) char bytes[];
};

void *arena_get(struct arena *arena, size_t size)
{
    size_t unit = alignof(max_align_t);
    if (limits_reached())
        return NULL;
    size = (size + unit - 1) / unit * unit;
    if (size > arena->left) {
        size_t bytes = size > CHUNK ? size : CHUNK;
        struct arena_chunk *chunk = calloc(1, sizeof *chunk + bytes);
        if (!chunk)
            return NULL;
        chunk->before = arena->chunks;
        arena->chunks = chunk;
        arena->next = chunk->bytes;
        arena->left = bytes;
    }
    void *got = arena->next;
    arena->next += size;
    arena->left -= size;
    return got;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_get(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void arena_clear(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks, *before; chunk; chunk = before) {
        before = chunk->before;
        free(chunk);
    }
    memset(arena, 0, sizeof *arena);
}
