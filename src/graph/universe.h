/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that was met so far, numbered: nodes, entities (a node that is there, an edge), graphs.
 *
 * A graph is a sorted set of entities.  It is cut into pieces behind entities that their number alone tells, so graphs
 * that have much in common share most pieces, and changing a few entities makes a few new pieces.
 */
#ifndef GRAPH_UNIVERSE_H
#define GRAPH_UNIVERSE_H

#include "graph/grammar.h"

typedef VECTOR(uint32_t) numbers;

enum node_kind { NODE_VALUE, NODE_NAMED, NODE_CREATED };

struct node {
    uint64_t origin;  /* a hash of how it came to be, whatever was met before */
    uint32_t value;   /* of the grammar; NO_NUMBER: an ordinary node */
    uint32_t creator; /* the rule that made it; NO_NUMBER: none */
    const char *name; /* NULL: nobody asked yet */
};

struct entity {
    uint32_t from, label, to;
};

struct universe {
    struct grammar *grammar;
    uint32_t node_label; /* of the entity "this node is there"; behind the labels of the grammar */
    struct sequences node_keys, entities, pieces, graphs;
    uint32_t *asked; /* by a hash, one more than an entity that was asked for; 0: none */
    VECTOR(struct node) nodes;
    struct names node_names; /* number of a name -> named.item, its node */
    numbers named;
    numbers written_pieces, open_piece; /* scratch */
};

bool universe_make(struct universe *universe, struct grammar *grammar);
void universe_clear(struct universe *universe);

/* Nodes; NO_NUMBER when memory is exhausted.  A named one is that of the start graph, or number `index` of a canonical
 * form; name may be NULL. */
uint32_t node_of_value(struct universe *universe, uint32_t value);
uint32_t node_of_name(struct universe *universe, uint32_t index, const char *name);
/* how: rule, level, creator, k, then the images of the anchor. */
uint32_t node_of_creation(struct universe *universe, const uint32_t *how, size_t length);
/* "n3", "append.k3f8a2q", "42"; NULL when memory is exhausted. */
const char *node_name(struct universe *universe, uint32_t node);

/* The entity, which is numbered when it is new; NO_NUMBER when memory is exhausted. */
uint32_t entity_of(struct universe *universe, uint32_t from, uint32_t label, uint32_t to);

static inline const struct entity *entity_get(const struct universe *universe, uint32_t entity)
{
    return (const struct entity *)(universe->entities.items.item + 3 * (size_t)entity);
}

static inline uint32_t value_of_node(const struct universe *universe, uint32_t node)
{
    return node < universe->nodes.count ? universe->nodes.item[node].value : NO_NUMBER;
}

/* The graph without some entities and with others; both are sorted and have nothing in common.  NO_NUMBER when memory
 * is exhausted. */
uint32_t graph_change(struct universe *universe, uint32_t graph, const numbers *removed, const numbers *added);
/* The graph of sorted entities. */
uint32_t graph_of(struct universe *universe, const numbers *entities);
/* Appends the entities in which two graphs differ, sorted; false when memory is exhausted. */
bool graph_difference(const struct universe *universe, uint32_t from, uint32_t to, numbers *only_from,
                      numbers *only_to);

/* Sorts and drops what is there twice. */
void numbers_sort(numbers *some);

#endif
