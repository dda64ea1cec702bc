/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-local variables. */
#ifndef NATIVE_LOCALS_H
#define NATIVE_LOCALS_H

#include "native/threads.h"

extern struct locals {
    unsigned char *start; /* main's own */
    size_t size;
    uintptr_t base;         /* the thread pointer of this process's one thread */
    ptrdiff_t error_number; /* where errno is from there */
} locals;

bool locals_make(void);
/* How much room those of a thread take in its slot. */
size_t locals_bytes(void);
/* As they are when a thread begins, at this place, which is aligned to pages; false when there is no memory. */
bool locals_begin(uint32_t agent, unsigned char *room);

/* Are these those of the thread? */
static inline bool is_own_local(const struct thread *thread, uintptr_t address)
{
    return address - (uintptr_t)thread->local < locals.size;
}

#endif
