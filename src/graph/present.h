/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph that is looked at, with indexes by node and label.  Going on to another graph costs what differs.
 */
#ifndef GRAPH_PRESENT_H
#define GRAPH_PRESENT_H

#include "graph/looks.h"
#include "graph/universe.h"

/* An edge as one of its ends sees it. */
struct link {
    uint32_t entity, label, other;
};

typedef VECTOR(struct link) links;

/* A node of the graph, or a value that an edge leads to. */
struct place {
    uint32_t node;
    uint32_t uses; /* its own entity and all its links */
    links out, in;
};

/* Where an entity stands in the lists. */
struct position {
    uint32_t out, in, by_label; /* by_label NO_NUMBER: it is not there */
};

struct present {
    const struct universe *universe;
    uint32_t graph;
    VECTOR(struct place) places;
    numbers free_places;
    numbers place_of;                 /* node -> place, or NO_NUMBER */
    VECTOR(struct position) position; /* by entity */
    numbers *by_label;                /* label (and node_label) -> entities */
    numbers removed, added;           /* scratch */
    links none;                       /* of a node that is not there */
    struct looks *looks;              /* where is noted what is looked at; NULL: nowhere */
};

/* Begins with the empty graph; false when memory is exhausted, present_clear is then still to be called. */
bool present_make(struct present *present, const struct universe *universe);
void present_clear(struct present *present);
/* False when memory is exhausted: then it is the empty graph. */
bool present_load(struct present *present, uint32_t graph);
/* The same for a graph that has no number, of sorted entities; then no other is to be loaded by its number. */
bool present_show(struct present *present, const numbers *entities);
/* One entity more, or less, in such a graph.  When memory is exhausted it is empty. */
bool present_put(struct present *present, uint32_t entity);
void present_take(struct present *present, uint32_t entity);

static inline void note_look(const struct present *p, enum look_kind kind, uint32_t node, uint32_t label,
                             uint32_t other)
{
    if (p->looks)
        looks_note(p->looks, (struct look){kind, node, label, other});
}

static inline const links *links_out(const struct present *p, uint32_t node)
{
    return node < p->place_of.count && p->place_of.item[node] != NO_NUMBER ? &p->places.item[p->place_of.item[node]].out
                                                                           : &p->none;
}

static inline const links *links_in(const struct present *p, uint32_t node)
{
    return node < p->place_of.count && p->place_of.item[node] != NO_NUMBER ? &p->places.item[p->place_of.item[node]].in
                                                                           : &p->none;
}

static inline bool is_present(const struct present *p, uint32_t entity)
{
    return entity < p->position.count && p->position.item[entity].by_label != NO_NUMBER;
}

/* Is the node, or the edge, there?  find_edge gives the entity, or NO_NUMBER. */
static inline bool has_node(const struct present *p, uint32_t node)
{
    return node < p->place_of.count && p->place_of.item[node] != NO_NUMBER;
}

static inline uint32_t find_edge(const struct present *p, uint32_t from, uint32_t label, uint32_t to)
{
    const links *out = links_out(p, from), *in = links_in(p, to), *few = out->count <= in->count ? out : in;
    uint32_t other = few == out ? to : from;
    for (size_t i = 0; i < few->count; i++)
        if (few->item[i].label == label && few->item[i].other == other)
            return few->item[i].entity;
    return NO_NUMBER;
}

#endif
