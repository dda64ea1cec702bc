/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs up to isomorphism: one graph of each class stands for it, the first that was met.
 *
 * What it calls its nodes depends on what was met before, so outside the engine nodes are called by their places in the
 * canonical form (canonical.h): n0, n1, ...; values stay.  Under a control program, whose variables have nodes as
 * values, the representative itself is renamed so, and both names are the same.
 */
#ifndef GRAPH_ISOMORPHISM_H
#define GRAPH_ISOMORPHISM_H

#include "graph/present.h"
#include "graph/program.h"

struct isomorphism;

/* NULL when memory is exhausted. */
struct isomorphism *isomorphism_new(struct universe *universe, bool renames);
/* What is kept of all graphs; NULL: nothing. */
size_t isomorphism_bytes(const struct isomorphism *isomorphism);
void isomorphism_free(struct isomorphism *isomorphism);

/* The graph that stands for the class of a graph; NO_NUMBER when memory is exhausted. */
uint32_t class_of_graph(struct isomorphism *isomorphism, uint32_t graph);
/* The same for the present graph, which stands for its class, without some entities and with others. */
uint32_t class_of_change(struct isomorphism *isomorphism, const struct present *present, const numbers *removed,
                         const numbers *added);

/* Nodes and keys are called as in this graph, which stands for its class, from now on; false when memory is exhausted.
 */
bool isomorphism_look_at(struct isomorphism *isomorphism, uint32_t graph);
uint32_t name_outside(const struct isomorphism *isomorphism, uint32_t node);
/* Another key of the same application; NULL when memory is exhausted.  Valid until the next call of either. */
const uint32_t *key_outside(struct isomorphism *isomorphism, const struct program *program, const uint32_t *key,
                            size_t *length);
const uint32_t *key_inside(struct isomorphism *isomorphism, const struct program *program, const uint32_t *key,
                           size_t *length);

#endif
