/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting in loops: which steps of a thread lead on, and which only take it round. */
#ifndef NATIVE_AWAITS_H
#define NATIVE_AWAITS_H

#include "native/threads.h"

extern bool awaits_everywhere; /* every read counts as one in a loop: for a schedule that is shown again */

/* A search begins: what was found with fewer places known does not count. */
void awaits_reset(void);
/* Could the operation be one of a loop that only waits? */
bool may_await(const struct pending *operation);
/* Does a loop at these places come back to the same state?  False when they were known before, or memory is short. */
bool learn_places(const uintptr_t *callers, size_t count);
bool is_await_place(uintptr_t caller);

/* The thread has stopped before its pending operation: finds out whether that is one of a loop that only waits. */
void look_for_await(struct thread *thread);
/* It takes an operation, which found this value. */
void remember_await(struct thread *thread, const struct pending *operation, uint64_t value);

/* Does an await lead the agent to where it has not been in this loop, if it finds this value? */
bool leads_on(const struct pending *operation, uint64_t value);
/* The same for the agent that waits there, if it goes round the loop with the values of now. */
bool goes_on_by_going_round(uint32_t agent);

#endif
