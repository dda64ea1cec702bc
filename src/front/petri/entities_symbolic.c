/* SPDX-License-Identifier: Apache-2.0 */
/* The symbolic view: see entities.h. */
#include "front/petri/entities_views.h"

#include "front/petri/system.h"
#include "system/touch_table.h"

#include <stdlib.h>

struct view {
    struct touch_table table; /* first */
    const struct portolan_system *system;
    const struct net *net;
};

static bool add_transition(struct view *v, uint32_t t)
{
    for_arcs (arc, v->net, t) {
        struct portolan_touch touch = {.entity = arc->place,
                                       .low = arc->need,
                                       .high = arc->inhibit ? arc->inhibit - 1 : UINT32_MAX,
                                       .change = (int32_t)arc->produce - (int32_t)arc->consume};
        if (!touch_table_add(&v->table, touch))
            return false;
    }
    return touch_table_end(&v->table);
}

static void *open_view(const struct portolan_system *system)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->system = system;
    v->net = net_of_system(system);
    bool fine = true;
    for (uint32_t t = 0; fine && t < v->net->transitions; t++)
        fine = add_transition(v, t);
    if (fine && touch_table_index(&v->table, v->net->places))
        return v;
    touch_table_close(v);
    return NULL;
}

static void initial(const void *view, uint32_t *count)
{
    const struct net *net = ((const struct view *)view)->net;
    for (uint32_t p = 0; p < net->places; p++)
        count[p] = net->initial[p];
}

static enum portolan_fired state(const void *view, const uint32_t *count, void *bytes)
{
    return net_state_of_marking(((const struct view *)view)->system->model, count, bytes);
}

const struct portolan_entities net_entities_symbolic = {
    .name = "symbolic", .open = open_view, TOUCH_TABLE_VIEW, .initial = initial, .state = state};
