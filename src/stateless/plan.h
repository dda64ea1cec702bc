/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is still to be explored from a node: a tree of steps, in order.  A leaf
 * stands for everything that can follow it.
 */
#ifndef STATELESS_PLAN_H
#define STATELESS_PLAN_H

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

struct plan {
    struct plan *next;         /* sibling */
    struct plan *first, *last; /* children */
    struct kept_step step;
};

/* A list of siblings. */
struct plans {
    struct plan *first, *last;
};

/* Appends the sequence as a branch of its own; false when memory is short. */
bool plans_append(struct plans *plans, const struct sequence *sequence);
/* Adds what is missing so that the sequence is covered: it goes down the first branches that it could begin with, and
 * nothing is added where that ends in a leaf. */
bool plans_insert(struct plans *plans, const struct sequence *sequence);
/* Takes the first branch out; what followed its step, by the way of *rest. */
void plans_take_first(struct plans *plans, struct plans *rest);
/* Takes out the first branch that begins with an agent; false when there is none. */
bool plans_take_agent(struct plans *plans, uint32_t agent, struct plans *rest);
bool plans_have_agent(const struct plans *plans, uint32_t agent);
void plans_clear(struct plans *plans);

#endif
