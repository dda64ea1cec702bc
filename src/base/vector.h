/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing array of any plain type:
 *
 *     struct { uint32_t *item; size_t count, capacity; } edges = {0};
 *     if (!vector_push(&edges, 7)) ... out of memory, edges is as before
 *     free(edges.item);
 */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VECTOR(type)                                                                                                   \
    struct {                                                                                                           \
        type *item;                                                                                                    \
        size_t count, capacity;                                                                                        \
    }

/* Makes room for `more` further items. */
#define vector_reserve(vector, more)                                                                                   \
    vector_grow((void **)&(vector)->item, &(vector)->capacity, (vector)->count + (more), sizeof *(vector)->item)

#define vector_push(vector, value)                                                                                     \
    (((vector)->count < (vector)->capacity || vector_reserve(vector, 1)) &&                                            \
     ((vector)->item[(vector)->count++] = (value), true))

static inline bool vector_grow(void **items, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return true;
    size_t larger = *capacity + *capacity / 2 + 8;
    if (larger < wanted)
        larger = wanted;
    if (larger > SIZE_MAX / size)
        return false;
    void *moved = realloc(*items, larger * size);
    if (!moved)
        return false;
    *items = moved;
    *capacity = larger;
    return true;
}

#endif
