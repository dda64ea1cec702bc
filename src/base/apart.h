/* SPDX-License-Identifier: Apache-2.0 */
/* What one thread writes all the time shares no line of the cache with what others read, or they would wait for it. */
#ifndef BASE_APART_H
#define BASE_APART_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

/* As calloc, in lines of its own; released by free. */
static inline void *calloc_apart(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - CACHE_LINE) / size)
        return NULL;
    size_t bytes = count * size / CACHE_LINE * CACHE_LINE + CACHE_LINE; /* not 0 */
    void *memory = aligned_alloc(CACHE_LINE, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

#endif
