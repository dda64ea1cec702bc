/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The liveness form, made true afterwards: the graph is reduced without a proviso and recorded; then states are
 * expanded fully until every cycle has one that is, and what is new is reduced in the same way, until there is nothing
 * to expand. This is the cycle condition itself, not something that implies it: a state is expanded only if a cycle
 * needs it.
 *
 * Cycles without a fully expanded state are those of the strong components (base/component_stack.h) of what is left
 * when the fully expanded states are taken out.  Of each component the states with the most edges from inside are taken
 * out next, one in 64 at a time: one by one would take as many rounds as there are such states.  A smallest set would
 * be a feedback vertex set, which is hard to find.
 */
#include "search/search.h"

#include "base/component_stack.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

struct visit {
    uint32_t state, next_edge;
};

struct repair {
    const struct recording *recording;
    struct component_stack components;
    uint32_t *inside; /* per state: edges from its own component */
    bool *out;        /* taken out: fully expanded, or to be, or on no cycle */
    VECTOR(struct visit) path;
    VECTOR(uint32_t) taken; /* to be expanded */
    bool failed;
};

enum { SHARE = 64 };

static bool repair_make(struct repair *r)
{
    size_t states = r->recording->states.count + 1;
    r->inside = calloc(states, sizeof *r->inside);
    r->out = calloc(states, sizeof *r->out);
    if (!r->inside || !r->out || !component_stack_grow(&r->components, states))
        return false;
    for (size_t i = 0; i + 1 < states; i++)
        r->out[i] = recorded(r->recording, (uint32_t)i)->missing == 0;
    return true;
}

static void repair_clear(struct repair *r)
{
    component_stack_clear(&r->components);
    free(r->inside);
    free(r->out);
    free(r->path.item);
    free(r->taken.item);
}

static void enter(struct repair *r, uint32_t state)
{
    struct visit visit = {.state = state};
    r->failed |= !vector_push(&r->path, visit) || !component_enter(&r->components, state);
}

static const struct recorded_edge *edges_of(const struct repair *r, uint32_t state)
{
    return r->recording->edges.item + recorded(r->recording, state)->first;
}

/* The edges that lead to each state of the component on top from others of it; the largest number of them. */
static uint32_t count_inside(struct repair *r)
{
    const struct component_stack *c = &r->components;
    uint32_t most = 0;
    for (size_t i = component_top(c); i < c->open.count; i++)
        r->inside[c->open.item[i]] = 0;
    for (size_t i = component_top(c); i < c->open.count; i++) {
        uint32_t state = c->open.item[i], count = recorded(r->recording, state)->count;
        for (uint32_t e = 0; e < count; e++) {
            uint32_t to = edges_of(r, state)[e].target;
            if (!r->out[to] && component_is_on_top(c, to) && ++r->inside[to] > most)
                most = r->inside[to];
        }
    }
    return most;
}

/* If the component on top has a cycle, the states that most of its edges lead to are taken out, more of them the larger
 * it is: one by one, a large component would be gone through again and again. */
static void break_component(struct repair *r)
{
    const struct component_stack *c = &r->components;
    uint32_t most = count_inside(r), first = component_top(c);
    size_t left = 1 + (c->open.count - first) / SHARE;
    for (size_t i = first; i < c->open.count; i++) {
        uint32_t state = c->open.item[i];
        if (most == 0) {
            r->out[state] = true; /* on no cycle now, so never again */
        } else if (left && r->inside[state] == most) {
            left--;
            r->out[state] = true;
            r->failed |= !vector_push(&r->taken, state);
        }
    }
    component_complete(&r->components);
}

static void leave(struct repair *r)
{
    uint32_t state = r->path.item[--r->path.count].state;
    if (component_is_root(&r->components, state))
        break_component(r);
}

/* Goes through the components of what is left; what it takes out is in `taken`. */
static void look_for_cycles(struct repair *r)
{
    component_stack_restart(&r->components);
    for (uint32_t root = 0; root < r->recording->states.count && !r->failed && !limits_reached(); root++) {
        if (!r->out[root] && !component_is_met(&r->components, root))
            enter(r, root);
        while (r->path.count && !r->failed && !limits_reached()) {
            struct visit *top = &r->path.item[r->path.count - 1];
            if (top->next_edge == recorded(r->recording, top->state)->count) {
                leave(r);
                continue;
            }
            uint32_t to = edges_of(r, top->state)[top->next_edge++].target;
            if (r->out[to])
                continue;
            if (!component_is_met(&r->components, to))
                enter(r, to);
            else if (component_is_open(&r->components, to))
                component_join(&r->components, to);
        }
    }
}

static enum standing nothing_begun(struct explorer *x, uint32_t state)
{
    (void)x;
    (void)state;
    return STANDING_NEW;
}

/* The shortest path in the recording. */
static size_t path(struct explorer *x, uint32_t state, uint32_t **actions)
{
    size_t length;
    return recording_path(x->strategy->recording, state, actions, &length) ? length : SIZE_MAX;
}

static bool goes_on(const struct explorer *x)
{
    return !x->search->ended && x->status == PORTOLAN_OK;
}

/* Expands what was taken out, then what that has led to. */
static void expand_taken(struct explorer *x, const uint32_t *taken, size_t count)
{
    struct search *s = x->search;
    uint32_t next = s->store.count;
    for (size_t i = 0; i < count && goes_on(x); i++) {
        uint32_t missing = recorded(x->strategy->recording, taken[i])->missing;
        if (!expand_fully(x, taken[i]))
            return;
        x->counted.transitions += missing;
        x->counted.expanded_fully++;
        tell_expanded(x, true);
    }
    for (; next < s->store.count && goes_on(x); next++) {
        if (!expand(x, next))
            return;
        observe_state(x);
        observe_limits(x);
    }
}

void search_repair(struct explorer *x)
{
    x->strategy->standing = nothing_begun;
    x->strategy->path = path;
    bool changed = true;
    while (changed && goes_on(x)) {
        struct repair r = {.recording = x->strategy->recording};
        size_t before = SIZE_MAX;
        r.failed = !repair_make(&r);
        while (!r.failed && goes_on(x) && r.taken.count != before) {
            before = r.taken.count;
            look_for_cycles(&r);
            x->until_check = 0;
            observe_limits(x);
        }
        changed = r.taken.count > 0;
        if (r.failed)
            end_short_of_memory(x->search);
        else
            expand_taken(x, r.taken.item, r.taken.count);
        repair_clear(&r);
    }
}
