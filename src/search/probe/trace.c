/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace of a vector as a partial order.
 *
 * Two actions depend on each other when they touch a common entity and one of
 * them changes it.  For entities that are there or not there this is the
 * influence of Kastenberg & Rensink: along a trace, created < read < deleted <
 * forbidden < created in turns, so a trace up to permutation of actions that do
 * not influence each other is a Mazurkiewicz trace of this dependency, its weak
 * prefixes are its down-closed sets of events, and the Foata normal form (by
 * levels, then by number) is the same for equivalent traces.
 */
#include "search/probe/probe.h"

#include "base/enabled.h"

#include <string.h>

/* ------------------------------------------------------------------- actions */

static bool add_touch(struct prober *p, struct portolan_touch touch)
{
    struct touch own = {.entity = touch.entity + 1,
                        .low = touch.low,
                        .high = touch.high,
                        .change = touch.change,
                        .writes = touch.change != 0};
    own.silent = p->options->printed_inhibitors && !own.writes && own.low == 0;
    return vector_push(&p->touches, own);
}

static bool learn_next(struct prober *p)
{
    uint32_t count, number = (uint32_t)p->actions.count;
    p->work += 30;
    struct action action = {.first = (uint32_t)p->touches.count, .idle = true};
    const bool *visible = p->options->visible;
    if (visible && is_visible(p->explorer->search->system, visible, p->entities->action(p->view, number))) {
        struct touch touch = {.entity = VISIBLE_ENTITY, .high = UINT32_MAX, .writes = true};
        if (!vector_push(&p->touches, touch))
            return false;
    }
    const struct portolan_touch *touch = p->entities->touches(p->view, number, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!add_touch(p, touch[i]))
            return false;
        action.idle &= touch[i].change == 0;
    }
    action.count = (uint32_t)(p->touches.count - action.first);
    return vector_push(&p->actions, action);
}

bool learn_action(struct prober *p, uint32_t action)
{
    while (p->actions.count <= action)
        if (!learn_next(p))
            return false;
    size_t old = p->action_capacity, wanted = p->actions.count;
    if (wanted <= old)
        return true;
    size_t second = old;
    if (!vector_grow((void **)&p->in_trace, &p->action_capacity, wanted, sizeof *p->in_trace) ||
        !vector_grow((void **)&p->met, &second, p->action_capacity, sizeof *p->met))
        return false;
    memset(p->in_trace + old, 0, (p->action_capacity - old) * sizeof *p->in_trace);
    memset(p->met + old, 0, (p->action_capacity - old) * sizeof *p->met);
    return true;
}

bool depend(const struct prober *p, uint32_t a, uint32_t b)
{
    const struct touch *x = touches_of(p, a), *x_end = x + p->actions.item[a].count;
    const struct touch *y = touches_of(p, b), *y_end = y + p->actions.item[b].count;
    while (x < x_end && y < y_end) {
        if (x->entity == y->entity && (x->writes || y->writes) && !x->silent && !y->silent)
            return true;
        if (x->entity < y->entity)
            x++;
        else
            y++;
    }
    return false;
}

bool counts_enable(const struct prober *p, const uint32_t *count, uint32_t action, bool silent_only)
{
    const struct touch *touch = touches_of(p, action);
    for (uint32_t i = 0; i < p->actions.item[action].count; i++)
        if ((touch[i].silent || !silent_only) &&
            (count[touch[i].entity] < touch[i].low || count[touch[i].entity] > touch[i].high))
            return false;
    return true;
}

/* ---------------------------------------------------------------------- room */

static bool grow_counts(uint32_t **counts, uint32_t old, size_t capacity)
{
    uint32_t *moved = realloc(*counts, capacity * sizeof **counts);
    if (!moved)
        return false;
    *counts = moved;
    memset(moved + old, 0, (capacity - old) * sizeof *moved);
    return true;
}

bool trace_make_room(struct prober *p)
{
    struct trace *t = &p->trace;
    uint32_t wanted = p->entities->entities(p->view) + 1;
    t->entities = wanted;
    if (wanted <= t->entity_capacity)
        return true;
    size_t capacity = (size_t)wanted + wanted / 2;
    uint32_t old = t->entity_capacity;
    struct chain *chain = realloc(t->chain, capacity * sizeof *chain);
    if (!chain)
        return false;
    t->chain = chain;
    memset(chain + old, 0, (capacity - old) * sizeof *chain);
    if (!grow_counts(&t->start_count, old, capacity) || !grow_counts(&t->count, old, capacity) ||
        !grow_counts(&t->low, old, capacity) || !grow_counts(&t->high, old, capacity) ||
        !grow_counts(&t->scratch, old, capacity))
        return false;
    t->entity_capacity = (uint32_t)capacity;
    return true;
}

static bool make_event_room(struct trace *t, size_t events)
{
    size_t second = t->event_capacity;
    t->words = bit_words((uint32_t)events);
    return vector_grow((void **)&t->action, &t->event_capacity, events, sizeof *t->action) &&
           vector_grow((void **)&t->level, &second, t->event_capacity, sizeof *t->level) &&
           vector_grow((void **)&t->below, &t->below_capacity, events * t->words, sizeof *t->below);
}

void trace_release(struct trace *t)
{
    free(t->action);
    free(t->level);
    free(t->below);
    free(t->start_count);
    free(t->count);
    free(t->low);
    free(t->high);
    free(t->scratch);
    free(t->chain);
    free(t->accesses.item);
    memset(t, 0, sizeof *t);
}

/* -------------------------------------------------------------------- events */

static struct chain *chain_of(struct trace *t, uint32_t entity)
{
    struct chain *chain = &t->chain[entity];
    if (chain->stamp != t->stamp)
        *chain = (struct chain){.stamp = t->stamp, .first = NOTHING, .last = NOTHING};
    return chain;
}

static void add_event(const struct trace *t, uint64_t *set, uint32_t event)
{
    const uint64_t *below = events_below(t, event);
    bit_set(set, event);
    for (size_t i = 0; i < t->words; i++)
        set[i] |= below[i];
}

/* The events that a new access to an entity depends on: the last write, and, for a write, the reads since. */
static void add_dependencies(const struct trace *t, uint32_t entity, bool writes, uint64_t *set)
{
    const struct chain *chain = &t->chain[entity];
    if (chain->stamp != t->stamp)
        return;
    for (uint32_t i = chain->last; i != NOTHING; i = t->accesses.item[i].before) {
        const struct access *access = &t->accesses.item[i];
        if ((writes || access->writes) && !bit_get(set, access->event))
            add_event(t, set, access->event);
        if (access->writes)
            return;
    }
}

void trace_cause(const struct prober *p, uint32_t action, uint64_t *cause)
{
    const struct touch *touch = touches_of(p, action);
    memset(cause, 0, p->trace.words * sizeof *cause);
    for (uint32_t i = 0; i < p->actions.item[action].count; i++)
        if (!touch[i].silent)
            add_dependencies(&p->trace, touch[i].entity, touch[i].writes, cause);
}

static uint32_t level_above(const struct trace *t, const uint64_t *set)
{
    uint32_t level = 0, event;
    for (size_t i = 0; i < t->words; i++)
        for_bits(event, set[i], i) if (t->level[event] > level) level = t->level[event];
    return level + 1;
}

static bool add_access(struct trace *t, uint32_t event, const struct touch *touch)
{
    uint32_t e = touch->entity, number = (uint32_t)t->accesses.count;
    struct chain *chain = chain_of(t, e);
    t->count[e] += (uint32_t)touch->change;
    struct access access = {.entity = e,
                            .event = event,
                            .before = chain->last,
                            .after = NOTHING,
                            .count = t->count[e],
                            .old_low = t->low[e],
                            .old_high = t->high[e],
                            .writes = touch->writes};
    if (!vector_push(&t->accesses, access))
        return false;
    *(chain->last == NOTHING ? &chain->first : &t->accesses.item[chain->last].after) = number;
    chain->last = number;
    if (t->count[e] < t->low[e])
        t->low[e] = t->count[e];
    if (t->count[e] > t->high[e])
        t->high[e] = t->count[e];
    return true;
}

bool trace_push(struct prober *p, uint32_t action)
{
    struct trace *t = &p->trace;
    uint32_t event = t->events;
    const struct touch *touch = touches_of(p, action);
    p->work += 1 + p->actions.item[action].count;
    trace_cause(p, action, events_below(t, event));
    t->action[event] = action;
    t->level[event] = level_above(t, events_below(t, event));
    for (uint32_t i = 0; i < p->actions.item[action].count; i++) {
        if (touch[i].silent)
            continue;
        if (!add_access(t, event, &touch[i]))
            return false;
    }
    t->events++;
    return true;
}

void trace_pop(struct prober *p)
{
    struct trace *t = &p->trace;
    uint32_t event = --t->events;
    while (t->accesses.count && t->accesses.item[t->accesses.count - 1].event == event) {
        const struct access *access = &t->accesses.item[--t->accesses.count];
        const struct touch *touch = touches_of(p, t->action[event]);
        while (touch->entity != access->entity)
            touch++;
        struct chain *chain = &t->chain[access->entity];
        chain->last = access->before;
        *(chain->last == NOTHING ? &chain->first : &t->accesses.item[chain->last].after) = NOTHING;
        t->count[access->entity] -= (uint32_t)touch->change;
        t->low[access->entity] = access->old_low;
        t->high[access->entity] = access->old_high;
    }
}

/* ------------------------------------------------------------------- loading */

/* Back to the start state. */
static void unload(struct trace *t)
{
    for (size_t i = 0; i < t->accesses.count; i++) {
        uint32_t e = t->accesses.item[i].entity;
        t->count[e] = t->low[e] = t->high[e] = t->start_count[e];
    }
    t->accesses.count = 0;
    t->events = 0;
}

bool trace_load(struct prober *p, uint32_t vector)
{
    struct trace *t = &p->trace;
    size_t length;
    unload(t);
    const uint32_t *item = sequence_get(&p->vectors, vector, &length);
    if (!make_event_room(t, length) || !load_start(p, item[0])) /* one more event than there are */
        return false;
    if (++t->stamp == 0)
        return false; /* after four thousand million vectors */
    for (size_t i = 1; i < length; i++) {
        if (!trace_push(p, item[i]))
            return false;
        p->in_trace[item[i]] = t->stamp;
    }
    return true;
}
