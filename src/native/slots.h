/* SPDX-License-Identifier: Apache-2.0 */
/* Where the memory of threads is: a slot for each, with its stack, its thread-local variables and its heap. */
#ifndef NATIVE_SLOTS_H
#define NATIVE_SLOTS_H

#include "native/locals.h"
#include "native/threads.h"

enum {
    SLOT_SKEW = 9 * PAGE, /* slots must not share cache sets */
    CHUNK = 1 << 16,
    WHOLE = 8 /* all of the bytes of a word, or of a chunk, are part of a block; less: so many */
};

extern struct region {
    unsigned char *start;
    size_t size;
    uint32_t slot_shift;        /* a slot has 1 << slot_shift bytes */
    size_t heap_offset;         /* where the heap begins in a slot */
    size_t stack_room;          /* of each slot, at its beginning */
    size_t given_offset;        /* and, before the heap, what main is given: arguments and environment */
    unsigned char *chunk_state; /* per chunk, ... */
    unsigned char *word_state;  /* ... and per 8 bytes: how much of it the program may touch */
    uintptr_t variables;        /* of the program, where they begin */
    size_t variables_size;
} region;

static inline bool in_region(uintptr_t address)
{
    return address - (uintptr_t)region.start < region.size;
}

/* Of an address in the region: whose slot it is in, and how far from its beginning. */
static inline uint32_t slot_with(uintptr_t address)
{
    return (uint32_t)((address - (uintptr_t)region.start) >> region.slot_shift);
}

static inline unsigned char *slot_of(uint32_t agent)
{
    return region.start + ((size_t)agent << region.slot_shift) + (size_t)agent * SLOT_SKEW;
}

static inline size_t offset_in_slot(uintptr_t address)
{
    return address - (uintptr_t)slot_of(slot_with(address));
}

static inline size_t chunk_of(uintptr_t address)
{
    return (address - (uintptr_t)region.start) / CHUNK;
}

static inline bool is_on_heap(uintptr_t address)
{
    return in_region(address) && offset_in_slot(address) >= region.heap_offset;
}

/* Whose heap the address is in, or NO_AGENT. */
static inline uint32_t heap_owner(uintptr_t address)
{
    return is_on_heap(address) ? slot_with(address) : NO_AGENT;
}

/* Whose stack or thread-local variables the address is in, or NO_AGENT. */
static inline uint32_t stack_owner(uintptr_t address)
{
    if (in_region(address))
        return offset_in_slot(address) < region.given_offset ? slot_with(address) : NO_AGENT;
    return is_own_local(&threads[0], address) ? 0 : NO_AGENT;
}

/* Where the race detector keeps what it knows of a word: a number below shadow_words(), or SIZE_MAX. */
static inline size_t shadow_word(uintptr_t address)
{
    size_t first = region.size / 8;
    if (in_region(address))
        return (address - (uintptr_t)region.start) / 8;
    if (address - region.variables < region.variables_size)
        return first + (address - region.variables) / 8;
    uintptr_t start = (uintptr_t)locals.start & ~(uintptr_t)7;
    return is_own_local(&threads[0], address) ? first + region.variables_size / 8 + 1 + (address - start) / 8
                                              : SIZE_MAX;
}

static inline size_t shadow_words(void)
{
    return region.size / 8 + region.variables_size / 8 + locals.size / 8 + 3;
}

#endif
