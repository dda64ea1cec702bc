/* SPDX-License-Identifier: Apache-2.0 */
/* The explored graph as Graphviz (dot) or Aldebaran (aut) text. */
#ifndef REPORT_GRAPH_H
#define REPORT_GRAPH_H

#include "base/vector.h"
#include "portolan/portolan.h"

#include <stdio.h>

struct graph_edge {
    uint32_t from, action, to;
};

struct graph_state {
    uint32_t state;
    bool fully, deadlock;
    size_t label; /* its text starts here in labels */
};

/* Collects what a search tells; give graph_callbacks(&graph) to the search. */
struct graph {
    const struct portolan_system *system;
    VECTOR(struct graph_edge) edges;
    VECTOR(struct graph_state) states;
    VECTOR(char) labels;
    size_t last_label; /* the one that is being written starts there */
    size_t most;       /* states that are of use; 0: all */
    bool wants_labels, failed, is_cut;
};

struct portolan_callbacks graph_callbacks(struct graph *graph);
/* Format "dot" or "aut"; false when a write failed. */
bool graph_write(struct graph *graph, const char *format, FILE *out);
void graph_clear(struct graph *graph);

#endif
