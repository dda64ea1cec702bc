/* SPDX-License-Identifier: Apache-2.0 */
/* The explicit view: see entities.h. */
#include "front/petri/entities.h"

#include "base/limits.h"
#include "base/lists.h"
#include "front/petri/entities_views.h"
#include "front/petri/system.h"
#include "front/petri/token_view.h"

struct view {
    struct token_view tokens; /* first: an action is a transition and the heights of the places that it changes */
    uint32_t *height;         /* per place: where the last search for its height ended */
};

static int32_t change(const struct net_arc *arc)
{
    return (int32_t)arc->produce - (int32_t)arc->consume;
}

static void close_view(void *view)
{
    struct view *v = view;
    token_view_close(&v->tokens);
    free(v->height);
    free(v);
}

static void *open_view(const struct portolan_system *system)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->height = calloc((size_t)net_of_system(system)->places + 1, sizeof *v->height);
    if (token_view_open(&v->tokens, system) && v->height)
        return v;
    close_view(v);
    return NULL;
}

static bool add_arc(struct token_view *v, const struct net_arc *arc, uint32_t height)
{
    int32_t by = change(arc);
    bool fine = true;
    if (by == 0) {
        fine &= !arc->need || token_view_touch(v, arc->place, arc->need - 1, true, 0);
        return fine && (!arc->inhibit || token_view_touch(v, arc->place, arc->inhibit - 1, false, 0));
    }
    for (uint32_t i = height; by > 0 && fine && i < height + (uint32_t)by; i++)
        fine = token_view_touch(v, arc->place, i, false, 1);
    for (uint32_t i = height - (uint32_t)-by; by < 0 && fine && i < height; i++)
        fine = token_view_touch(v, arc->place, i, true, -1);
    if (by > 0)
        return fine && (height == 0 || token_view_touch(v, arc->place, height - 1, true, 0));
    return fine && token_view_touch(v, arc->place, height, false, 0);
}

/* The draft is the transition, then a height for each of its arcs (0 when unchanged). */
static bool arrange(struct token_view *v)
{
    uint32_t t = v->draft.item[0], first = v->net->arc_offset[t];
    for (uint32_t i = first; i < v->net->arc_offset[t + 1]; i++)
        if (!add_arc(v, &v->net->arc[i], v->draft.item[1 + i - first]))
            return false;
    return true;
}

/* Does the place hold at least `tokens`? */
static bool holds(const struct token_view *v, const uint32_t *count, uint32_t known, uint32_t place, uint32_t tokens)
{
    return tokens == 0 || token_is_there(v, count, known, place, tokens - 1);
}

/* From the height that was found last: states that are asked about one after the other are similar. */
static uint32_t height_of(const struct view *v, const uint32_t *count, uint32_t known, uint32_t place)
{
    uint32_t height = v->height[place];
    while (!holds(&v->tokens, count, known, place, height))
        height--;
    while (holds(&v->tokens, count, known, place, height + 1))
        height++;
    return v->height[place] = height;
}

/* Is the transition enabled?  Then it is the draft. */
static bool draft_enabled(struct view *view, const uint32_t *count, uint32_t known, uint32_t t, bool *fine)
{
    struct token_view *v = &view->tokens;
    v->draft.count = 0;
    *fine &= vector_push(&v->draft, t);
    for (uint32_t i = v->net->arc_offset[t]; *fine && i < v->net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &v->net->arc[i];
        if (!holds(v, count, known, arc->place, arc->need) ||
            (arc->inhibit && holds(v, count, known, arc->place, arc->inhibit)))
            return false;
        *fine &= vector_push(&v->draft, change(arc) ? height_of(view, count, known, arc->place) : 0);
    }
    return *fine;
}

static bool enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver)
{
    struct token_view *v = view;
    uint32_t known = (uint32_t)v->place.count;
    bool fine = true;
    for (uint32_t t = 0; fine && t < v->net->transitions; t++)
        if (draft_enabled(view, count, known, t, &fine))
            fine = token_view_give(v, arrange, receiver);
    return fine;
}

/* Possible actions: those that touch a token of a place, with counts from low to high. */
struct question {
    struct view *view;
    uint32_t place, index;
    const uint32_t *low, *high;
    uint32_t known; /* entities when the counts were made */
    const struct portolan_receiver *receiver;
};

/* Does an arc at this height touch the token, if it is at the place at all? */
static bool may_answer(const struct question *q, const struct net_arc *arc, uint32_t height)
{
    int32_t by = change(arc);
    if (arc->place != q->place)
        return true;
    if (by == 0)
        return q->index + 1 == arc->need || q->index + 1 == arc->inhibit;
    return by > 0 ? q->index + 1 >= height && q->index < height + (uint32_t)by
                  : q->index + (uint32_t)-by >= height && q->index <= height;
}

/* Can each arc of the transition be satisfied?  Otherwise its heights need not be combined. */
static bool may_be_enabled(const struct question *q, uint32_t t)
{
    const struct token_view *v = &q->view->tokens;
    for_arcs (arc, v->net, t) {
        if (!holds(v, q->high, q->known, arc->place, arc->need) ||
            (arc->inhibit && holds(v, q->low, q->known, arc->place, arc->inhibit)))
            return false;
    }
    return true;
}

/* Gives the transition with every combination of heights that may be there, from arc i on. */
static bool give_heights(const struct question *q, uint32_t i)
{
    struct token_view *v = &q->view->tokens;
    const uint32_t *low = q->low, *high = q->high, known = q->known, t = v->draft.item[0];
    if (i == v->net->arc_offset[t + 1])
        return token_view_give(v, arrange, q->receiver);
    const struct net_arc *arc = &v->net->arc[i];
    uint32_t at = i - v->net->arc_offset[t] + 1;
    v->draft.item[at] = 0;
    if (!change(arc))
        return !may_answer(q, arc, 0) || give_heights(q, i + 1);
    bool fine = true;
    uint32_t least = height_of(q->view, low, known, arc->place);
    for (uint32_t h = least > arc->need ? least : arc->need;
         fine && (!arc->inhibit || h < arc->inhibit) && holds(v, high, known, arc->place, h); h++) {
        v->draft.item[at] = h;
        fine = !limits_reached() && (!may_answer(q, arc, h) || give_heights(q, i + 1));
    }
    return fine;
}

static bool possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                     const struct portolan_receiver *receiver)
{
    struct token_view *v = view;
    const struct question q = {.view = view,
                               .place = v->place.item[entity],
                               .index = token_index(v, entity),
                               .low = low,
                               .high = high,
                               .known = (uint32_t)v->place.count,
                               .receiver = receiver};
    bool fine = true;
    for_list (t, v->users, v->place.item[entity]) {
        if (!may_be_enabled(&q, *t))
            continue;
        uint32_t arcs = v->net->arc_offset[*t + 1] - v->net->arc_offset[*t];
        v->draft.count = 0;
        fine = fine && vector_reserve(&v->draft, (size_t)arcs + 1);
        if (!fine)
            break;
        v->draft.count = (size_t)arcs + 1;
        v->draft.item[0] = *t;
        fine = give_heights(&q, v->net->arc_offset[*t]);
    }
    return fine;
}

static enum portolan_fired state(const void *view, const uint32_t *count, void *bytes)
{
    const struct token_view *v = view;
    for (uint32_t p = 0; p < v->net->places; p++)
        v->marking[p] = height_of(view, count, (uint32_t)v->place.count, p);
    return net_state_of_marking(v->system->model, v->marking, bytes);
}

const struct portolan_entities net_entities_explicit = {.name = "explicit",
                                                        .open = open_view,
                                                        .close = close_view,
                                                        .entities = token_view_entities,
                                                        .initial = token_view_initial,
                                                        .enabled = enabled,
                                                        .possible = possible,
                                                        .touches = token_view_touches,
                                                        .action = token_view_action,
                                                        .state = state};

const struct portolan_entities *const net_entities[] = {&net_entities_symbolic, &net_entities_explicit,
                                                        &net_entities_identity, NULL};
