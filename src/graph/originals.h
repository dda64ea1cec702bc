/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs as they were met, beside their canonical forms.
 *
 * Each canonical form has an original: a graph of the class whose nodes keep their names from step to step, as without
 * isomorphism.  Steps that commute lead from an original to equal graphs, whichever comes first, so most graphs that
 * are met again are found without their canonical form, at the cost of what the step changes.
 */
#ifndef GRAPH_ORIGINALS_H
#define GRAPH_ORIGINALS_H

#include "graph/universe.h"

struct original {
    uint32_t graph;        /* NO_NUMBER: the form itself */
    uint32_t form;         /* the canonical form of this graph, if it was met as it is; or NO_NUMBER */
    uint32_t first, nodes; /* its names */
};

/* Begins as {0} with a universe. */
struct originals {
    struct universe *universe;
    VECTOR(struct original) graphs; /* by graph */
    numbers names;                  /* place of a form -> node of its original */
    numbers place_of;               /* node -> place, of nodes that forms have; or NO_NUMBER */
    uint32_t places;
    uint32_t at;                   /* the form that the step begins with */
    numbers made, originally;      /* nodes that the step creates, and what they are called in the original */
    numbers removed, added, key;   /* scratch */
    uint64_t tried, found, missed; /* missed: its form was met before */
};

/* Of graphs that are met again, has nearly every one been found? */
static inline bool originals_find_most(const struct originals *originals)
{
    return originals->found > 8 * originals->missed;
}

void originals_clear(struct originals *originals);
size_t originals_bytes(const struct originals *originals);

/* The node that forms have at the next place. */
bool originals_name_place(struct originals *originals, uint32_t node);

/* The original after a step from a form; *form is its canonical form, or NO_NUMBER where that is not known.  NO_NUMBER:
 * it is not known either, or memory is exhausted. */
uint32_t original_change(struct originals *originals, uint32_t from, const numbers *removed, const numbers *added,
                         uint32_t *form);
/* The canonical form of the graph that the last call gave, and the places of its nodes, which are called as in the form
 * that the step began with.  When memory is exhausted nothing is kept. */
void original_keep(struct originals *originals, uint32_t original, uint32_t form, size_t nodes, const uint32_t *node,
                   const uint32_t *place);

#endif
