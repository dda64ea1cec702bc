/* SPDX-License-Identifier: Apache-2.0 */
/* Trying what a thread does next, without its having done it. */
#ifndef NATIVE_TRIAL_H
#define NATIVE_TRIAL_H

#include "native/failure.h"
#include "native/threads.h"

enum { MOST_TRIED_READS = 32 };

/* A thread that has stopped: all that it needs to go on from there. */
struct snapshot {
    uint32_t agent;
    int error_number;
    uint64_t replaced;
    void *stack_pointer;
    size_t stack_size;
    unsigned char bytes[]; /* its stack, and then its thread-local variables */
};

struct trial_read {
    uintptr_t address;
    uint64_t content;
    size_t size; /* up to 8 */
};

struct trial {
    /* given: from where, with which result of the operation there, ... */
    const struct snapshot *snapshot;
    const struct pending *operation;
    unsigned __int128 result;
    uint64_t value; /* ... and with this in its memory */
    /* found */
    struct thread *thread; /* which has stopped, unless */
    bool is_over;          /* it did more than read */
    bool touches_own;      /* its own stack or thread-local variables, which others touch as well */
    uint32_t read_count;
    struct trial_read reads[MOST_TRIED_READS]; /* of memory that is not its own */
};

/* NULL when memory is short. */
struct snapshot *snapshot_make(const struct thread *thread);

/* Between these the thread is as the trial has left it; the second puts everything back.  False when memory is short,
 * and then there is nothing to end. */
bool trial_begin(struct trial *trial);
void trial_end(struct trial *trial);
/* Between them: the value that it has found was somebody else's, and is no part of its state, be it on its stack. */
void trial_forget_value(const struct trial *trial);

/* The running thread, which is being tried, accesses memory that others may access too; does not return when that ends
 * the trial. */
void trial_access(uintptr_t address, size_t size, bool writes);

/* Puts a value into the memory of an operation, if it has any, for a while; returns what was there. */
uint64_t exchange_memory(const struct pending *operation, uint64_t value);

#endif
