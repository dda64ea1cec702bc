/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are the same for the same seed: splitmix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014). */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

#define RANDOM_STRIDE UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t random_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The next number; *state begins as the seed. */
static inline uint64_t random_next(uint64_t *state)
{
    return random_mix(*state += RANDOM_STRIDE);
}

/* One of 0 ... count - 1. */
static inline uint32_t random_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)((random_next(state) >> 32) * count >> 32);
}

#endif
