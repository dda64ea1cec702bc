/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wake-up tree of a node: the sequences of steps that are still to be explored from it, in order.  A leaf stands
 * for everything that can follow it.  A backtrack set is a wake-up tree of single steps.
 */
#ifndef STATELESS_WAKEUP_TREE_H
#define STATELESS_WAKEUP_TREE_H

#include "stateless/hint.h"

struct archive;

enum { KEPT_FEW = 2 }; /* most steps touch no more objects */

/* A step, with its accesses kept in it. */
struct kept_step {
    uint32_t agent;
    uint32_t access_count;
    uint64_t touched, written;
    struct portolan_access few[KEPT_FEW];
    struct portolan_access *many; /* where there are more; else NULL */
};

bool kept_step_make(struct kept_step *kept, const struct footprint *step);

static inline struct footprint kept_footprint(const struct kept_step *kept)
{
    return (struct footprint){kept->agent, kept->access_count, kept->touched, kept->written,
                              kept->many ? kept->many : kept->few};
}

/* Is the step, of an agent without an item, in conflict with the last one of the sequence?  Then it is no weak initial.
 * Most that are none are told by this: the race was reversed for the last step. */
static inline bool meets_last(const struct remainder *rest, const struct kept_step *step)
{
    const struct footprint *last = &rest->sequence->last;
    uint64_t common = common_objects(step->touched, step->written, last->touched, last->written);
    if (!common || rest->agents >> (step->agent % 64) & 1 || rest->start == rest->end || !is_last(rest, rest->end - 1))
        return false;
    return is_certain(common) || accesses_conflict(step->many ? step->many : step->few, step->access_count,
                                                   last->accesses, last->access_count);
}

/* Adds to a prefix what tells it from a step: prefix_tell_apart. */
static inline void tell_apart(struct prefix *prefix, const struct remainder *rest, const struct kept_step *kept)
{
    struct footprint step = kept_footprint(kept);
    if (!meets_last(rest, kept))
        prefix_tell_apart(prefix, rest, &step);
}

struct wakeup_node {
    struct wakeup_node *next;  /* sibling */
    struct wakeup_node *first; /* child */
    struct hint *hint;         /* of a leaf, or NULL */
    struct kept_step step;
};

/* The branches at the root.  No two begin with the same agent. */
struct wakeup_tree {
    struct wakeup_node *first, *last;
    struct masks masks; /* of all steps in it, and perhaps of some that were taken */
    uint64_t agents;    /* theirs, a bit for each modulo 64 */
};

/* Nodes that are not in use, and the blocks that all are in. */
struct wakeup_pool {
    struct wakeup_node *free, *blocks;
    size_t bytes; /* of the blocks, and of hints */
};

/* Appends the agents of the sequence as a branch of its own, without what their steps touch: for trees in which nothing
 * is inserted.  False when memory is short. */
bool wakeup_append(struct wakeup_pool *pool, struct wakeup_tree *tree, const struct sequence *sequence);
/* The paper's insert: goes down the first branches whose steps are weak initials of what is left of a sequence.  Does
 * that end in a leaf? */
bool wakeup_covers(const struct wakeup_tree *tree, struct remainder *rest);
/* If not: adds a prefix of what is left then, beginning again with all of the sequence.  It tells it from what
 * sleeps; what else it needs is added. */
bool wakeup_insert(struct wakeup_pool *pool, struct wakeup_tree *tree, struct remainder *rest, struct prefix *prefix);
/* Takes out the branch that begins with an agent; *rest gets the tree below its step, *hint the hint if it is a leaf.
 * False when there is none. */
bool wakeup_take_agent(struct wakeup_pool *pool, struct wakeup_tree *tree, uint32_t agent, struct wakeup_tree *rest,
                       struct hint **hint);
/* Is the step one of another agent, and independent of all in the tree?  It may be without this being told. */
static inline bool wakeup_is_beside(const struct wakeup_tree *tree, const struct footprint *step)
{
    struct masks masks = {step->touched, step->written};
    return !(tree->agents >> (step->agent % 64) & 1) && !masks_meet(&masks, &tree->masks);
}

/* The hint of the leaf that comes first, or NULL. */
struct hint *wakeup_first_hint(const struct wakeup_tree *tree);
/* A tree, into a file or out of it. */
void wakeup_keep(struct wakeup_pool *pool, struct wakeup_tree *tree, struct archive *archive);
void kept_step_keep(struct kept_step *step, struct archive *archive);
/* Frees a hint that was taken from a tree; or NULL. */
void wakeup_free_hint(struct wakeup_pool *pool, struct hint *hint);
void wakeup_clear(struct wakeup_pool *pool, struct wakeup_tree *tree);
void wakeup_pool_clear(struct wakeup_pool *pool);

#endif
