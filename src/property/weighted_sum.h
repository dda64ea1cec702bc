/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of sums of variables, and the actions that raise or lower them. */
#ifndef PROPERTY_WEIGHTED_SUM_H
#define PROPERTY_WEIGHTED_SUM_H

#include "base/vector.h"
#include "expression/tree.h"

struct sum_term {
    uint32_t variable;
    int64_t factor;
};

/* factor * variable + ... + constant */
struct weighted_sum {
    VECTOR(struct sum_term) terms;
    int64_t constant;
};

enum sum_outcome { SUM_FINE, SUM_NO_MEMORY, SUM_NOT /* it is something else, or may not fit */ };

/* The difference of the two sides of a comparison, or the variable itself.  No part of it can fail to fit into 64 bits:
 * sums are read only where variables hold 32 bits (struct portolan_system, change). */
enum sum_outcome weighted_sum_read(struct weighted_sum *weighted, const struct node *node,
                                   const struct portolan_system *system);
void weighted_sum_clear(struct weighted_sum *weighted);

__extension__ typedef __int128 sum_value; /* the difference of two variables always fits */
sum_value weighted_sum_of(const struct weighted_sum *weighted, const struct portolan_system *system, const void *state);

/* What an action does to the value. */
enum { MAY_RAISE = 1, MAY_LOWER = 2 };
/* Adds these bits to ways[a], for every action a that may change the value; `sum` is scratch.  Both have an entry per
 * action, `sum` all zero before and behind. */
void weighted_sum_ways(const struct weighted_sum *weighted, const struct portolan_system *system, int64_t *sum,
                       unsigned char *ways);

#endif
