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

#include "stateless/wakeup_tree.h"

#include <stdatomic.h>

/*
 * A member of the sleep set (Godefroid, "Partial-order methods for the verification of concurrent systems", LNCS 1032,
 * 1996, chapter 5): its step need not come next, because it was explored from this node, or from an earlier one and no
 * step since then was in conflict with it.
 */
struct sleeper {
    struct kept_step step; /* its accesses are owned by the node that explored it */
    bool explored_here;
    bool from_above; /* explored above the depth of a split search, where races are not reversed */
};

struct node {
    bool shared; /* between several workers: only then it must be locked */
    atomic_flag lock;
    atomic_uint references;       /* stacks it is on */
    bool entered;                 /* a worker has chosen its first way on */
    uint32_t explored;            /* ways taken from here */
    uint32_t preemptions;         /* on the way to here; only where they are bounded */
    struct wakeup_tree backtrack; /* to be explored, in this order; a backtrack set is a tree of single steps */
    VECTOR(struct sleeper) sleep_set;
    struct node *next_free;
    uint64_t *enabled;    /* which agents are; only where a method asks for it */
    uint64_t *ended;      /* agents known to have no step any more, here and below */
    uint64_t *backtracks; /* agents that a branch of the backtrack set begins with */
    uint64_t asleep[];    /* the agents of the sleep set */
};

struct node_pool {
    size_t words; /* of a set of agents */
    bool shared;
    struct node *free;
    size_t nodes;
    struct wakeup_pool wakeup;
};

struct node *node_make(struct node_pool *pool);
/* One stack less; the last one gives the node back to its pool. */
void node_release(struct node_pool *pool, struct node *node);
void node_pool_clear(struct node_pool *pool);
size_t node_pool_bytes(const struct node_pool *pool);

void node_wait_for_lock(struct node *node);

static inline void node_lock(struct node *node)
{
    if (node->shared)
        node_wait_for_lock(node);
}

static inline void node_unlock(struct node *node)
{
    if (node->shared)
        atomic_flag_clear_explicit(&node->lock, memory_order_release);
}

/* Adds a sequence to the backtrack set of a node, which is locked: as a branch of agents, or by inserting it into a
 * wake-up tree.  False when memory is short. */
bool node_add_branch(struct node_pool *pool, struct node *node, const struct sequence *sequence);
bool node_insert(struct node_pool *pool, struct node *node, struct remainder *sequence);
/* Adds to a prefix of a sequence what tells it from the steps that sleep here, none of which can begin the sequence. */
void node_tell_apart(const struct node *node, struct prefix *prefix, const struct remainder *sequence);
/* Takes out the branch of an agent, if there is one; *rest is what follows its step, *hint may be NULL. */
void node_take_branch(struct node_pool *pool, struct node *node, uint32_t agent, struct wakeup_tree *rest,
                      struct hint **hint);
/* Takes out all of the backtrack set. */
struct wakeup_tree node_take_backtrack(struct node_pool *pool, struct node *node);
/* Gives a node that is new its backtrack set. */
void node_set_backtrack(struct node *node, struct wakeup_tree tree);

/* Records that a step is being explored from here; false when memory is short. */
bool node_explore(struct node *node, const struct footprint *step);
/* Gives a new child, reached by a step, the sleepers of its parent that the step does not wake. */
bool node_inherit(struct node *child, const struct node *parent, const struct footprint *step, bool above_split);
/* Forgets what was explored from a node; what sleeps since before goes on sleeping. */
void node_wake_explored(struct node *node);
/* Is a step that sleeps here a weak initial of the sequence, of which all is left?  Then every continuation of it was
 * explored, or will be.  What that depends on is noted.  Where they were explored by somebody else it may not be enough
 * that they are none of the sequence's own: of those that `trusted` names, it is. */
enum trusted { EXPLORED_HERE_ALONE, EXPLORED_FROM_HERE, EXPLORED_ANYWHERE };
bool node_sleeps_through(const struct node *node, struct remainder *sequence, enum trusted trusted);
/* Which sleeping step's race does what has to be done for the race of the step explored last?  They have the last step
 * of the sequence in common, which neither waits nor varies; its events touch what is in `beside`, and are of some of
 * the `agents`, a bit for each modulo 64.  Or NULL. */
const struct kept_step *node_reverses_otherwise(const struct node *node, const struct footprint *last,
                                                const struct masks *beside, uint64_t agents);

#endif
