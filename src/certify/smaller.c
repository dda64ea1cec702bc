/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/smaller.h"

#include "base/limits.h"

#include <inttypes.h>
#include <string.h>

bool smaller_add(struct smaller *s, struct smaller_arcs arcs)
{
    uint32_t number = (uint32_t)s->transitions.count;
    struct smaller_transition transition = {.arcs = arcs};
    if (number == UINT32_MAX || !vector_push(&s->transitions, transition)) {
        free(arcs.item);
        return false;
    }
    for (size_t i = 0; i < arcs.count; i++)
        if (!vector_push(&s->place[arcs.item[i].place].users, number))
            return false;
    return true;
}

bool smaller_make(struct smaller *s, const struct net *net)
{
    *s = (struct smaller){.net = net, .place = calloc((size_t)net->places + 1, sizeof *s->place)};
    if (!s->place)
        return false;
    for (uint32_t p = 0; p < net->places; p++)
        s->place[p].tokens = net->initial[p];
    for (uint32_t t = 0; t < net->transitions; t++) {
        struct smaller_arcs arcs = {0};
        for_arcs (arc, net, t) {
            if ((tests(arc) || arc->produce) && !vector_push(&arcs, *arc)) {
                free(arcs.item);
                return false;
            }
        }
        if (!smaller_add(s, arcs) || limits_reached())
            return false;
    }
    return true;
}

void smaller_clear(struct smaller *s)
{
    for (uint32_t p = 0; s->place && p < s->net->places; p++)
        free(s->place[p].users.item);
    for (size_t t = 0; t < s->transitions.count; t++)
        free(s->transitions.item[t].arcs.item);
    free(s->place);
    free(s->transitions.item);
    memset(s, 0, sizeof *s);
}

const struct net_arc *smaller_arc(const struct smaller *s, uint32_t transition, uint32_t place)
{
    static const struct net_arc none;
    const struct smaller_arcs *arcs = &s->transitions.item[transition].arcs;
    size_t low = 0, high = arcs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arcs->item[middle].place == place)
            return &arcs->item[middle];
        if (arcs->item[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return &none;
}

void smaller_remove_place(struct smaller *s, uint32_t place)
{
    for (size_t i = 0; i < s->place[place].users.count; i++) {
        struct smaller_arcs *arcs = &s->transitions.item[s->place[place].users.item[i]].arcs;
        size_t kept = 0;
        for (size_t j = 0; j < arcs->count; j++)
            if (arcs->item[j].place != place)
                arcs->item[kept++] = arcs->item[j];
        arcs->count = kept;
    }
    s->place[place].users.count = 0;
    s->place[place].gone = true;
}

/* ------------------------------------------------------------------- the end */

static void write_arcs(struct net_builder *builder, const struct smaller *s, uint32_t t, uint32_t number,
                       const uint32_t *new_number)
{
    for_arcs_of(arc, s, t)
    {
        const struct {
            enum net_arc_kind kind;
            uint32_t weight;
        } parts[] = {{NET_CONSUME, arc->consume},
                     {NET_PRODUCE, arc->produce},
                     {NET_READ, arc->need > arc->consume ? arc->need : 0},
                     {NET_INHIBIT, arc->inhibit}};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (parts[i].weight)
                net_builder_arc(builder, parts[i].kind, new_number[arc->place], number, parts[i].weight);
    }
}

/* A joined transition has an id that no file can have, with the number by which the steps know it. */
static uint32_t write_transition(struct net_builder *builder, const struct smaller *s, uint32_t t)
{
    char id[24], name[24];
    snprintf(id, sizeof id, "\001%" PRIu32, t);
    snprintf(name, sizeof name, "joined %" PRIu32, t);
    return t < s->net->transitions
               ? net_builder_transition(builder, s->net->transition_id[t], s->net->transition_name[t])
               : net_builder_transition(builder, id, name);
}

struct net *smaller_finish(const struct smaller *s)
{
    struct net_builder *builder = net_builder_new(s->net->name);
    uint32_t *new_number = calloc((size_t)s->net->places + 1, sizeof *new_number);
    if (!builder || !new_number) {
        net_builder_free(builder);
        free(new_number);
        return NULL;
    }
    for (uint32_t p = 0; p < s->net->places; p++)
        if (!s->place[p].gone)
            new_number[p] = net_builder_place(builder, s->net->place_id[p], s->net->place_name[p], s->place[p].tokens);
    for (uint32_t t = 0; t < s->transitions.count; t++)
        if (!s->transitions.item[t].gone)
            write_arcs(builder, s, t, write_transition(builder, s, t), new_number);
    free(new_number);
    return net_builder_finish(builder, NULL);
}
