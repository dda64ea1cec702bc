/* SPDX-License-Identifier: Apache-2.0 */
/* The explicit view: see entities.h.  Token i (from 0) of place p is entity i * places + p. */
#include "front/petri/entities.h"

#include "base/lists.h"
#include "base/sequences.h"
#include "front/petri/entities_views.h"
#include "front/petri/system.h"
#include "system/touch_table.h"

#include <string.h>

enum { MOST_ENTITIES = 1 << 24 }; /* nets with more tokens have the symbolic view */

struct view {
    const struct portolan_system *system;
    const struct net *net;
    struct portolan_lists users; /* place -> transitions */
    struct sequences actions;    /* a transition and the heights of the places that it changes */
    struct touch_table touches;  /* of the actions met so far; not indexed */
    uint32_t layers;             /* tokens of one place that were met */
    uint32_t *marking;           /* scratch */
    VECTOR(uint32_t) draft;      /* the action being put together */
};

static uint32_t token(const struct view *v, uint32_t place, uint32_t index)
{
    return index * v->net->places + place;
}

static int32_t change(const struct net_arc *arc)
{
    return (int32_t)arc->produce - (int32_t)arc->consume;
}

static void close_view(void *view)
{
    struct view *v = view;
    lists_clear(&v->users);
    sequences_clear(&v->actions);
    touch_table_clear(&v->touches);
    free(v->marking);
    free(v->draft.item);
    free(v);
}

static void *open_view(const struct portolan_system *system)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->system = system;
    v->net = net_of_system(system);
    v->layers = 1;
    struct lists_builder users = {0};
    for (uint32_t p = 0; p < v->net->places; p++)
        if (v->net->initial[p] > v->layers)
            v->layers = v->net->initial[p];
    for (uint32_t t = 0; t < v->net->transitions; t++)
        for (uint32_t i = v->net->arc_offset[t]; i < v->net->arc_offset[t + 1]; i++)
            lists_add(&users, v->net->arc[i].place, t);
    v->marking = calloc((size_t)v->net->places + 1, sizeof *v->marking);
    bool listed = lists_finish(&users, v->net->places, &v->users);
    if (listed && v->marking && v->layers < MOST_ENTITIES / (v->net->places + 1))
        return v;
    close_view(v);
    return NULL;
}

static uint32_t entities(const void *view)
{
    const struct view *v = view;
    return v->layers * v->net->places;
}

static void initial(const void *view, uint32_t *count)
{
    const struct view *v = view;
    for (uint32_t i = 0; i < v->layers; i++)
        for (uint32_t p = 0; p < v->net->places; p++)
            count[token(v, p, i)] = v->net->initial[p] > i;
}

/* Reads, forbids, deletes or creates a token. */
static bool add(struct view *v, uint32_t place, uint32_t index, bool present, int32_t by)
{
    if (index >= MOST_ENTITIES / (v->net->places + 1))
        return false;
    if (index >= v->layers)
        v->layers = index + 1;
    return touch_table_add(&v->touches, (struct portolan_touch){.entity = token(v, place, index),
                                                                .low = present,
                                                                .high = present ? UINT32_MAX : 0,
                                                                .change = by});
}

static bool add_arc(struct view *v, const struct net_arc *arc, uint32_t height)
{
    int32_t by = change(arc);
    bool fine = true;
    if (by == 0) {
        fine &= !arc->need || add(v, arc->place, arc->need - 1, true, 0);
        return fine && (!arc->inhibit || add(v, arc->place, arc->inhibit - 1, false, 0));
    }
    for (uint32_t i = height; by > 0 && fine && i < height + (uint32_t)by; i++)
        fine = add(v, arc->place, i, false, 1);
    for (uint32_t i = height - (uint32_t)-by; by < 0 && fine && i < height; i++)
        fine = add(v, arc->place, i, true, -1);
    if (by > 0)
        return fine && (height == 0 || add(v, arc->place, height - 1, true, 0));
    return fine && add(v, arc->place, height, false, 0);
}

/* The number of the action in v->draft: the transition, then a height for each of its arcs (0 when unchanged). */
static bool give_draft(struct view *v, const struct portolan_receiver *receiver)
{
    bool is_new;
    uint32_t t = v->draft.item[0], first = v->net->arc_offset[t];
    uint32_t action = sequence_insert(&v->actions, v->draft.item, v->draft.count, &is_new);
    if (action == SEQUENCE_NONE)
        return false;
    for (uint32_t i = first; is_new && i < v->net->arc_offset[t + 1]; i++)
        if (!add_arc(v, &v->net->arc[i], v->draft.item[1 + i - first]))
            return false;
    return (!is_new || touch_table_end(&v->touches)) && receiver->give(receiver->user, action);
}

/* Does the place hold at least `tokens`?  Tokens that were not met have count 0. */
static bool holds(const struct view *v, const uint32_t *count, uint32_t layers, uint32_t place, uint32_t tokens)
{
    return tokens == 0 || (tokens <= layers && count[token(v, place, tokens - 1)]);
}

static uint32_t height_of(const struct view *v, const uint32_t *count, uint32_t layers, uint32_t place)
{
    uint32_t height = 0;
    while (holds(v, count, layers, place, height + 1))
        height++;
    return height;
}

/* Is the transition enabled?  Then it is the draft. */
static bool draft_enabled(struct view *v, const uint32_t *count, uint32_t layers, uint32_t t, bool *fine)
{
    v->draft.count = 0;
    *fine &= vector_push(&v->draft, t);
    for (uint32_t i = v->net->arc_offset[t]; *fine && i < v->net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &v->net->arc[i];
        if (!holds(v, count, layers, arc->place, arc->need) ||
            (arc->inhibit && holds(v, count, layers, arc->place, arc->inhibit)))
            return false;
        *fine &= vector_push(&v->draft, change(arc) ? height_of(v, count, layers, arc->place) : 0);
    }
    return *fine;
}

static bool enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver)
{
    struct view *v = view;
    uint32_t layers = v->layers;
    bool fine = true;
    for (uint32_t t = 0; fine && t < v->net->transitions; t++)
        if (draft_enabled(v, count, layers, t, &fine))
            fine = give_draft(v, receiver);
    return fine;
}

/* Gives the transition with every combination of heights that may be there, from arc i on. */
static bool give_heights(struct view *v, const uint32_t *low, const uint32_t *high, uint32_t layers, uint32_t i,
                         const struct portolan_receiver *receiver)
{
    uint32_t t = v->draft.item[0];
    if (i == v->net->arc_offset[t + 1])
        return give_draft(v, receiver);
    const struct net_arc *arc = &v->net->arc[i];
    uint32_t at = i - v->net->arc_offset[t] + 1;
    if (!holds(v, high, layers, arc->place, arc->need) ||
        (arc->inhibit && holds(v, low, layers, arc->place, arc->inhibit)))
        return true;
    v->draft.item[at] = 0;
    if (!change(arc))
        return give_heights(v, low, high, layers, i + 1, receiver);
    bool fine = true;
    for (uint32_t h = arc->need; fine && (!arc->inhibit || h < arc->inhibit) && holds(v, high, layers, arc->place, h);
         h++) {
        v->draft.item[at] = h;
        if (!holds(v, low, layers, arc->place, h + 1))
            fine = give_heights(v, low, high, layers, i + 1, receiver);
    }
    return fine;
}

static bool possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                     const struct portolan_receiver *receiver)
{
    struct view *v = view;
    uint32_t layers = v->layers;
    bool fine = true;
    for_list (t, v->users, entity % v->net->places) {
        uint32_t arcs = v->net->arc_offset[*t + 1] - v->net->arc_offset[*t];
        v->draft.count = 0;
        fine = fine && vector_reserve(&v->draft, (size_t)arcs + 1);
        if (!fine)
            break;
        v->draft.count = (size_t)arcs + 1;
        v->draft.item[0] = *t;
        fine = give_heights(v, low, high, layers, v->net->arc_offset[*t], receiver);
    }
    return fine;
}

static const struct portolan_touch *touches(const void *view, uint32_t action, uint32_t *count)
{
    return touch_table_get(&((const struct view *)view)->touches, action, count);
}

static uint32_t transition(const void *view, uint32_t action)
{
    size_t length;
    return sequence_get(&((const struct view *)view)->actions, action, &length)[0];
}

static enum portolan_fired state(const void *view, const uint32_t *count, void *bytes)
{
    const struct view *v = view;
    for (uint32_t p = 0; p < v->net->places; p++)
        v->marking[p] = height_of(v, count, v->layers, p);
    return net_state_of_marking(v->system->model, v->marking, bytes);
}

const struct portolan_entities net_entities_explicit = {.name = "explicit",
                                                        .open = open_view,
                                                        .close = close_view,
                                                        .entities = entities,
                                                        .initial = initial,
                                                        .enabled = enabled,
                                                        .possible = possible,
                                                        .touches = touches,
                                                        .action = transition,
                                                        .state = state};

const struct portolan_entities *const net_entities[] = {&net_entities_symbolic, &net_entities_explicit, NULL};
