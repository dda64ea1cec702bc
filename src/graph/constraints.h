/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a type graph asks of graphs beyond the types of nodes and edges: how many edges of a kind leave a node or arrive
 * (multiplicities), and that parts do not contain each other in a circle.
 *
 * As in GROOVE (typePolicy=error) a graph that violates one of them is a state in which no rule can be applied.
 */
#ifndef GRAPH_CONSTRAINTS_H
#define GRAPH_CONSTRAINTS_H

#include "graph/present.h"

struct violation {
    const struct edge_type *type;
    uint32_t node;
    bool is_in; /* it has too few or too many of those that arrive; else of those that leave */
    bool is_circle;
    uint32_t count;
};

/* Has the grammar any? */
bool has_constraints(const struct grammar *grammar);
/* Refuses what cannot be counted: an edge that two kinds with multiplicities would fit. */
enum portolan_status constraints_check(const struct grammar *grammar, struct portolan_error *error);
/* Tells in *found whether the present graph violates one, the first in *violation; false when memory is exhausted. */
bool find_violation(const struct present *present, bool *found, struct violation *violation);
/* An error that names the node. */
enum portolan_status fail_violation(const struct universe *universe, const struct violation *violation,
                                    struct portolan_error *error);

#endif
