/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a claim about states asks of a goal-directed set: on every path from the present state to one that contradicts
 * the claim an action of the set occurs.  Found from the structure of the expression, apart from the search.
 */
#ifndef CERTIFY_GOAL_H
#define CERTIFY_GOAL_H

#include "base/vector.h"
#include "certify/claims.h"
#include "certify/states.h"

struct goal_part; /* of the expression */

struct goal {
    const struct portolan_system *system;
    const struct portolan_property *property;
    VECTOR(struct goal_part) parts; /* operands behind what is made of them */
    uint32_t comparisons;
    unsigned char *ways; /* per comparison and action: it may raise, or lower, the difference of the two sides */
    bool *visible;       /* per action */
    bool understood;     /* else every visible action must be in the set */
};

/* For a claim that is no formula and that not only deadlocks decide; false when memory ran out. */
bool goal_make(struct goal *goal, const struct portolan_system *system, const struct claim *claim);
void goal_clear(struct goal *goal);

/* A set of actions: `look` says whether one is in it, or takes it in and says true. */
struct goal_set {
    bool (*look)(void *user, uint32_t action);
    void *user;
};

/* Does the set hold what it must, in the present state, in which something is enabled? */
bool goal_is_met(struct goal *goal, const struct states *states, const struct goal_set *set);
/* Looks at every action that goal_is_met has found necessary and there. */
void goal_take(const struct goal *goal, const struct goal_set *set);

#endif
