/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs up to isomorphism: each becomes the graph of its canonical form (canonical.h). */
#ifndef GRAPH_ISOMORPHISM_H
#define GRAPH_ISOMORPHISM_H

#include "graph/universe.h"

struct isomorphism;

/* NULL when memory is exhausted. */
struct isomorphism *isomorphism_new(struct universe *universe);
void isomorphism_free(struct isomorphism *isomorphism);
/* The graph with its nodes renamed n0, n1, ...; values stay.  NO_NUMBER when memory is exhausted. */
uint32_t canonical_graph(struct isomorphism *isomorphism, uint32_t graph);

#endif
