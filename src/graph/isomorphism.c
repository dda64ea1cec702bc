/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph is put into its canonical form as a list of words, one for each edge between places.  That list is looked up
 * first: most graphs are met again and again, and only a new one is written out with nodes and entities.
 */
#include "graph/isomorphism.h"

#include "graph/canonical.h"
#include "graph/originals.h"

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
    uint32_t base; /* the graph that steps begin with; NO_NUMBER: none is known.  It is kept as the graph above is: */
    numbers base_node_of;
    VECTOR(uint64_t) base_colour;
    VECTOR(struct canonical_edge) base_edges;
    struct originals originals;
};

struct isomorphism *isomorphism_new(struct universe *universe)
{
    struct isomorphism *i = calloc(1, sizeof *i);
    if (i)
        *i = (struct isomorphism){.universe = universe, .base = NO_NUMBER, .originals = {.universe = universe}};
    return i;
}

void isomorphism_free(struct isomorphism *i)
{
    if (!i)
        return;
    canonical_clear(&i->workspace);
    originals_clear(&i->originals);
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
    free(i->base_node_of.item);
    free(i->base_colour.item);
    free(i->base_edges.item);
    free(i);
}

size_t isomorphism_bytes(const struct isomorphism *i)
{
    return i ? sequences_bytes(&i->forms) + originals_bytes(&i->originals) +
                   (i->graph_of_form.capacity + i->known.capacity) * sizeof *i->known.item
             : 0;
}

/* Room for so many nodes and edges more. */
static bool make_room(struct isomorphism *i, size_t most)
{
    size_t nodes = i->universe->nodes.count;
    if (!vector_reserve(&i->place_of, nodes - i->place_of.count) || !vector_reserve(&i->node_of, most) ||
        !vector_reserve(&i->colour, most) || !vector_reserve(&i->edges, most) ||
        !vector_reserve(&i->place, i->node_of.count + most + 1))
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

static void add_entity(struct isomorphism *i, uint32_t entity)
{
    const struct entity *e = entity_get(i->universe, entity);
    uint32_t from = number_node(i, e->from), to = number_node(i, e->to);
    if (e->label != i->universe->node_label)
        i->edges.item[i->edges.count++] = (struct canonical_edge){from, e->label, to};
}

static void forget(struct isomorphism *i)
{
    for (size_t k = 0; k < i->node_of.count; k++)
        i->place_of.item[i->node_of.item[k]] = NO_NUMBER;
    i->node_of.count = i->colour.count = i->edges.count = i->entities.count = i->none.count = 0;
}

uint32_t canonical_name(const struct isomorphism *i, uint32_t node)
{
    if (i->universe->nodes.item[node].value != NO_NUMBER)
        return node;
    uint32_t number = node < i->place_of.count ? i->place_of.item[node] : NO_NUMBER;
    return number == NO_NUMBER ? NO_NUMBER : i->named.item[i->place.item[number]];
}

static bool name_places(struct isomorphism *i)
{
    while (i->named.count < i->node_of.count) {
        uint32_t node = node_of_name(i->universe, (uint32_t)i->named.count, NULL);
        if (node == NO_NUMBER || !originals_name_place(&i->originals, node) || !vector_push(&i->named, node))
            return false;
    }
    return true;
}

static uint32_t rename_all(struct isomorphism *i)
{
    struct universe *u = i->universe;
    numbers *called = &i->first; /* as scratch */
    size_t nodes = i->node_of.count;
    bool fine = true;
    i->entities.count = 0;
    if (!vector_reserve(called, nodes + 1) || !vector_reserve(&i->entities, nodes + i->edges.count))
        return NO_NUMBER;
    uint32_t *entity = i->entities.item;
    for (uint32_t k = 0; k < nodes; k++)
        called->item[k] = i->colour.item[k] ? i->node_of.item[k] : i->named.item[i->place.item[k]];
    for (uint32_t k = 0; k < nodes && fine; k++)
        if (!i->colour.item[k])
            fine = (*entity++ = entity_of(u, called->item[k], u->node_label, called->item[k])) != NO_NUMBER;
    for (const struct canonical_edge *e = i->edges.item; e < i->edges.item + i->edges.count && fine; e++)
        fine = (*entity++ = entity_of(u, called->item[e->from], e->label, called->item[e->to])) != NO_NUMBER;
    i->entities.count = (size_t)(entity - i->entities.item);
    numbers_sort(&i->entities);
    return fine ? graph_of(u, &i->entities) : NO_NUMBER;
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

/* The graph with the nodes at their places, which is written out when it is new.  Where originals find most of those
 * that are not, nearly all are, and there is no need to look. */
static uint32_t graph_of_places(struct isomorphism *i)
{
    bool is_new;
    if (originals_find_most(&i->originals))
        return name_places(i) ? rename_all(i) : NO_NUMBER;
    if (!write_form(i))
        return NO_NUMBER;
    uint32_t form = sequence_insert(&i->forms, (const uint32_t *)i->words.item, 2 * i->words.count, &is_new);
    if (form == SEQUENCE_NONE || form < i->graph_of_form.count)
        return form == SEQUENCE_NONE ? NO_NUMBER : i->graph_of_form.item[form];
    uint32_t graph = name_places(i) ? rename_all(i) : NO_NUMBER;
    return graph != NO_NUMBER && vector_push(&i->graph_of_form, graph) ? graph : NO_NUMBER;
}

/* The graph of the canonical form of what was added. */
static uint32_t find_form(struct isomorphism *i)
{
    if (!canonical_form(&i->workspace, (uint32_t)i->node_of.count, i->colour.item, (uint32_t)i->edges.count,
                        i->edges.item, i->place.item))
        return NO_NUMBER;
    return graph_of_places(i);
}

static uint32_t find(struct isomorphism *i, uint32_t graph)
{
    forget(i);
    if (!graph_difference(i->universe, 0, graph, &i->none, &i->entities) || !make_room(i, 2 * i->entities.count))
        return NO_NUMBER;
    for (size_t k = 0; k < i->entities.count; k++)
        add_entity(i, i->entities.item[k]);
    return find_form(i);
}

/* ------------------------------------------------------------------ steps */

#define COPY(to, from)                                                                                                 \
    ((to).count = 0,                                                                                                   \
     vector_reserve(&(to), (from).count + 1) &&                                                                        \
         (memcpy((to).item, (from).item, (from).count * sizeof *(to).item), (to).count = (from).count, true))

/* Puts the present graph down as the one that steps begin with, its nodes in the order of their places. */
static bool keep_base(struct isomorphism *i, const struct present *present)
{
    uint32_t labels = i->universe->node_label;
    size_t most = 0;
    forget(i);
    i->base = NO_NUMBER;
    for (uint32_t label = 0; label <= labels; label++)
        most += 2 * present->by_label[label].count;
    if (!make_room(i, most))
        return false;
    for (size_t k = 0; k < i->named.count && k < present->by_label[labels].count; k++)
        if (has_node(present, i->named.item[k]))
            number_node(i, i->named.item[k]);
    for (uint32_t label = 0; label <= labels; label++)
        for (size_t k = 0; k < present->by_label[label].count; k++)
            add_entity(i, present->by_label[label].item[k]);
    if (!COPY(i->base_node_of, i->node_of) || !COPY(i->base_colour, i->colour) || !COPY(i->base_edges, i->edges))
        return false;
    i->base = present->graph;
    return true;
}

static bool begin_with_base(struct isomorphism *i)
{
    forget(i);
    if (!COPY(i->node_of, i->base_node_of) || !COPY(i->colour, i->base_colour) || !COPY(i->edges, i->base_edges))
        return false;
    for (uint32_t k = 0; k < i->node_of.count; k++)
        i->place_of.item[i->node_of.item[k]] = k;
    return true;
}

/* The last node takes the place of one that has no edges any more. */
static void drop_node(struct isomorphism *i, uint32_t node)
{
    uint32_t number = i->place_of.item[node], last = (uint32_t)--i->node_of.count;
    i->colour.count--;
    i->node_of.item[number] = i->node_of.item[last];
    i->colour.item[number] = i->colour.item[last];
    i->place_of.item[i->node_of.item[number]] = number;
    i->place_of.item[node] = NO_NUMBER;
    for (size_t k = 0; k < i->edges.count && number != last; k++) {
        struct canonical_edge *e = &i->edges.item[k];
        e->from = e->from == last ? number : e->from;
        e->to = e->to == last ? number : e->to;
    }
}

/* A value is there only as long as edges lead to it. */
static void drop_edge(struct isomorphism *i, const struct entity *gone)
{
    uint32_t from = i->place_of.item[gone->from], to = i->place_of.item[gone->to], uses = 0;
    for (size_t k = 0; k < i->edges.count; k++)
        if (i->edges.item[k].from == from && i->edges.item[k].to == to && i->edges.item[k].label == gone->label) {
            i->edges.item[k] = i->edges.item[--i->edges.count];
            break;
        }
    for (size_t k = 0; k < i->edges.count && i->colour.item[to]; k++)
        uses += i->edges.item[k].to == to;
    if (i->colour.item[to] && uses == 0)
        drop_node(i, gone->to);
}

static void drop_all(struct isomorphism *i, const numbers *removed)
{
    for (int nodes = 0; nodes < 2; nodes++)
        for (size_t k = 0; k < removed->count; k++) {
            const struct entity *e = entity_get(i->universe, removed->item[k]);
            if (nodes && e->label == i->universe->node_label)
                drop_node(i, e->from);
            else if (!nodes && e->label != i->universe->node_label)
                drop_edge(i, e);
        }
}

static uint32_t find_change(struct isomorphism *i, const struct present *present, const numbers *removed,
                            const numbers *added)
{
    if (i->base != present->graph && !keep_base(i, present))
        return NO_NUMBER;
    if (!begin_with_base(i) || !make_room(i, 2 * added->count))
        return NO_NUMBER;
    drop_all(i, removed);
    for (size_t k = 0; k < added->count; k++)
        add_entity(i, added->item[k]);
    return find_form(i);
}

uint32_t canonical_change(struct isomorphism *i, const struct present *present, const numbers *removed,
                          const numbers *added)
{
    uint32_t form, original = original_change(&i->originals, present->graph, removed, added, &form);
    if (form != NO_NUMBER)
        return form;
    form = find_change(i, present, removed, added);
    if (form != NO_NUMBER && original != NO_NUMBER)
        original_keep(&i->originals, original, form, i->node_of.count, i->node_of.item, i->place.item);
    return form;
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
