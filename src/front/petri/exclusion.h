/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which places are never marked together, found without exploring: an
 * over-approximation of the concurrency relation of Kovalyov ("Concurrency
 * relations and the safety problem for Petri nets", 1992), sharpened by the
 * NUPN units that are provably at most once marked.  Inhibitor arcs are
 * ignored, which only adds behaviour.
 */
#ifndef FRONT_PETRI_EXCLUSION_H
#define FRONT_PETRI_EXCLUSION_H

#include "front/petri/net.h"

struct place_matrix;

/* NULL when memory is short or the net is too large for a quadratic table. */
struct place_matrix *places_together(const struct net *net);
void place_matrix_free(struct place_matrix *matrix);

/* May both places be marked at once; may the one place hold two tokens? */
bool place_meets(const struct place_matrix *matrix, uint32_t place, uint32_t other);

/* The pairs of transitions that share a place and are never enabled in the same marking; false when memory is short.
 * together may be NULL. */
bool exclude_transitions(const struct net *net, const struct place_matrix *together,
                         struct portolan_lists *never_together);

#endif
