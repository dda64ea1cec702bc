/* SPDX-License-Identifier: Apache-2.0 */
/* Clock vectors: a number per agent, and zeros up to whole vectors of the processor. */
#ifndef BASE_CLOCK_VECTOR_H
#define BASE_CLOCK_VECTOR_H

#include <stdint.h>

enum { CLOCK_LANES = 4 };

/* Part of a clock, as the compiler's vectors; numbers stay far below 2^31. */
typedef int32_t clock_lanes __attribute__((vector_size(CLOCK_LANES * sizeof(int32_t)), aligned(4), may_alias));

/* The numbers in a clock of so many agents. */
static inline uint32_t clock_width(uint32_t count)
{
    return (count + CLOCK_LANES - 1) / CLOCK_LANES * CLOCK_LANES;
}

/* Takes the later of both. */
static inline void clock_join(uint32_t *restrict clock, const uint32_t *restrict other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i += CLOCK_LANES) {
        clock_lanes *mine = (clock_lanes *)(clock + i);
        clock_lanes theirs = *(const clock_lanes *)(other + i), later = *mine > theirs;
        *mine = (*mine & later) | (theirs & ~later);
    }
}

static inline void clock_copy(uint32_t *restrict clock, const uint32_t *restrict other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i += CLOCK_LANES)
        *(clock_lanes *)(clock + i) = *(const clock_lanes *)(other + i);
}

static inline void clock_clear(uint32_t *clock, uint32_t width)
{
    for (uint32_t i = 0; i < width; i += CLOCK_LANES)
        *(clock_lanes *)(clock + i) = (clock_lanes){0};
}

#endif
