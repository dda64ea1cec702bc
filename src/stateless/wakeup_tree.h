/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wake-up tree of a node: the sequences of steps that are still to be explored from it, in order.  A leaf stands
 * for everything that can follow it.  A backtrack set is a wake-up tree of single steps.
 */
#ifndef STATELESS_WAKEUP_TREE_H
#define STATELESS_WAKEUP_TREE_H

#include "stateless/sequence.h"

/* A step, with its accesses kept in it. */
struct kept_step {
    uint32_t agent;
    uint32_t access_count;
    uint64_t touched, written;
    struct portolan_access few[2]; /* most steps touch no more */
    struct portolan_access *many;  /* else here */
};

bool kept_step_make(struct kept_step *kept, const struct footprint *step);

static inline struct footprint kept_footprint(const struct kept_step *kept)
{
    return (struct footprint){kept->agent, kept->access_count, kept->touched, kept->written,
                              kept->many ? kept->many : kept->few};
}

struct wakeup_node {
    struct wakeup_node *next;         /* sibling */
    struct wakeup_node *first, *last; /* children */
    struct kept_step step;
};

/* The branches at the root. */
struct wakeup_tree {
    struct wakeup_node *first, *last;
};

/* Appends the sequence as a branch of its own; false when memory is short. */
bool wakeup_append(struct wakeup_tree *tree, const struct sequence *sequence);
/* The paper's insert: goes down the first branches whose steps are weak initials of what is left of the sequence, and
 * adds what is left then; nothing when that ends in a leaf. */
bool wakeup_insert(struct wakeup_tree *tree, const struct sequence *sequence);
/* Takes the first branch out; *rest gets the tree below its step. */
void wakeup_take_first(struct wakeup_tree *tree, struct wakeup_tree *rest);
/* Takes out the first branch that begins with an agent; false when there is none. */
bool wakeup_take_agent(struct wakeup_tree *tree, uint32_t agent, struct wakeup_tree *rest);
bool wakeup_has_agent(const struct wakeup_tree *tree, uint32_t agent);
void wakeup_clear(struct wakeup_tree *tree);

#endif
