/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the program's heaps, for those who look at all of them. */
#ifndef NATIVE_MEMORY_H
#define NATIVE_MEMORY_H

#include "native/runtime.h"

/* What stands before a block. */
struct block {
    size_t size;
    uintptr_t allocated, freed; /* by whom; freed is 0 while it lives */
    uint64_t mark;
};

/* The next block of a thread's heap; the first when block is NULL. */
struct block *block_after(struct block *block, uint32_t agent);
/* The block that the address points into, or NULL. */
struct block *block_with(uintptr_t address);
/* Whose heap it is in. */
uint32_t owner_of(const struct block *block);
/* If the run is over and there is a leak, it fails. */
void look_for_leaks(void);

#endif
