/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph is put into its canonical form as a list of words, one for each edge between places.  That list is looked up
 * first: most graphs are met again and again, and only a new one is written out with nodes and entities.
 */
#include "graph/isomorphism.h"

#include "graph/canonical.h"

#include <string.h>

struct isomorphism {
    struct universe *universe;
    struct canonical workspace;
    numbers known; /* graph -> its canonical form, or NO_NUMBER */
    struct sequences forms;
    numbers graph_of_form;
    VECTOR(uint64_t) words; /* scratch: a form */
    numbers named;          /* place -> node */
    numbers first, none, entities, place_of, node_of, place;
    VECTOR(uint64_t) colour;
    VECTOR(struct canonical_edge) edges;
};

struct isomorphism *isomorphism_new(struct universe *universe)
{
    struct isomorphism *i = calloc(1, sizeof *i);
    if (i)
        i->universe = universe;
    return i;
}

void isomorphism_free(struct isomorphism *i)
{
    if (!i)
        return;
    canonical_clear(&i->workspace);
    sequences_clear(&i->forms);
    free(i->graph_of_form.item);
    free(i->words.item);
    free(i->known.item);
    free(i->named.item);
    free(i->first.item);
    free(i->none.item);
    free(i->entities.item);
    free(i->place_of.item);
    free(i->node_of.item);
    free(i->place.item);
    free(i->colour.item);
    free(i->edges.item);
    free(i);
}

/* Room for as many nodes and edges as the entities can have. */
static bool make_room(struct isomorphism *i)
{
    size_t most = 2 * i->entities.count, nodes = i->universe->nodes.count;
    if (!vector_reserve(&i->place_of, nodes - i->place_of.count) || !vector_reserve(&i->node_of, most) ||
        !vector_reserve(&i->colour, most) || !vector_reserve(&i->edges, most) || !vector_reserve(&i->place, most + 1))
        return false;
    while (i->place_of.count < nodes)
        i->place_of.item[i->place_of.count++] = NO_NUMBER;
    return true;
}

/* Ordinary nodes have one colour and come first, every value has its own. */
static inline uint32_t number_node(struct isomorphism *i, uint32_t node)
{
    uint32_t *number = &i->place_of.item[node];
    if (*number == NO_NUMBER) {
        const struct node *n = &i->universe->nodes.item[node];
        *number = (uint32_t)i->node_of.count;
        i->node_of.item[i->node_of.count++] = node;
        i->colour.item[i->colour.count++] = n->value == NO_NUMBER ? 0 : n->origin | 1;
    }
    return *number;
}

static void translate(struct isomorphism *i)
{
    for (size_t k = 0; k < i->entities.count; k++) {
        const struct entity *e = entity_get(i->universe, i->entities.item[k]);
        uint32_t from = number_node(i, e->from), to = number_node(i, e->to);
        if (e->label != i->universe->node_label)
            i->edges.item[i->edges.count++] = (struct canonical_edge){from, e->label, to};
    }
}

static void forget(struct isomorphism *i)
{
    for (size_t k = 0; k < i->node_of.count; k++)
        i->place_of.item[i->node_of.item[k]] = NO_NUMBER;
    i->node_of.count = i->colour.count = i->edges.count = i->entities.count = i->none.count = 0;
}

/* The node that a node becomes. */
static uint32_t renamed(struct isomorphism *i, uint32_t node)
{
    if (i->universe->nodes.item[node].value != NO_NUMBER)
        return node;
    return i->named.item[i->place.item[i->place_of.item[node]]];
}

static bool name_places(struct isomorphism *i)
{
    while (i->named.count < i->node_of.count) {
        uint32_t node = node_of_name(i->universe, (uint32_t)i->named.count, NULL);
        if (node == NO_NUMBER || !vector_push(&i->named, node))
            return false;
    }
    return true;
}

static uint32_t rename_all(struct isomorphism *i)
{
    for (size_t k = 0; k < i->entities.count; k++) {
        struct entity e = *entity_get(i->universe, i->entities.item[k]);
        uint32_t entity = entity_of(i->universe, renamed(i, e.from), e.label, renamed(i, e.to));
        if (entity == NO_NUMBER)
            return NO_NUMBER;
        i->entities.item[k] = entity;
    }
    numbers_sort(&i->entities);
    return graph_of(i->universe, &i->entities);
}

/* Quick where words are nearly in order. */
static void sort_words(uint64_t *word, size_t count)
{
    for (size_t k = 1; k < count; k++) {
        uint64_t moved = word[k];
        size_t at = k;
        for (; at > 0 && word[at - 1] > moved; at--)
            word[at] = word[at - 1];
        word[at] = moved;
    }
}

/* The edges between places, in order: first by where they come from, which leaves little to sort. */
static bool write_edges(struct isomorphism *i, uint64_t *word)
{
    if (!vector_reserve(&i->first, i->node_of.count + 2))
        return false;
    uint32_t *first = i->first.item;
    memset(first, 0, (i->node_of.count + 2) * sizeof *first);
    for (size_t k = 0; k < i->edges.count; k++)
        first[i->place.item[i->edges.item[k].from] + 1]++;
    for (size_t k = 1; k <= i->node_of.count; k++)
        first[k] += first[k - 1];
    for (size_t k = 0; k < i->edges.count; k++) {
        const struct canonical_edge *e = &i->edges.item[k];
        uint64_t from = i->place.item[e->from];
        word[first[from]++] = from << 44 | (uint64_t)e->label << 20 | i->place.item[e->to];
    }
    sort_words(word, i->edges.count);
    return true;
}

/* The form: how many nodes, the edges between places, which values stand at which places. */
static bool write_form(struct isomorphism *i)
{
    i->words.count = 0;
    if (!vector_reserve(&i->words, 1 + i->edges.count + i->node_of.count))
        return false;
    uint64_t *word = i->words.item + i->edges.count;
    if (!write_edges(i, i->words.item))
        return false;
    uint64_t *values = word;
    for (size_t k = 0; k < i->node_of.count; k++)
        if (i->colour.item[k])
            *word++ = UINT64_C(1) << 63 | (uint64_t)i->place.item[k] << 32 | i->node_of.item[k];
    sort_words(values, (size_t)(word - values));
    *word++ = i->node_of.count;
    i->words.count = (size_t)(word - i->words.item);
    return true;
}

/* The graph with the nodes at their places, which is written out when it is new. */
static uint32_t graph_of_places(struct isomorphism *i)
{
    bool is_new;
    if (!write_form(i))
        return NO_NUMBER;
    uint32_t form = sequence_insert(&i->forms, (const uint32_t *)i->words.item, 2 * i->words.count, &is_new);
    if (form == SEQUENCE_NONE || form < i->graph_of_form.count)
        return form == SEQUENCE_NONE ? NO_NUMBER : i->graph_of_form.item[form];
    uint32_t graph = name_places(i) ? rename_all(i) : NO_NUMBER;
    return graph != NO_NUMBER && vector_push(&i->graph_of_form, graph) ? graph : NO_NUMBER;
}

static uint32_t find(struct isomorphism *i, uint32_t graph)
{
    forget(i);
    if (!graph_difference(i->universe, 0, graph, &i->none, &i->entities) || !make_room(i))
        return NO_NUMBER;
    translate(i);
    if (!canonical_form(&i->workspace, (uint32_t)i->node_of.count, i->colour.item, (uint32_t)i->edges.count,
                        i->edges.item, i->place.item))
        return NO_NUMBER;
    return graph_of_places(i);
}

uint32_t canonical_graph(struct isomorphism *i, uint32_t graph)
{
    if (graph < i->known.count && i->known.item[graph] != NO_NUMBER)
        return i->known.item[graph];
    uint32_t form = find(i, graph), last = form != NO_NUMBER && form > graph ? form : graph;
    if (form == NO_NUMBER)
        return NO_NUMBER;
    while (i->known.count <= last)
        if (!vector_push(&i->known, NO_NUMBER))
            return NO_NUMBER;
    i->known.item[graph] = i->known.item[form] = form;
    return form;
}
