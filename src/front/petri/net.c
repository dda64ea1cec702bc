/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/net.h"

#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

/* An arc as it was declared; records of the same pair are merged by net_builder_finish. */
struct declared_arc {
    uint32_t transition;
    uint32_t place;
    uint32_t weight;
    enum net_arc_kind kind;
};

struct net_builder {
    struct net *net; /* names and markings grow here; arcs are laid out at the end */
    size_t place_capacity, place_name_capacity, initial_capacity;
    size_t transition_capacity, transition_name_capacity;
    VECTOR(struct declared_arc) arcs;
    VECTOR(struct net_unit) units;
    VECTOR(uint32_t) unit_places;
    bool failed;
};

void net_free(struct net *net)
{
    if (!net)
        return;
    for (uint32_t p = 0; p < net->places; p++) {
        free(net->place_id[p]);
        free(net->place_name[p]);
    }
    for (uint32_t t = 0; t < net->transitions; t++) {
        free(net->transition_id[t]);
        free(net->transition_name[t]);
    }
    free(net->place_id);
    free(net->place_name);
    free(net->transition_id);
    free(net->transition_name);
    free(net->initial);
    free(net->arc_offset);
    free(net->arc);
    free(net->priority);
    free(net->unit);
    free(net->unit_places);
    free(net->name);
    free(net);
}

struct net_builder *net_builder_new(const char *name)
{
    struct net_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return NULL;
    builder->net = calloc(1, sizeof *builder->net);
    if (!builder->net || !net_builder_name(builder, name)) {
        net_builder_free(builder);
        return NULL;
    }
    return builder;
}

void net_builder_free(struct net_builder *builder)
{
    if (!builder)
        return;
    net_free(builder->net);
    free(builder->arcs.item);
    free(builder->units.item);
    free(builder->unit_places.item);
    free(builder);
}

bool net_builder_name(struct net_builder *builder, const char *name)
{
    char *copy = strdup(name ? name : "");
    if (!copy)
        return !(builder->failed = true);
    free(builder->net->name);
    builder->net->name = copy;
    return true;
}

/* Appends the strings of a node; the count is raised only when everything is in place. */
static bool append_node(char ***ids, size_t *id_capacity, char ***names, size_t *name_capacity, uint32_t count,
                        const char *id, const char *name)
{
    if (!vector_grow((void **)ids, id_capacity, count + 1, sizeof **ids) ||
        !vector_grow((void **)names, name_capacity, count + 1, sizeof **names))
        return false;
    char *id_copy = strdup(id);
    char *name_copy = name && strcmp(name, id) != 0 ? strdup(name) : NULL;
    if (!id_copy || (name && strcmp(name, id) != 0 && !name_copy)) {
        free(id_copy);
        free(name_copy);
        return false;
    }
    (*ids)[count] = id_copy;
    (*names)[count] = name_copy;
    return true;
}

uint32_t net_builder_place(struct net_builder *builder, const char *id, const char *name, uint32_t tokens)
{
    struct net *net = builder->net;
    if (builder->failed ||
        !vector_grow((void **)&net->initial, &builder->initial_capacity, net->places + 1, sizeof *net->initial) ||
        !append_node(&net->place_id, &builder->place_capacity, &net->place_name, &builder->place_name_capacity,
                     net->places, id, name)) {
        builder->failed = true;
        return 0;
    }
    net->initial[net->places] = tokens;
    return net->places++;
}

uint32_t net_builder_transition(struct net_builder *builder, const char *id, const char *name)
{
    struct net *net = builder->net;
    if (builder->failed || !append_node(&net->transition_id, &builder->transition_capacity, &net->transition_name,
                                        &builder->transition_name_capacity, net->transitions, id, name)) {
        builder->failed = true;
        return 0;
    }
    return net->transitions++;
}

bool net_builder_arc(struct net_builder *builder, enum net_arc_kind kind, uint32_t place, uint32_t transition,
                     uint32_t weight)
{
    struct declared_arc arc = {.transition = transition, .place = place, .weight = weight, .kind = kind};
    if (builder->failed || !vector_push(&builder->arcs, arc))
        builder->failed = true;
    return !builder->failed;
}

bool net_builder_unit(struct net_builder *builder, const uint32_t *places, uint32_t count)
{
    struct net_unit unit = {.first = (uint32_t)builder->unit_places.count, .count = count};
    if (builder->failed || !vector_push(&builder->units, unit) || !vector_reserve(&builder->unit_places, count)) {
        builder->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        builder->unit_places.item[builder->unit_places.count++] = places[i];
    return true;
}

static int by_transition_then_place(const void *left, const void *right)
{
    const struct declared_arc *a = left, *b = right;
    if (a->transition != b->transition)
        return a->transition < b->transition ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return 0;
}

/* Adds one declared arc to the record of its pair; false when a weight grows too large. */
static bool merge(struct net_arc *arc, const struct declared_arc *declared)
{
    uint32_t weight = declared->weight;
    switch (declared->kind) { /* weights are so small that a sum of two fits */
    case NET_CONSUME: arc->consume += weight; break;
    case NET_PRODUCE: arc->produce += weight; break;
    case NET_READ: arc->need = weight > arc->need ? weight : arc->need; break;
    case NET_INHIBIT: arc->inhibit = !arc->inhibit || weight < arc->inhibit ? weight : arc->inhibit; break;
    }
    return arc->consume <= NET_MAX_TOKENS && arc->produce <= NET_MAX_TOKENS;
}

/* Sorts the declared arcs and merges them into net->arc; false on failure. */
static bool lay_out_arcs(struct net_builder *builder, bool *overflow)
{
    struct net *net = builder->net;
    size_t declared = builder->arcs.count;
    net->arc_offset = calloc((size_t)net->transitions + 1, sizeof *net->arc_offset);
    net->arc = calloc(declared + 1, sizeof *net->arc);
    if (!net->arc_offset || !net->arc)
        return false;
    if (declared)
        qsort(builder->arcs.item, declared, sizeof *builder->arcs.item, by_transition_then_place);
    uint32_t count = 0;
    size_t next = 0;
    for (uint32_t t = 0; t < net->transitions; t++) {
        net->arc_offset[t] = count;
        for (; next < declared && builder->arcs.item[next].transition == t; next++) {
            const struct declared_arc *arc = &builder->arcs.item[next];
            if (count == net->arc_offset[t] || net->arc[count - 1].place != arc->place)
                net->arc[count++].place = arc->place;
            if (!merge(&net->arc[count - 1], arc)) {
                *overflow = true;
                return false;
            }
        }
    }
    net->arc_offset[net->transitions] = count;
    for (uint32_t i = 0; i < count; i++)
        if (net->arc[i].need < net->arc[i].consume)
            net->arc[i].need = net->arc[i].consume;
    return true;
}

struct net *net_builder_finish(struct net_builder *builder, bool *overflow)
{
    bool too_large = false;
    struct net *net = NULL;
    if (!builder->failed && lay_out_arcs(builder, &too_large)) {
        net = builder->net;
        net->units = (uint32_t)builder->units.count;
        net->unit = builder->units.item;
        net->unit_places = builder->unit_places.item;
        builder->net = NULL;
        builder->units.item = NULL;
        builder->unit_places.item = NULL;
    }
    if (overflow)
        *overflow = too_large;
    net_builder_free(builder);
    return net;
}

bool net_has_inhibitors(const struct net *net)
{
    for (uint32_t i = 0; i < net->arc_offset[net->transitions]; i++)
        if (net->arc[i].inhibit)
            return true;
    return false;
}
