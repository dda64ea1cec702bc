/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node of the exploration: a point of some execution, with the ways to go on
 * that are still to be explored and those that need not be.
 *
 * Several workers may have a node on their stacks; whoever looks at or changes
 * its lists holds its lock.
 */
#ifndef STATELESS_NODE_H
#define STATELESS_NODE_H

#include "stateless/plan.h"

#include <stdatomic.h>

/* A step that need not come next: it was explored from here, or from a node before with nothing in conflict since. */
struct nap {
    struct kept_step step; /* its accesses are owned by the node that explored it */
    bool explored_here;
    bool from_above; /* from where the search is split: races with what was explored there are not reversed */
};

struct node {
    atomic_flag lock;
    atomic_uint references; /* stacks it is on */
    bool entered;           /* a worker has chosen its first way on */
    uint32_t explored;      /* ways taken from here */
    uint32_t preemptions;   /* on the way to here; only where they are bounded */
    struct plans wanted;    /* to be explored, in this order */
    VECTOR(struct nap) naps;
    struct node *next_free;
    uint64_t *enabled; /* which agents are; only where a method asks for it */
    uint64_t *ended;   /* agents known to have no step any more, here and below */
    uint64_t asleep[]; /* the agents of naps */
};

struct node_pool {
    size_t words; /* of a set of agents */
    struct node *free;
    size_t nodes;
};

struct node *node_make(struct node_pool *pool);
/* One stack less; the last one gives the node back to its pool. */
void node_release(struct node_pool *pool, struct node *node);
void node_pool_clear(struct node_pool *pool);
size_t node_pool_bytes(const struct node_pool *pool);

void node_lock(struct node *node);
void node_unlock(struct node *node);

/* Records that a step is being explored from here; false when memory is short. */
bool node_explore(struct node *node, const struct footprint *step);
/* Gives a new child, reached by a step, the naps of its parent that the step does not disturb. */
bool node_inherit(struct node *child, const struct node *parent, const struct footprint *step, bool above_split);
/* Does a step that sleeps here lead to every continuation of the sequence? */
bool node_sleeps_through(const struct node *node, const struct sequence *sequence);

#endif
