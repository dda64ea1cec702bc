/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was looked at in a graph.  Matching and applying a rule see nothing else of it: in every graph that looks the
 * same there, the same comes out.
 */
#ifndef GRAPH_LOOKS_H
#define GRAPH_LOOKS_H

#include "graph/grammar.h"

enum look_kind {
    LOOK_NODE,  /* is the node there? */
    LOOK_EDGE,  /* is the edge there? */
    LOOK_OUT,   /* which edges with the label leave the node? */
    LOOK_IN,    /* which arrive? */
    LOOK_LINKS, /* which edges does the node have at all? */
    LOOK_LABEL  /* which edges with the label are there anywhere?  Behind the labels of the grammar: which nodes? */
};

struct look {
    uint32_t kind, node, label, other;
};

struct looks {
    VECTOR(struct look) list;
    bool types_change; /* a node may get or lose a type */
    bool is_off;       /* nothing is noted */
    bool no_memory;
};

void looks_note(struct looks *looks, struct look look);

/* Has the node a type (NO_NUMBER: any), or a subtype of it?  found is the one that it has, or NO_NUMBER. */
void looks_note_type(struct looks *looks, const struct grammar *grammar, uint32_t node, uint32_t type, bool is_exact,
                     uint32_t found);

#endif
