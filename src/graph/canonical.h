/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canonical form of a small directed graph with coloured nodes and labelled edges: two graphs are isomorphic
 * exactly when they are equal after each node has been moved to its place.
 */
#ifndef GRAPH_CANONICAL_H
#define GRAPH_CANONICAL_H

#include "base/vector.h"

struct canonical_edge {
    uint32_t from, label, to;
};

/* An edge as one of its nodes sees it. */
struct canonical_end {
    uint64_t hash; /* of the label and the direction */
    uint32_t other;
};

enum {
    CANONICAL_NODES = 1 << 20,
    CANONICAL_LABELS = 1 << 24, /* fewer than that */
    CANONICAL_FEW_LABELS = 128
};

/* An ordered partition of the nodes; a cell is called by the place of its first node. */
struct canonical_partition {
    VECTOR(uint32_t) cell;  /* of each node */
    VECTOR(uint32_t) order; /* the nodes, cell by cell */
};

/* Memory that is kept from one graph to the next; begins as {0}. */
struct canonical {
    uint32_t nodes, edges;
    uint32_t cells; /* of the partition that is being refined */
    const struct canonical_edge *edge;
    VECTOR(struct canonical_partition) levels;        /* of the search, by depth */
    VECTOR(uint64_t) signature;                       /* of each node */
    VECTOR(uint64_t) first_signature, next_signature; /* of the first round, of the next one */
    VECTOR(uint32_t) active, classes;   /* nodes that are not told apart yet; a hash table of their signatures */
    VECTOR(bool) is_alike;              /* of active nodes: another one has its signature */
    VECTOR(uint32_t) length;            /* of each cell */
    VECTOR(uint32_t) queue, touched;    /* cells to look around; cells around the present one */
    VECTOR(bool) is_queued, is_touched; /* by cell */
    VECTOR(uint32_t) first_end;         /* where the ends of a node begin */
    VECTOR(struct canonical_end) ends;
    VECTOR(uint32_t) path, best_path;   /* the nodes that were set apart */
    VECTOR(uint64_t) trace, best_trace; /* what refining looked like, by depth */
    VECTOR(uint64_t) leaf, best_leaf;   /* the edges after all have moved, sorted */
    VECTOR(uint32_t) best_place;
    VECTOR(uint32_t) automorphisms; /* one after the other: node -> node */
    VECTOR(uint32_t) orbit;         /* union-find */
    bool has_best, failed;
    bool has_hashes;
    uint64_t end_hash[2 * CANONICAL_FEW_LABELS]; /* of labels and directions */
};

/*
 * Writes the place (0 ... nodes - 1) of every node.  Nodes of colour 0 come first.  False when memory is
 * exhausted or a limit was reached.
 */
bool canonical_form(struct canonical *workspace, uint32_t nodes, const uint64_t *colour, uint32_t edges,
                    const struct canonical_edge *edge, uint32_t *place);
void canonical_clear(struct canonical *workspace);

#endif
