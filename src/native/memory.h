/* SPDX-License-Identifier: Apache-2.0 */
/* The program's memory: variables, stacks and heaps, and malloc. */
#ifndef NATIVE_MEMORY_H
#define NATIVE_MEMORY_H

#include "native/slots.h"

/* Memory for the runtime itself, zero, never given back; NULL when there is none. */
void *reserve(size_t size);
bool is_reserved(uintptr_t address);

bool memory_make(void);
/* Everything as it was when main began. */
void memory_reset(void);
/* A hash of all the program's memory except the stacks. */
uint64_t memory_hash(void);

/* A part of the program's variables that lies together. */
struct piece {
    unsigned char *start, *copy; /* as they were when main began */
    size_t size;
};
enum { PIECES = 2 };
const struct piece *program_variables(void);

/* --- stacks */

/* The stack and the heap of a thread, when it is created; false when there is no memory. */
bool thread_memory(uint32_t agent);
/* Makes the stack of a thread that has not begun at least this large; false: there are none so large. */
bool stack_hold(uint32_t agent, size_t size);
/* Is this code of the program? */
bool is_program_text(uintptr_t caller);

/* --- blocks */

/* What stands before a block. */
struct block {
    size_t size;
    uintptr_t allocated, freed; /* by whom; freed is 0 while it lives */
    uint64_t mark;
};

/* malloc and realloc for code of the program. */
void *program_malloc(size_t size, uintptr_t caller);
void *program_realloc(void *memory, size_t size, uintptr_t caller);
/* What made a block, and has to be undone by its own kind. */
enum maker { BY_MALLOC, BY_NEW, BY_NEW_ARRAY, BY_MMAP };
/* The same for operator new and operator delete. */
void *program_new(size_t size, size_t alignment, enum maker maker, uintptr_t caller);
void program_delete(void *memory, enum maker maker, uintptr_t caller);
/* Forgets what a thread allocated beyond what it has now: it had `used` bytes. */
void heap_shrink(const struct thread *thread, size_t used);
/* Fails when the bytes are no part of a live block though they are in the heap. */
void check_blocks(uintptr_t address, size_t size, bool writes, uintptr_t caller);
/* The same as a question. */
bool blocks_are_live(uintptr_t address, size_t size);
static inline void check_heap(uintptr_t address, size_t size, bool writes, uintptr_t caller)
{
    if (is_on_heap(address))
        check_blocks(address, size, writes, caller);
}

static inline bool is_in_large_block(uintptr_t address)
{
    return in_region(address) && region.chunk_state[chunk_of(address)] == WHOLE;
}
/* Large blocks are watched only once another thread than their owner has touched them: the first address from this one
 * on that is.  The search begins again when there is news. */
uintptr_t skip_unshared_chunks(uint32_t agent, uintptr_t address);
static inline uintptr_t skip_unshared(uint32_t agent, uintptr_t address)
{
    return is_in_large_block(address) ? skip_unshared_chunks(agent, address) : address;
}
/* The next block of a thread's heap; the first when block is NULL. */
struct block *block_after(struct block *block, uint32_t agent);
/* The block that the address points into, or NULL. */
struct block *block_with(uintptr_t address);
/* Describes an address in the heap: the block it belongs to. */
bool describe_block(uintptr_t address, char *text, size_t size);
/* leaks.c: if the run is over and there is a leak, it fails. */
void look_for_leaks(void);

#endif
