/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting in loops: which steps of a thread lead on, and which only take it round. */
#ifndef NATIVE_AWAITS_H
#define NATIVE_AWAITS_H

#include "native/threads.h"

extern bool awaits_are_off; /* every read is a step: for a schedule that is run again, whatever is known of loops */

/* A search begins: what was found with fewer places known does not count. */
void awaits_reset(void);
/* Could the operation be one of a loop that only waits? */
bool may_await(const struct pending *operation);
/* A loop at these places comes back to the same state.  False when they were known before, or memory is short. */
bool learn_places(const uintptr_t *callers, size_t count);

/* The thread has stopped before its pending operation: finds out whether that is one of a loop that only waits. */
void look_for_await(struct thread *thread);
/* It takes an operation, which found this value. */
void remember_await(struct thread *thread, const struct pending *operation, uint64_t value);

/* Does an await lead the agent to where it has not been in this loop, if it finds this value? */
bool leads_on(const struct pending *operation, uint64_t value);
/* Paths through loops: is a node on it, where does it end, and has nothing come before it, in the same loop? */
bool has_been(uint32_t path, uint32_t node);
uint32_t node_at_end(uint32_t path);
bool is_first_round(uint32_t path);

/* Is the thread in a loop that it never leaves with what is in memory now? */
bool goes_round_for_ever(struct thread *thread);

#endif
