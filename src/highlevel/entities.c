/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entities are tokens, under the numbers that the engine gives them.  An action touches what it takes, adds and
 * forbids, so actions of the view are those of the engine.  Which of them might be enabled is looked up as the engine
 * looks up what is enabled: for each transition by the markings of the places that it takes from, with as many tokens
 * as there may be; what forbids it is looked at afterwards.
 */
#include "highlevel/entities.h"

#include "base/limits.h"
#include "highlevel/engine.h"
#include "highlevel/tokens.h"

#include <string.h>

struct view_action {
    uint32_t action;       /* of the engine */
    uint32_t first, count; /* its touches */
};

struct fly_view {
    const struct portolan_system *system;
    struct fly_engine *engine;
    struct memo *rows; /* per transition: markings of `read`, with places that only forbid as 0 -> count, actions */
    VECTOR(struct view_action) actions;
    VECTOR(uint32_t) number; /* of the view's action, per action of the engine; NO_ACTION: not met */
    VECTOR(struct portolan_touch) touches;
    VECTOR(uint32_t) counts; /* that `marking` stands for, */
    uint32_t *marking;       /* per place */
    VECTOR(uint32_t) row;    /* that is being made */
    VECTOR(struct token_count) here;
    VECTOR(uint32_t) found; /* actions to be given */
    uint32_t told;          /* of how many entities the user of the view knows */
};

/* ------------------------------------------------------------------- touches */

static struct portolan_touch *touch_of(struct fly_view *v, uint32_t first, uint32_t token)
{
    for (size_t i = first; i < v->touches.count; i++)
        if (v->touches.item[i].entity == token)
            return &v->touches.item[i];
    struct portolan_touch fresh = {.entity = token, .high = UINT32_MAX};
    return vector_push(&v->touches, fresh) ? &v->touches.item[v->touches.count - 1] : NULL;
}

static int by_entity(const void *a, const void *b)
{
    const struct portolan_touch *x = a, *y = b;
    return (x->entity > y->entity) - (x->entity < y->entity);
}

static bool add_touches(struct fly_view *v, const struct binding *b, uint32_t first)
{
    struct portolan_touch *touch;
    if (!vector_reserve(&v->touches, b->in_count + b->out_count + b->inhibit_count + 1))
        return false;
    for (uint32_t i = 0; i < b->in_count; i++) {
        if (!(touch = touch_of(v, first, b->in[i].token)))
            return false;
        touch->low = b->in[i].count;
        touch->change -= (int32_t)b->in[i].count;
    }
    for (uint32_t i = 0; i < b->out_count; i++) {
        if (!(touch = touch_of(v, first, b->out[i].token)))
            return false;
        touch->change += (int32_t)b->out[i].count;
    }
    for (uint32_t i = 0; i < b->inhibit_count; i++) {
        if (!(touch = touch_of(v, first, b->inhibit[i].token)))
            return false;
        touch->high = b->inhibit[i].count > 0 ? b->inhibit[i].count - 1 : 0;
    }
    if (b->failure) {
        if (!(touch = touch_of(v, first, v->engine->error_token)))
            return false;
        touch->change++;
    }
    qsort(v->touches.item + first, v->touches.count - first, sizeof *touch, by_entity);
    return true;
}

/* (locked) The action of the view, NO_ACTION when memory is exhausted. */
static uint32_t view_action_of(struct fly_view *v, const struct binding *b)
{
    uint32_t action = fly_action_of(v->engine, b), first = (uint32_t)v->touches.count;
    if (action == NO_ACTION)
        return NO_ACTION;
    while (v->number.count <= action)
        if (!vector_push(&v->number, NO_ACTION))
            return NO_ACTION;
    if (v->number.item[action] != NO_ACTION)
        return v->number.item[action];
    uint32_t number = (uint32_t)v->actions.count;
    bool fine = add_touches(v, b, first);
    struct view_action met = {action, first, (uint32_t)v->touches.count - first};
    if (!fine || !vector_push(&v->actions, met)) {
        v->touches.count = first;
        return NO_ACTION;
    }
    v->number.item[action] = number;
    return number;
}

/* ---------------------------------------------------------------------- rows */

static const uint32_t *tokens_here(const void *user, uint32_t place, uint32_t *count)
{
    const struct fly_view *v = user;
    return marking_tokens(&v->engine->markings, place, v->marking[place], count);
}

static uint32_t most_of(const void *user, uint32_t token)
{
    const struct fly_view *v = user;
    return token < v->counts.count ? v->counts.item[token] : 0;
}

/* An inhibitor arc without a token to count can never be passed. */
static bool add_to_row(void *user, const struct binding *b)
{
    struct fly_view *v = user;
    for (uint32_t i = 0; i < b->inhibit_count; i++)
        if (b->inhibit[i].count == 0)
            return true;
    uint32_t action = view_action_of(v, b);
    v->row.item[0]++;
    return action != NO_ACTION && vector_push(&v->row, action);
}

static bool takes_from(const struct colour_transition *t, uint32_t place)
{
    for (const struct colour_arc *arc = t->in; arc; arc = arc->next)
        if (arc->place == place)
            return true;
    return false;
}

/* (locked) NULL when memory is exhausted. */
static const uint32_t *row_of(struct fly_view *v, uint32_t transition)
{
    const struct fly_transition *t = &v->engine->transitions[transition];
    uint32_t *key = v->engine->read; /* scratch: there are at most as many as places */
    for (uint32_t i = 0; i < t->reads; i++) {
        bool is_input = takes_from(&v->engine->net->transitions.item[transition], t->read[i]);
        key[i] = is_input ? v->marking[t->read[i]] : 0;
    }
    const uint32_t *row = memo_find(&v->rows[transition], key);
    if (row)
        return row;
    const struct token_source source = {v, tokens_here, most_of};
    v->row.count = 0;
    if (!vector_push(&v->row, 0) || !find_bindings(v->engine->binder, transition, &source, UINT32_MAX, add_to_row, v))
        return NULL;
    return memo_add(&v->rows[transition], key, v->row.item, v->row.count);
}

/* (locked) The marking of a place with these counts. */
static uint32_t marking_with(struct fly_view *v, uint32_t place, const uint32_t *count, uint32_t known)
{
    const struct token_list *tokens = tokens_of_place(v->engine->tokens, place);
    v->here.count = 0;
    for (size_t i = 0; i < tokens->count && tokens->item[i] < known; i++) {
        uint32_t token = tokens->item[i], most = count[token] < INT32_MAX ? count[token] : INT32_MAX;
        if (most > 0 && !vector_push(&v->here, ((struct token_count){token, most})))
            return NO_MARKING;
    }
    return marking_change(&v->engine->markings, place, 0, NULL, 0, v->here.item, (uint32_t)v->here.count);
}

/* (locked) Makes the markings of places with these counts, unless they are there from the last call. */
static bool load(struct fly_view *v, const uint32_t *count, uint32_t known)
{
    size_t before = v->counts.count;
    if (before == known && (known == 0 || memcmp(v->counts.item, count, known * sizeof *count) == 0))
        return true;
    v->counts.count = 0;
    for (uint32_t place = 0; place < v->engine->places; place++)
        if ((v->marking[place] = marking_with(v, place, count, known)) == NO_MARKING)
            return false;
    if (!vector_reserve(&v->counts, known))
        return false;
    if (known > 0)
        memcpy(v->counts.item, count, known * sizeof *count);
    v->counts.count = known;
    return true;
}

static uint32_t count_of(const uint32_t *count, uint32_t known, uint32_t entity)
{
    return entity < known ? count[entity] : 0;
}

/* May the action be enabled with counts from low to high?  And does it touch the entity, if one is asked for? */
static bool may_be_meant(const struct fly_view *v, uint32_t action, uint32_t entity, const uint32_t *low,
                         const uint32_t *high, uint32_t known)
{
    const struct view_action *a = &v->actions.item[action];
    bool touches = entity == UINT32_MAX;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct portolan_touch *touch = &v->touches.item[a->first + i];
        if (count_of(high, known, touch->entity) < touch->low || count_of(low, known, touch->entity) > touch->high)
            return false;
        touches = touches || touch->entity == entity;
    }
    return touches;
}

static bool has_arc_at(const struct fly_view *v, uint32_t transition, uint32_t place)
{
    const struct fly_transition *t = &v->engine->transitions[transition];
    for (uint32_t i = 0; i < t->reads; i++)
        if (t->read[i] == place)
            return true;
    for (uint32_t i = 0; i < t->writes; i++)
        if (t->written[i] == place)
            return true;
    return place == v->engine->error_place;
}

/* Gives what is found when the lock is free again. */
static bool give_found(struct fly_view *v, uint32_t entity, const uint32_t *low, const uint32_t *high,
                       const struct portolan_receiver *receiver)
{
    struct fly_engine *e = v->engine;
    fly_lock(e);
    uint32_t known = v->told, place = entity == UINT32_MAX ? 0 : token_place(e->tokens, entity);
    bool fine = load(v, high, known);
    v->found.count = 0;
    for (uint32_t t = 0; t < e->net->transitions.count && fine; t++) {
        if (entity != UINT32_MAX && !has_arc_at(v, t, place))
            continue;
        const uint32_t *row = row_of(v, t);
        fine = row && vector_reserve(&v->found, *row);
        for (uint32_t i = 1; fine && i <= *row; i++)
            if (may_be_meant(v, row[i], entity, low, high, known))
                v->found.item[v->found.count++] = row[i];
    }
    fly_unlock(e);
    for (size_t i = 0; i < v->found.count && fine; i++)
        fine = receiver->give(receiver->user, v->found.item[i]);
    return fine;
}

/* ------------------------------------------------------------------- the view */

static void close_view(void *view)
{
    struct fly_view *v = view;
    for (size_t i = 0; v->rows && i < v->engine->net->transitions.count; i++)
        memo_clear(&v->rows[i]);
    free(v->rows);
    free(v->actions.item);
    free(v->number.item);
    free(v->touches.item);
    free(v->counts.item);
    free(v->marking);
    free(v->row.item);
    free(v->here.item);
    free(v->found.item);
    free(v);
}

/* The system numbers tokens, too: counts are given for those that were told of here. */
static uint32_t entities(const void *view)
{
    struct fly_view *v = (struct fly_view *)view;
    fly_lock(v->engine);
    v->told = tokens_count(v->engine->tokens);
    fly_unlock(v->engine);
    return v->told;
}

static void *open_view(const struct portolan_system *system)
{
    struct fly_view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->system = system;
    v->engine = fly_engine_of(system);
    size_t transitions = v->engine->net->transitions.count;
    v->rows = calloc(transitions + 1, sizeof *v->rows);
    v->marking = calloc(v->engine->places, sizeof *v->marking);
    for (size_t i = 0; v->rows && i < transitions; i++)
        v->rows[i].key = v->engine->transitions[i].reads;
    if (v->rows && v->marking) {
        entities(v);
        return v;
    }
    close_view(v);
    return NULL;
}

static void write_initial(const void *view, uint32_t *count)
{
    const struct fly_view *v = view;
    struct fly_engine *e = v->engine;
    fly_lock(e);
    memset(count, 0, v->told * sizeof *count);
    for (uint32_t place = 0; place < e->places; place++) {
        uint32_t kinds;
        const uint32_t *tokens = marking_tokens(&e->markings, place, e->initial[place], &kinds);
        for (uint32_t i = 0; i < kinds; i++)
            count[tokens[i]] = tokens[kinds + i];
    }
    fly_unlock(e);
}

static bool enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver)
{
    return give_found(view, UINT32_MAX, count, count, receiver);
}

static bool possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                     const struct portolan_receiver *receiver)
{
    return give_found(view, entity, low, high, receiver);
}

static const struct portolan_touch *touches(const void *view, uint32_t action, uint32_t *count)
{
    const struct fly_view *v = view;
    *count = v->actions.item[action].count;
    return v->touches.item + v->actions.item[action].first;
}

static uint32_t action_of(const void *view, uint32_t action)
{
    return ((const struct fly_view *)view)->actions.item[action].action;
}

static enum portolan_fired write_state(const void *view, const uint32_t *count, void *state)
{
    struct fly_view *v = (struct fly_view *)view;
    fly_lock(v->engine);
    bool fine = load(v, count, v->told);
    enum portolan_fired outcome = PORTOLAN_FIRED;
    for (uint32_t i = 0; fine && i < v->engine->places; i++)
        if (v->marking[i] == TOO_MANY_TOKENS)
            outcome = PORTOLAN_TOO_LARGE;
    if (fine && outcome == PORTOLAN_FIRED)
        outcome = fly_state_of(v->system, v->marking, state);
    fly_unlock(v->engine);
    if (!fine)
        limits_run_out();
    return outcome;
}

static const struct portolan_entities tokens_as_entities = {.name = "tokens",
                                                            .open = open_view,
                                                            .close = close_view,
                                                            .entities = entities,
                                                            .initial = write_initial,
                                                            .enabled = enabled,
                                                            .possible = possible,
                                                            .touches = touches,
                                                            .action = action_of,
                                                            .state = write_state};

const struct portolan_entities *const fly_entities[] = {&tokens_as_entities, NULL};
