/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One wake-up tree for several workers, threads or processes: `optimal` with exactly one execution per trace, none
 * blocked, whoever explores what.
 *
 * A leaf of a wake-up tree stands for all that can follow its sequence u.  Whatever is explored from nodes above it and
 * lies to the left of u, or sleeps there, is no weak initial of u: else u would not have been inserted.  So nobody is
 * left asleep at the leaf, and below it is every trace that begins with u, whatever was or was not explored before: the
 * leaves divide the traces between them.  They can be explored in any order, by anybody, and stay in the tree
 * meanwhile: who reverses a race above its own leaf inserts into this tree, which grows as it would if one worker had
 * come from left to right.
 *
 * Why none is missing.  The tree only grows, to the right.  Take its end, a node m, and a trace t from there which has
 * no initial among what sleeps at m (what lies to the left of the way to m, and is in conflict with no step of it) and
 * the children of m.  Let q be one of those that t goes on longest without: w, the events of t that are independent of
 * q, is the longest, and x is the next one.  In an execution that begins with q, w the race of q and x was reversed,
 * and w.x inserted before q: at m, or at a node above that m is below by a prefix of what was inserted.  Then a child
 * of m or a sleeper is a weak initial of w.x: an initial of t, or independent of w and x, so that t goes on longer
 * without it; neither can be.  (JACM 2017, theorem 7.4, in which the order of exploration plays the part of the order
 * in the tree.)  A child of m through which t goes has the same to show, with what sleeps there, for the rest of t.
 *
 * It matters that a worker knows of what sleeps above its leaf but is not explored yet: it counts as if it was.  Below
 * the leaf it would not (struct sleeper, from_above).
 *
 * Whoever has no leaf to explore waits, until somebody who has sees it and puts the part of their own tree that is
 * nearest to the root into the common one.
 */
#ifndef STATELESS_COMMON_TREE_H
#define STATELESS_COMMON_TREE_H

#include "stateless/worker.h"

struct common_node {
    struct common_node *parent, *next, *first, *last; /* children are in the order in which they came */
    struct common_node *front;                        /* the first of them in which something remains */
    struct kept_step step;                            /* that leads here from the parent */
    size_t room;                                      /* for accesses, in step.many */
    enum { HAS_CHILDREN, IS_OPEN, IS_TAKEN, IS_EXPLORED } state;
    uint32_t open;              /* leaves below, or itself, that nobody has taken */
    _Atomic uint32_t remaining; /* those, and the ones that somebody explores */
    bool is_known;              /* somebody has gone through the step */
};

/* In memory that all workers have at the same address, with its nodes. */
struct common_tree {
    size_t bytes; /* that are mapped */
    char *unused; /* from here on; read without the lock, too */
    atomic_flag lock;
    atomic_bool lacks_leaves;     /* somebody waits */
    atomic_bool stopped;          /* somebody has left off: there will be no end */
    atomic_bool differs;          /* what one knows of a step is not what another found: all must learn more */
    atomic_uint_fast64_t counted; /* executions, when their number is limited */
    uint32_t waiting;
    struct common_node *root, *free;
    uint64_t disorder; /* for tests: everything is given away, and taken in an order that this decides; or 0 */
};

/* A tree with one leaf; NULL when there is no memory. */
struct common_tree *common_tree_make(void);
void common_tree_free(struct common_tree *tree);
/* That have ever been used. */
size_t common_tree_bytes(const struct common_tree *tree);

/* Takes a leaf, waiting for one if there is none, and brings the worker there; false when everything is explored, or
 * the search is over. */
bool common_tree_take(struct worker *worker);
/* Everything below the worker's leaf is explored, or it has left off because the search is over. */
void common_tree_leave(struct worker *worker);
/* Gives away what is open nearest to the root, and keeps what lies to the left of that; called at the end of an
 * execution. */
void common_tree_share(struct worker *worker);

/* Inserts a sequence at a node above the worker's leaf; false when memory is short. */
bool common_tree_insert(struct worker *worker, size_t depth, struct remainder *rest);

static inline bool is_in_common_tree(const struct worker *worker, size_t depth)
{
    return depth + 1 < worker->path.count;
}

#endif
