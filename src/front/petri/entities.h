/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three entities views of a net.
 *
 * "symbolic" (after Burgman's thesis on probe sets, section 4.2.1): the
 * entities are the places, their counts the tokens, an action is a transition.
 * Two transitions depend on each other when one changes a place that the other
 * touches (the thesis' global dependency).
 *
 * "explicit" (section 4.2.2): the entities are the tokens.  The tokens of a
 * place are numbered from the bottom, the last in is the first out, so
 * identifiers are canonical: a marking has one set of tokens, and a finite net
 * finitely many.  An action is a transition with the heights of the places
 * that it changes: it deletes or creates the tokens at the top, and the top is
 * told by the token below being there and the one above not.  A test for n
 * tokens reads the n-th alone, whatever happens above it; an inhibitor arc
 * forbids the first token that it does not allow.
 *
 * "identity" (section 4.2.2 as printed): the tokens of a place have names, and a
 * transition can take any of them: an action is a transition with the tokens that
 * it deletes, reads and creates.  A new token has the lowest name that is free, so a finite net has
 * finitely many names; but a marking has many sets of tokens.
 */
#ifndef FRONT_PETRI_ENTITIES_H
#define FRONT_PETRI_ENTITIES_H

#include "front/petri/net.h"

/* Ended by NULL; for systems made by net_system_new. */
extern const struct portolan_entities *const net_entities[];

#endif
