/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, ending and joining threads. */
#ifndef NATIVE_BIRTHS_H
#define NATIVE_BIRTHS_H

#include "native/threads.h"

/* What threads do without taking a step. */
extern struct silent_operations {
    bool wanted; /* it is to be shown, so they stop for it */
    size_t count;
} silent;

/* Makes a thread, which starts with `entry`; false after a failure. */
bool thread_begin(uint32_t agent, void (*entry)(void));
/* If the thread's next operation is not a step of the search, does it; true when the thread can go on. */
bool happens_at_once(uint32_t agent);

/* Creates a thread of ours that nobody joins (threads.c). */
void create_counter(void *(*function)(void *), void *argument, uintptr_t caller);

#endif
