/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of small numbers as arrays of 64-bit words. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t bit_words(uint32_t count)
{
    return ((size_t)count + 63) / 64;
}

static inline bool bit_get(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static inline void bit_set(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void bit_clear(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* for (each member of one word of a set), as a number in the whole set */
#define for_bits(member, word, index)                                                                                  \
    for (uint64_t left_##member = (word);                                                                              \
         left_##member && ((member) = (uint32_t)((index)*64) + (uint32_t)__builtin_ctzll(left_##member), true);        \
         left_##member &= left_##member - 1)

#endif
