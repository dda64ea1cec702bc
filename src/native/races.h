/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of memory: data races, and memory that is not there. */
#ifndef NATIVE_RACES_H
#define NATIVE_RACES_H

#include "native/failure.h"
#include "native/threads.h"

/* The earlier access of the race that is being reported: the run ends there. */
extern struct watch {
    bool on;
    struct failure race;
} watch;

bool races_make(void);
void races_reset(void);
void note_access(uintptr_t address, size_t size, bool writes, uintptr_t caller);
/* A block is freed: a write to all of it, and the last one. */
void note_free(uintptr_t address, size_t size, uintptr_t caller);
void note_atomic(uint32_t agent, const struct pending *operation, bool writes);
/* The thread ends, and with it its stack: who has used that without order may come too late. */
void note_end(uint32_t agent);
/* Does another thread than this write there by accesses that are not atomic, or, if `atomically`, somebody by others?
 * If so later, or in another execution, the search begins again. */
bool is_written_by_others(uint32_t agent, uintptr_t address, size_t size, bool atomically);
/* A mutex or its like in the heap must be there: it races with who frees it. */
void note_object(uint32_t agent, const struct pending *operation);

/* --- allocations.c */

bool allocations_make(void);
/* The present thread gets a block. */
void note_allocation(uintptr_t start, size_t size, uintptr_t caller);
/* Was the block with this address, in the heap of another thread, not allocated before what the agent does now?  Says
 * where it was. */
bool find_unordered_allocation(uint32_t agent, uint32_t owner, uintptr_t address, struct failure *failure);

/* --- frames.c */

/* Fails when the address, which is in the owner's stack or among its thread-local variables, is no longer there.  The
 * running thread has nothing below `frame`, another one nothing below where it stopped. */
void check_frames(uint32_t owner, uint32_t agent, uintptr_t address, uintptr_t frame, bool writes, uintptr_t caller);

#endif
