/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What leads to a goal.  In a state in which an expression has not the value that is wanted, a set of attractors is a
 * set of actions one of which occurs on every path to a state in which it has.  Following the structure of the
 * expression (Schmidt 1999, "up sets"; Kristensen, Schmidt and Valmari 2006; Boenneland et al. 2018, "interesting
 * transitions"):
 *
 *     x >= k     what may add to x; where several variables are added up, what may add to the sum
 *     a && b     the attractors of one part that is false
 *     a || b     the attractors of both
 *     fireable   what may turn one of its false guards true
 *     deadlock   what may disable one action that is enabled
 *
 * and likewise for what has to become false.  Of what is not understood: everything that may change it.
 */
#ifndef PROPERTY_ATTRACTORS_H
#define PROPERTY_ATTRACTORS_H

#include "property/property.h"

struct attractors;

/* For an invariant or a reachability property of a system with relations; NULL when memory ran out. */
struct attractors *attractors_new(const struct portolan_system *system, const struct portolan_property *property);
/* Accepts NULL. */
void attractors_free(struct attractors *attractors);

/* Sets member[a] to stamp for the attractors of a state in which something is enabled, and appends those that did not
 * have it to `list`, which has `count` entries and room for all; the new count.  None where the goal is reached. */
uint32_t attractors_find(struct attractors *attractors, const void *state, const uint32_t *enabled, uint32_t *member,
                         uint32_t stamp, uint32_t *list, uint32_t count);

#endif
