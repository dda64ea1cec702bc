/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity view: see entities.h.  The concretization of Burgman's thesis on probe sets (section 4.2.2, algorithms
 * 4 to 6) with two corrections.  A new token has the lowest name that is free, and what makes the name the lowest
 * belongs to the action, which reads the tokens below; otherwise the name would depend on the state, and actions
 * that are said to be independent would not commute.  An inhibitor arc is a test of a made-up entity that counts
 * the tokens of its place; otherwise producers would seem independent of what they disable.
 */
#include "front/petri/entities.h"

#include "base/limits.h"
#include "base/lists.h"
#include "front/petri/entities_views.h"
#include "front/petri/system.h"
#include "front/petri/token_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NO_COUNTER = UINT32_MAX };

/* What happens to tokens of a place, in the order of a draft.  What is taken and put back is read: it keeps its name.
 */
enum part { DELETED, READ, CREATED, PARTS };

struct view {
    struct token_view tokens;  /* first: an action is a transition and for each arc the tokens of each part */
    uint32_t *counter;         /* per place: the entity that counts its tokens when it has an inhibitor arc */
    struct sequences markings; /* that were asked about */
    uint64_t work;             /* done so far */
};

/* An enumeration of actions: tokens may be there when `high` has them and may be missing when `low` lacks them. */
struct concretization {
    struct view *view;
    const uint32_t *low, *high;
    uint32_t known; /* entities when the counts were made */
    const struct portolan_receiver *receiver;
    bool asks;             /* for actions that touch this token of the place; otherwise for all */
    uint32_t place, index; /* UINT32_MAX: the counter */
};

static uint32_t amount(const struct net_arc *arc, enum part part)
{
    uint32_t deleted = arc->consume > arc->produce ? arc->consume - arc->produce : 0;
    return part == DELETED ? deleted : part == READ ? arc->need - deleted : arc->produce + deleted - arc->consume;
}

static void close_view(void *view)
{
    struct view *v = view;
    token_view_close(&v->tokens);
    sequences_clear(&v->markings);
    free(v->counter);
    free(v);
}

static bool make_counters(struct view *view)
{
    struct token_view *v = &view->tokens;
    view->counter = malloc(((size_t)v->net->places + 1) * sizeof *view->counter);
    if (!view->counter)
        return false;
    memset(view->counter, 0xff, v->net->places * sizeof *view->counter); /* NO_COUNTER */
    for (uint32_t i = 0; i < v->net->arc_offset[v->net->transitions]; i++) {
        const struct net_arc *arc = &v->net->arc[i];
        if (!arc->inhibit || view->counter[arc->place] != NO_COUNTER)
            continue;
        view->counter[arc->place] = (uint32_t)v->place.count;
        if (!vector_push(&v->place, arc->place))
            return false;
    }
    return true;
}

static void *open_view(const struct portolan_system *system)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    if (token_view_open(&v->tokens, system) && make_counters(v))
        return v;
    close_view(v);
    return NULL;
}

static void initial(const void *view, uint32_t *count)
{
    const struct view *v = view;
    token_view_initial(view, count);
    for (uint32_t p = 0; p < v->tokens.net->places; p++)
        if (v->counter[p] != NO_COUNTER)
            count[v->counter[p]] = v->tokens.net->initial[p];
}

/* ---------------------------------------------------------------------- touches */

static bool is_among(const uint32_t *token, size_t count, uint32_t index)
{
    for (size_t i = 0; i < count; i++)
        if (token[i] == index)
            return true;
    return false;
}

/* Below the last token that is created, all that are neither created nor read already. */
static bool read_below(struct token_view *v, const struct net_arc *arc, const uint32_t *token, size_t count)
{
    bool fine = true;
    for (uint32_t i = 0; amount(arc, CREATED) && fine && i < token[count - 1]; i++)
        fine = is_among(token, count, i) || token_view_touch(v, arc->place, i, true, 0);
    return fine;
}

static bool touch_counter(struct token_view *v, const struct net_arc *arc)
{
    uint32_t counter = ((const struct view *)v)->counter[arc->place];
    int32_t by = (int32_t)arc->produce - (int32_t)arc->consume;
    if (counter == NO_COUNTER || (by == 0 && !arc->inhibit))
        return true;
    return token_view_arrange(v, (struct portolan_touch){.entity = counter,
                                                         .low = arc->need,
                                                         .high = arc->inhibit ? arc->inhibit - 1 : UINT32_MAX,
                                                         .change = by});
}

static bool arrange(struct token_view *v)
{
    uint32_t t = v->draft.item[0];
    const uint32_t *token = v->draft.item + 1;
    bool fine = true;
    for (uint32_t i = v->net->arc_offset[t]; fine && i < v->net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &v->net->arc[i];
        uint32_t end[PARTS], at = 0;
        for (enum part part = DELETED; part < PARTS; part++) {
            end[part] = at + amount(arc, part);
            for (; fine && at < end[part]; at++)
                fine =
                    token_view_touch(v, arc->place, token[at], part != CREATED, part == DELETED ? -1 : part == CREATED);
        }
        fine = fine && read_below(v, arc, token, at) && touch_counter(v, arc);
        token += at;
    }
    return fine;
}

/* -------------------------------------------------------------- concretization */

static bool give_arcs(const struct concretization *c, uint32_t arc);

/* Was the token taken for the arc already, when so many of a part are still to be chosen? */
static bool is_taken(const struct token_view *v, const struct net_arc *arc, enum part part, uint32_t open,
                     uint32_t index)
{
    size_t taken = 0;
    for (enum part before = DELETED; before <= part; before++)
        taken += amount(arc, before);
    taken -= open;
    return is_among(v->draft.item + v->draft.count - taken, taken, index);
}

/* Does the arc, whose tokens are the last in the draft, touch the token that was asked for, if it is at the place? */
static bool may_answer(const struct concretization *c, const struct net_arc *arc)
{
    const struct token_view *v = &c->view->tokens;
    if (!c->asks || arc->place != c->place || c->index == UINT32_MAX)
        return true;
    size_t taken = (size_t)arc->need + amount(arc, CREATED);
    const uint32_t *end = v->draft.item + v->draft.count;
    return is_among(end - taken, taken, c->index) || (amount(arc, CREATED) && c->index < end[-1]);
}

enum { WORK_OF_CHOICE = 4 };

/* Chooses so many more tokens of a part in every way, by increasing index, then the parts and arcs that follow. */
static bool choose_tokens(const struct concretization *c, uint32_t i, enum part part, uint32_t open, uint32_t from)
{
    struct token_view *v = &c->view->tokens;
    const struct net_arc *arc = &v->net->arc[i];
    c->view->work += WORK_OF_CHOICE;
    if (open == 0 && part == CREATED)
        return !may_answer(c, arc) || give_arcs(c, i + 1);
    if (open == 0)
        return choose_tokens(c, i, part + 1, amount(arc, part + 1), 0);
    bool fine = true;
    size_t chosen = v->draft.count;
    for (uint32_t index = from; fine; index++) {
        bool may_be_there = token_is_there(v, c->high, c->known, arc->place, index);
        bool may_be_missing = !token_is_there(v, c->low, c->known, arc->place, index);
        if ((part == CREATED ? may_be_missing : may_be_there) && !is_taken(v, arc, part, open, index)) {
            fine = !limits_reached() && vector_push(&v->draft, index) && choose_tokens(c, i, part, open - 1, index + 1);
            v->draft.count = chosen;
        }
        if (part == CREATED ? !may_be_there : !token_is_met(v, arc->place, index))
            break; /* nothing above: a lower name would be free, or there are no more tokens */
    }
    return fine;
}

static bool give_arcs(const struct concretization *c, uint32_t i)
{
    struct token_view *v = &c->view->tokens;
    if (i == v->net->arc_offset[v->draft.item[0] + 1])
        return token_view_give(v, arrange, c->receiver);
    const struct net_arc *arc = &v->net->arc[i];
    if (arc->inhibit && c->low[c->view->counter[arc->place]] >= arc->inhibit)
        return true;
    return choose_tokens(c, i, DELETED, amount(arc, DELETED), 0);
}

static bool concretize(const struct concretization *c, uint32_t t)
{
    struct token_view *v = &c->view->tokens;
    v->draft.count = 0;
    return vector_push(&v->draft, t) && give_arcs(c, v->net->arc_offset[t]);
}

static bool enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver)
{
    const struct concretization c = {
        .view = view, .low = count, .high = count, .known = token_view_entities(view), .receiver = receiver};
    bool fine = true;
    for (uint32_t t = 0; fine && t < c.view->tokens.net->transitions; t++)
        fine = concretize(&c, t);
    return fine;
}

static bool possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                     const struct portolan_receiver *receiver)
{
    const struct token_view *v = view;
    const struct concretization c = {.view = view,
                                     .low = low,
                                     .high = high,
                                     .known = token_view_entities(view),
                                     .receiver = receiver,
                                     .asks = true,
                                     .place = v->place.item[entity],
                                     .index = token_index(v, entity)};
    bool fine = true;
    for_list (t, v->users, c.place)
        fine = fine && concretize(&c, *t);
    return fine;
}

/* ----------------------------------------------------------------------- states */

static void count_tokens(const struct view *view, const uint32_t *count)
{
    const struct token_view *v = &view->tokens;
    memset(v->marking, 0, v->net->places * sizeof *v->marking);
    for (uint32_t e = 0; e < v->place.count; e++)
        if (e != view->counter[v->place.item[e]])
            v->marking[v->place.item[e]] += count[e];
}

static enum portolan_fired state(const void *view, const uint32_t *count, void *bytes)
{
    const struct token_view *v = view;
    count_tokens(view, count);
    return net_state_of_marking(v->system->model, v->marking, bytes);
}

static uint32_t state_number(void *view, const uint32_t *count)
{
    struct view *v = view;
    bool is_new;
    count_tokens(v, count);
    return sequence_insert(&v->markings, v->tokens.marking, v->tokens.net->places, &is_new);
}

/* ------------------------------------------------------------------ explanations */

/* Appends the tokens of some parts of an action, separated by commas. */
static size_t write_parts(const struct token_view *v, const uint32_t *item, enum part first, enum part last, char *text,
                          size_t size)
{
    size_t used = 0;
    const uint32_t *token = item + 1;
    for (uint32_t i = v->net->arc_offset[item[0]]; i < v->net->arc_offset[item[0] + 1]; i++)
        for (enum part part = DELETED; part < PARTS; part++)
            for (uint32_t left = amount(&v->net->arc[i], part); left > 0; left--, token++)
                if (first <= part && part <= last && used < size)
                    used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, used ? "," : "", *token);
    return used < size ? used : size;
}

/* As in "move(2→0)": the tokens that are taken or read, then those that are created. */
static void action_text(const void *view, uint32_t action, char *text, size_t size)
{
    const struct token_view *v = view;
    size_t length;
    const uint32_t *item = sequence_get(&v->actions, action, &length);
    char before[96] = "", after[96] = "";
    write_parts(v, item, DELETED, READ, before, sizeof before);
    bool creates = write_parts(v, item, CREATED, CREATED, after, sizeof after) > 0;
    snprintf(text, size, "%s(%s%s%s)", v->system->action_name(v->system->model, item[0]), before, creates ? "→" : "",
             after);
}

static uint64_t work(const void *view)
{
    return ((const struct view *)view)->work;
}

const struct portolan_entities net_entities_identity = {.name = "identity",
                                                        .open = open_view,
                                                        .close = close_view,
                                                        .entities = token_view_entities,
                                                        .initial = initial,
                                                        .enabled = enabled,
                                                        .possible = possible,
                                                        .touches = token_view_touches,
                                                        .action = token_view_action,
                                                        .state = state,
                                                        .state_number = state_number,
                                                        .action_text = action_text,
                                                        .work = work};
