/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs up to isomorphism: each becomes the graph of its canonical form (canonical.h). */
#ifndef GRAPH_ISOMORPHISM_H
#define GRAPH_ISOMORPHISM_H

#include "graph/present.h"

struct isomorphism;

/* NULL when memory is exhausted. */
struct isomorphism *isomorphism_new(struct universe *universe);
/* What is kept of all graphs; NULL: nothing. */
size_t isomorphism_bytes(const struct isomorphism *isomorphism);
void isomorphism_free(struct isomorphism *isomorphism);
/* The graph with its nodes renamed n0, n1, ...; values stay.  NO_NUMBER when memory is exhausted. */
uint32_t canonical_graph(struct isomorphism *isomorphism, uint32_t graph);
/* What a node of the last graph that was put into its form is called there; NO_NUMBER: it has no such node. */
uint32_t canonical_name(const struct isomorphism *isomorphism, uint32_t node);
/* The same for the present graph without some entities and with others. */
uint32_t canonical_change(struct isomorphism *isomorphism, const struct present *present, const numbers *removed,
                          const numbers *added);

#endif
