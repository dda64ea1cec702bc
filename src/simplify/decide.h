/* SPDX-License-Identifier: Apache-2.0 */
/* What the structure of a net tells without a search. */
#ifndef SIMPLIFY_DECIDE_H
#define SIMPLIFY_DECIDE_H

#include "front/petri/net.h"
#include "property/property.h"

#include <stdio.h>

/*
 * Why nothing can decide the property by a trace: no dead marking, no marking that violates the invariant, none that
 * makes the expression of a reach property true.  The reason, or NULL when it is not known
 * after so many seconds; 0: only what costs next to nothing is tried.  proof gets the reason as a certificate has it,
 * under the number of the property, unless it is NULL.
 */
const char *structure_excludes(const struct net *net, const struct portolan_property *property, double seconds,
                               FILE *proof, size_t number);

/* The parts of it.  Each may give up, and then says no; what it has written to `proof` is of no use then. */

/* A transition without input, read and inhibitor arcs is always enabled. */
bool has_unconditional_transition(const struct net *net, FILE *proof);
/* Every siphon contains a trap that is marked initially (siphon.c). */
bool siphons_have_marked_traps(const struct net *net, FILE *proof);
/* No solution of the state equation is a marking that decides the property by a trace (equation.c). */
bool state_equation_excludes(const struct net *net, const struct portolan_property *property, FILE *proof);

#endif
