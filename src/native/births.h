/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, ending and joining threads. */
#ifndef NATIVE_BIRTHS_H
#define NATIVE_BIRTHS_H

#include "base/vector.h"
#include "native/threads.h"

/* What threads did without taking a step, kept for the report. */
extern struct silent_operations {
    bool wanted;
    VECTOR(struct silent {
        uint32_t agent;
        struct pending operation;
    })
    list;
} silent;

/* Makes a thread, which starts with `entry`; false after a failure. */
bool thread_begin(uint32_t agent, void (*entry)(void));
/* If the thread's next operation is not a step of the search, does it; true when the thread can go on. */
bool happens_at_once(uint32_t agent);

/* Creates a thread of ours that nobody joins (threads.c). */
void create_counter(void *(*function)(void *), void *argument, uintptr_t caller);

#endif
