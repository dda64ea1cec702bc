/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a loop that only waits: states of threads before reads, and where the values lead that they can find. */
#ifndef NATIVE_AWAIT_GRAPH_H
#define NATIVE_AWAIT_GRAPH_H

#include "native/await_memory.h"
#include "native/trial.h"

enum { LEADS_OUT = 0 };

struct edge {
    uint64_t value;
    uint32_t next;    /* a node + 1, or LEADS_OUT */
    bool is_unstable; /* others write to what is read on the way there, by accesses that are no steps */
    bool touches_own; /* it accesses its own stack, which others know */
    uint32_t read_count;
    struct trial_read *reads; /* of other memory */
};

/* Forgets everything. */
void await_graph_reset(void);
/* The node at which the thread has stopped, + 1; 0: it is none, or memory is short. */
uint32_t node_of(struct thread *thread);
/* The same, but what others have written to its stack is part of its state: for when nobody goes on. */
uint32_t node_as_it_is(struct thread *thread);
/* What the thread does at a node. */
const struct pending *operation_of(uint32_t node);
/* What the thread at a node would find now. */
uint64_t value_at(uint32_t node);
/* Where it goes that finds a value, and this in other memory.  The answer is good until the next question. */
const struct edge *edge_of(uint32_t node, uint64_t value, uint32_t memory);
/* Does the agent's operation only read, if it finds this value? */
bool only_reads(const struct pending *operation, uint32_t agent, uint64_t value);

#endif
