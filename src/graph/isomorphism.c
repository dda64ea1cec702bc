/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canonical form of a graph is a list of numbers: its edges between places, and the values that stand at places.
 * Graphs are not written out in it: the first graph that is met stands for its class, and its nodes keep their names
 * from step to step, as without isomorphism.  So steps that commute lead to equal graphs, whichever comes first, and
 * most graphs that are met again are found without their canonical form, at the cost of what the step changes.
 */
#include "graph/isomorphism.h"

#include "graph/canonical.h"
#include "graph/match.h"

#include <string.h>

enum { ENOUGH_TRIES = 4096, WORTH_IT = 8 };

/* A graph that was met. */
struct member {
    uint32_t representative; /* of its class; NO_NUMBER: not known */
    uint32_t nodes;          /* of a representative, with values; they stand in nodes_at by their places */
    uint64_t first;
};

struct isomorphism {
    struct universe *universe;
    bool renames; /* a representative has its nodes renamed n0, n1, ... */
    struct canonical workspace;
    VECTOR(struct member) members; /* by graph */
    numbers nodes_at;
    struct sequences forms;
    numbers of_form;       /* representatives; NO_NUMBER: memory was exhausted */
    uint64_t tried, found; /* graphs that were looked for as they are */
    numbers named;         /* place -> the node that is called so */
    /* Scratch: the graph whose form is wanted, its nodes numbered. */
    numbers number_of, node_of, place, node_at, first, none, entities, form;
    VECTOR(uint64_t) words, colour;
    VECTOR(struct canonical_edge) edges;
    uint32_t base; /* the graph that steps begin with, kept in the same way; NO_NUMBER: none */
    numbers base_node_of;
    VECTOR(uint64_t) base_colour;
    VECTOR(struct canonical_edge) base_edges;
    uint32_t at;             /* the graph that is looked at; NO_NUMBER: none */
    numbers outside, inside; /* node -> what it is called; the node that is called so; NO_NUMBER: none */
    numbers key, events, order;
};

struct isomorphism *isomorphism_new(struct universe *universe, bool renames)
{
    struct isomorphism *i = calloc(1, sizeof *i);
    if (i)
        *i = (struct isomorphism){.universe = universe, .renames = renames, .base = NO_NUMBER, .at = NO_NUMBER};
    return i;
}

void isomorphism_free(struct isomorphism *i)
{
    if (!i)
        return;
    numbers *all[] = {&i->nodes_at, &i->of_form, &i->named, &i->number_of,    &i->node_of, &i->place,
                      &i->node_at,  &i->first,   &i->none,  &i->entities,     &i->form,    &i->outside,
                      &i->inside,   &i->key,     &i->order, &i->base_node_of, &i->events};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]->item);
    canonical_clear(&i->workspace);
    sequences_clear(&i->forms);
    free(i->members.item);
    free(i->words.item);
    free(i->colour.item);
    free(i->edges.item);
    free(i->base_colour.item);
    free(i->base_edges.item);
    free(i);
}

size_t isomorphism_bytes(const struct isomorphism *i)
{
    return i ? sequences_bytes(&i->forms) + i->members.capacity * sizeof *i->members.item +
                   (i->nodes_at.capacity + i->of_form.capacity) * sizeof(uint32_t)
             : 0;
}

/* One number for each node that was met. */
static bool know_nodes(const struct isomorphism *i, numbers *some)
{
    size_t nodes = i->universe->nodes.count;
    if (some->count < nodes && !vector_reserve(some, nodes - some->count))
        return false;
    while (some->count < nodes)
        some->item[some->count++] = NO_NUMBER;
    return true;
}

/* ------------------------------------------------------------------ numbering */

/* Room for so many nodes and edges more. */
static bool make_room(struct isomorphism *i, size_t most)
{
    return know_nodes(i, &i->number_of) && vector_reserve(&i->node_of, most) && vector_reserve(&i->colour, most) &&
           vector_reserve(&i->edges, most) && vector_reserve(&i->place, i->node_of.count + most + 1) &&
           vector_reserve(&i->node_at, i->node_of.count + most + 1);
}

/* Ordinary nodes have one colour and come first, every value has its own. */
static inline uint32_t number_node(struct isomorphism *i, uint32_t node)
{
    uint32_t *number = &i->number_of.item[node];
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
        i->number_of.item[i->node_of.item[k]] = NO_NUMBER;
    i->node_of.count = i->colour.count = i->edges.count = i->entities.count = i->none.count = 0;
}

/* ------------------------------------------------------------------ forms */

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

/* The form, which no other graph has: how many nodes and edges, the edges between places, which values stand at which
 * places.  In a small graph an edge is one number. */
static bool write_form(struct isomorphism *i)
{
    enum { FEW_NODES = 1 << 10, FEW_LABELS = 1 << 12 };
    bool is_small = i->node_of.count <= FEW_NODES && i->universe->node_label <= FEW_LABELS;
    i->form.count = 0;
    if (!vector_reserve(&i->words, i->edges.count + 1) ||
        !vector_reserve(&i->form, 2 * (1 + i->edges.count + i->node_of.count)) || !write_edges(i, i->words.item))
        return false;
    uint32_t *form = i->form.item;
    *form++ = (uint32_t)i->node_of.count;
    *form++ = (uint32_t)i->edges.count;
    for (const uint64_t *word = i->words.item; word < i->words.item + i->edges.count; word++) {
        if (!is_small)
            *form++ = (uint32_t)(*word >> 32);
        *form++ = is_small ? (uint32_t)(*word >> 44 << 22 | (*word >> 20 & (FEW_LABELS - 1)) << 10 | (*word & 1023))
                           : (uint32_t)*word;
    }
    for (uint32_t k = 0; k < i->node_of.count; k++)
        if (value_of_node(i->universe, i->node_at.item[k]) != NO_NUMBER) {
            *form++ = k;
            *form++ = i->node_at.item[k];
        }
    i->form.count = (size_t)(form - i->form.item);
    return true;
}

/* The number of the form of the graph whose nodes are numbered; NO_NUMBER when memory is exhausted. */
static uint32_t find_form(struct isomorphism *i)
{
    bool is_new;
    if (!canonical_form(&i->workspace, (uint32_t)i->node_of.count, i->colour.item, (uint32_t)i->edges.count,
                        i->edges.item, i->place.item))
        return NO_NUMBER;
    for (uint32_t k = 0; k < i->node_of.count; k++)
        i->node_at.item[i->place.item[k]] = i->node_of.item[k];
    return write_form(i) ? sequence_insert(&i->forms, i->form.item, i->form.count, &is_new) : NO_NUMBER;
}

/* ------------------------------------------------------------------ classes */

static uint32_t known_representative(const struct isomorphism *i, uint32_t graph)
{
    return graph < i->members.count ? i->members.item[graph].representative : NO_NUMBER;
}

static bool remember(struct isomorphism *i, uint32_t graph, uint32_t representative)
{
    size_t graphs = i->universe->graphs.count;
    if (i->members.count < graphs && !vector_reserve(&i->members, graphs - i->members.count))
        return false;
    while (i->members.count < graphs)
        i->members.item[i->members.count++] = (struct member){NO_NUMBER, 0, 0};
    i->members.item[graph].representative = representative;
    return true;
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

/* The graph with the nodes called by their places; values stay. */
static uint32_t rename_all(struct isomorphism *i)
{
    struct universe *u = i->universe;
    numbers *called = &i->first; /* as scratch */
    i->entities.count = 0;
    if (!vector_reserve(called, i->node_of.count + 1))
        return NO_NUMBER;
    bool fine = true;
    for (uint32_t k = 0; k < i->node_of.count && fine; k++) {
        uint32_t name = called->item[k] = i->colour.item[k] ? i->node_of.item[k] : i->named.item[i->place.item[k]];
        fine = i->colour.item[k] || vector_push(&i->entities, entity_of(u, name, u->node_label, name));
    }
    for (size_t k = 0; k < i->edges.count && fine; k++) {
        const struct canonical_edge *e = &i->edges.item[k];
        fine = vector_push(&i->entities, entity_of(u, called->item[e->from], e->label, called->item[e->to]));
    }
    for (size_t k = 0; k < i->entities.count && fine; k++)
        fine = i->entities.item[k] != NO_NUMBER;
    numbers_sort(&i->entities);
    return fine ? graph_of(u, &i->entities) : NO_NUMBER;
}

/* A graph whose form is new stands for its class; when memory is exhausted it does not. */
static uint32_t begin_class(struct isomorphism *i, uint32_t form, uint32_t graph)
{
    while (i->of_form.count <= form)
        if (!vector_push(&i->of_form, NO_NUMBER))
            return NO_NUMBER;
    if (!name_places(i) || (i->renames && (graph = rename_all(i)) == NO_NUMBER) ||
        !vector_reserve(&i->nodes_at, i->node_of.count + 1) || !remember(i, graph, graph))
        return NO_NUMBER;
    struct member *m = &i->members.item[graph];
    *m = (struct member){graph, (uint32_t)i->node_of.count, i->nodes_at.count};
    memcpy(i->nodes_at.item + m->first, i->node_at.item, m->nodes * sizeof *i->node_at.item);
    i->nodes_at.count += m->nodes;
    return i->of_form.item[form] = graph;
}

static uint32_t representative_of_form(const struct isomorphism *i, uint32_t form)
{
    return form < i->of_form.count ? i->of_form.item[form] : NO_NUMBER;
}

uint32_t class_of_graph(struct isomorphism *i, uint32_t graph)
{
    uint32_t known = known_representative(i, graph);
    if (known != NO_NUMBER)
        return known;
    forget(i);
    if (!graph_difference(i->universe, 0, graph, &i->none, &i->entities) || !make_room(i, 2 * i->entities.count))
        return NO_NUMBER;
    for (size_t k = 0; k < i->entities.count; k++)
        add_entity(i, i->entities.item[k]);
    uint32_t form = find_form(i);
    if (form == NO_NUMBER)
        return NO_NUMBER;
    uint32_t representative = representative_of_form(i, form);
    if (representative == NO_NUMBER)
        representative = begin_class(i, form, graph);
    return representative != NO_NUMBER && remember(i, graph, representative) ? representative : NO_NUMBER;
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
    const struct member *m = &i->members.item[present->graph];
    size_t most = m->nodes;
    forget(i);
    i->base = NO_NUMBER;
    for (uint32_t label = 0; label <= labels; label++)
        most += 2 * present->by_label[label].count;
    if (!make_room(i, most))
        return false;
    for (uint32_t k = 0; k < m->nodes; k++)
        number_node(i, i->nodes_at.item[m->first + k]);
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
        i->number_of.item[i->node_of.item[k]] = k;
    return true;
}

/* The last node takes the place of one that has no edges any more. */
static void drop_node(struct isomorphism *i, uint32_t node)
{
    uint32_t number = i->number_of.item[node], last = (uint32_t)--i->node_of.count;
    i->colour.count--;
    i->node_of.item[number] = i->node_of.item[last];
    i->colour.item[number] = i->colour.item[last];
    i->number_of.item[i->node_of.item[number]] = number;
    i->number_of.item[node] = NO_NUMBER;
    for (size_t k = 0; k < i->edges.count && number != last; k++) {
        struct canonical_edge *e = &i->edges.item[k];
        e->from = e->from == last ? number : e->from;
        e->to = e->to == last ? number : e->to;
    }
}

/* A value is there only as long as edges lead to it. */
static void drop_edge(struct isomorphism *i, const struct entity *gone)
{
    uint32_t from = i->number_of.item[gone->from], to = i->number_of.item[gone->to], uses = 0;
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

/* Numbers the nodes of the present graph after a change. */
static bool number_change(struct isomorphism *i, const struct present *present, const numbers *removed,
                          const numbers *added)
{
    if (i->base != present->graph && !keep_base(i, present))
        return false;
    if (!begin_with_base(i) || !make_room(i, 2 * added->count))
        return false;
    drop_all(i, removed);
    for (size_t k = 0; k < added->count; k++)
        add_entity(i, added->item[k]);
    return true;
}

/* Is it worth while to look for graphs as they are? */
static bool are_found(const struct isomorphism *i)
{
    return i->tried < ENOUGH_TRIES || i->found > i->tried / WORTH_IT;
}

uint32_t class_of_change(struct isomorphism *i, const struct present *present, const numbers *removed,
                         const numbers *added)
{
    uint32_t graph = NO_NUMBER;
    if (are_found(i)) {
        graph = graph_change(i->universe, present->graph, removed, added);
        uint32_t known = known_representative(i, graph);
        i->tried++;
        i->found += known != NO_NUMBER;
        if (known != NO_NUMBER || graph == NO_NUMBER)
            return known;
    }
    uint32_t form = number_change(i, present, removed, added) ? find_form(i) : NO_NUMBER;
    uint32_t representative = representative_of_form(i, form);
    if (form == NO_NUMBER || (representative != NO_NUMBER && graph == NO_NUMBER))
        return representative;
    if (graph == NO_NUMBER)
        graph = graph_change(i->universe, present->graph, removed, added);
    if (graph != NO_NUMBER && representative == NO_NUMBER)
        representative = begin_class(i, form, graph);
    return representative != NO_NUMBER && remember(i, graph, representative) ? representative : NO_NUMBER;
}

/* ------------------------------------------------------------------ names */

/* From now on the nodes of the graph have their names, or have them no more. */
static void name_nodes(struct isomorphism *i, uint32_t graph, bool have_names)
{
    const struct member *m = &i->members.item[graph];
    const uint32_t *node = i->nodes_at.item + m->first, *name = i->named.item;
    for (uint32_t place = 0; place < m->nodes; place++)
        if (value_of_node(i->universe, node[place]) == NO_NUMBER) {
            i->outside.item[node[place]] = have_names ? name[place] : NO_NUMBER;
            i->inside.item[name[place]] = have_names ? node[place] : NO_NUMBER;
        }
}

bool isomorphism_look_at(struct isomorphism *i, uint32_t graph)
{
    if (i->renames || graph == i->at)
        return true;
    if (!know_nodes(i, &i->outside) || !know_nodes(i, &i->inside))
        return false;
    if (i->at != NO_NUMBER)
        name_nodes(i, i->at, false);
    name_nodes(i, graph, true);
    i->at = graph;
    return true;
}

static uint32_t other_name(const numbers *names, uint32_t node)
{
    uint32_t name = node < names->count ? names->item[node] : NO_NUMBER;
    return name == NO_NUMBER ? node : name;
}

uint32_t name_outside(const struct isomorphism *i, uint32_t node)
{
    return other_name(&i->outside, node);
}

/* The key with other names for nodes; labels stay. */
static const uint32_t *rename_key(struct isomorphism *i, const struct program *p, const uint32_t *key, size_t *length,
                                  const numbers *names)
{
    if (i->renames || *length == 1 || key[1] == FAILED_NODE)
        return key;
    i->key.count = i->events.count = 0;
    if (!vector_reserve(&i->key, *length) || !vector_reserve(&i->events, *length))
        return NULL;
    for (size_t at = 0, level = 0; at < *length; level = at < *length ? key[at] : 0) {
        numbers *to = at == 0 ? &i->key : &i->events;
        const numbers *anchor = &p->levels[level].anchor;
        to->item[to->count++] = key[at++];
        for (size_t k = 0; k < anchor->count && at < *length; k++, at++)
            to->item[to->count++] = anchor->item[k] < p->rule->nodes.count ? other_name(names, key[at]) : key[at];
    }
    if (i->events.count && !append_events(p, &i->events, &i->order, &i->key))
        return NULL;
    *length = i->key.count;
    return i->key.item;
}

const uint32_t *key_outside(struct isomorphism *i, const struct program *p, const uint32_t *key, size_t *length)
{
    return rename_key(i, p, key, length, &i->outside);
}

const uint32_t *key_inside(struct isomorphism *i, const struct program *p, const uint32_t *key, size_t *length)
{
    return rename_key(i, p, key, length, &i->inside);
}
