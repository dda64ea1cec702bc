/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The liveness form, made true afterwards: the graph is reduced without a proviso and recorded; then states are
 * expanded fully until every cycle has one that is, and what is new is reduced in the same way, until there is nothing
 * to expand. This is the cycle condition itself, not something that implies it: a state is expanded only if a cycle
 * needs it.
 *
 * Cycles without a fully expanded state are those of the strong components (Tarjan 1972) of what is left when the fully
 * expanded states are taken out.  Of each component the states with the most edges from inside are taken out next, one
 * in 64 at a time: one by one would take as many rounds as there are such states.  A smallest set would be a feedback
 * vertex set, which is hard to find.
 */
#include "search/search.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

struct visit {
    uint32_t state, next_edge;
};

struct repair {
    struct search *search;
    const struct recording *recording;
    uint32_t *order; /* per state: when it was met, from 1; DONE when it belongs to no component any more */
    uint32_t *low;
    uint32_t *inside; /* per state: edges from its own component */
    bool *out;        /* taken out: fully expanded, or to be, or on no cycle */
    uint32_t met;
    VECTOR(struct visit) path;
    VECTOR(uint32_t) open;  /* Tarjan's stack */
    VECTOR(uint32_t) taken; /* to be expanded */
    bool failed;
};

enum { DONE = UINT32_MAX, SHARE = 64 };

static bool repair_make(struct repair *r)
{
    size_t states = r->recording->states.count + 1;
    r->order = calloc(states, sizeof *r->order);
    r->low = calloc(states, sizeof *r->low);
    r->inside = calloc(states, sizeof *r->inside);
    r->out = calloc(states, sizeof *r->out);
    if (!r->order || !r->low || !r->inside || !r->out)
        return false;
    for (size_t i = 0; i + 1 < states; i++)
        r->out[i] = recorded(r->recording, (uint32_t)i)->missing == 0;
    return true;
}

static void repair_clear(struct repair *r)
{
    free(r->order);
    free(r->low);
    free(r->inside);
    free(r->out);
    free(r->path.item);
    free(r->open.item);
    free(r->taken.item);
}

static void enter(struct repair *r, uint32_t state)
{
    struct visit visit = {.state = state};
    r->order[state] = r->low[state] = ++r->met;
    r->failed |= !vector_push(&r->path, visit) || !vector_push(&r->open, state);
}

static const struct recorded_edge *edges_of(const struct repair *r, uint32_t state)
{
    return r->recording->edges.item + recorded(r->recording, state)->first;
}

/* The edges that lead to each state of the component from others of it; the largest number of them. */
static uint32_t count_inside(struct repair *r, size_t first)
{
    uint32_t most = 0;
    for (size_t i = first; i < r->open.count; i++)
        r->inside[r->open.item[i]] = 0;
    for (size_t i = first; i < r->open.count; i++) {
        uint32_t state = r->open.item[i], count = recorded(r->recording, state)->count;
        for (uint32_t e = 0; e < count; e++) {
            uint32_t to = edges_of(r, state)[e].target;
            if (!r->out[to] && r->order[to] != DONE && r->order[to] >= r->order[r->open.item[first]] &&
                ++r->inside[to] > most)
                most = r->inside[to];
        }
    }
    return most;
}

/* The component is the open states from `first` on.  If it has a cycle, the states that most of its edges lead to are
 * taken out, more of them the larger it is: one by one, a large component would be gone through again and again. */
static void break_component(struct repair *r, size_t first)
{
    uint32_t most = count_inside(r, first);
    size_t left = 1 + (r->open.count - first) / SHARE;
    for (size_t i = first; i < r->open.count; i++) {
        uint32_t state = r->open.item[i];
        r->order[state] = DONE;
        if (most == 0) {
            r->out[state] = true; /* on no cycle now, so never again */
        } else if (left && r->inside[state] == most) {
            left--;
            r->out[state] = true;
            r->failed |= !vector_push(&r->taken, state);
        }
    }
    r->open.count = first;
}

static void leave(struct repair *r)
{
    uint32_t state = r->path.item[--r->path.count].state;
    if (r->path.count) {
        uint32_t below = r->path.item[r->path.count - 1].state;
        r->low[below] = r->low[state] < r->low[below] ? r->low[state] : r->low[below];
    }
    if (r->low[state] != r->order[state])
        return;
    size_t first = r->open.count;
    while (r->open.item[--first] != state)
        ;
    break_component(r, first);
}

/* Goes through the components of what is left; what it takes out is in `taken`. */
static void look_for_cycles(struct repair *r)
{
    memset(r->order, 0, r->recording->states.count * sizeof *r->order);
    r->met = 0;
    for (uint32_t root = 0; root < r->recording->states.count && !r->failed && !limits_reached(); root++) {
        if (!r->out[root] && !r->order[root])
            enter(r, root);
        while (r->path.count && !r->failed && !limits_reached()) {
            struct visit *top = &r->path.item[r->path.count - 1];
            if (top->next_edge == recorded(r->recording, top->state)->count) {
                leave(r);
                continue;
            }
            uint32_t from = top->state, to = edges_of(r, from)[top->next_edge++].target;
            if (r->out[to] || r->order[to] == DONE)
                continue;
            if (!r->order[to])
                enter(r, to);
            else if (r->order[to] < r->low[from])
                r->low[from] = r->order[to];
        }
    }
}

static enum standing nothing_begun(struct search *s, uint32_t state)
{
    (void)s;
    (void)state;
    return STANDING_NEW;
}

/* The shortest path in the recording. */
static size_t path(struct search *s, uint32_t state, uint32_t **actions)
{
    size_t states = s->store.count, length = SIZE_MAX;
    struct recorded_edge *arrival = calloc(states, sizeof *arrival); /* target: where it came from, + 1 */
    uint32_t *queue = calloc(states, sizeof *queue);
    struct action_path found = {0};
    bool fine = arrival && queue;
    for (size_t i = 0, count = fine; i < count && fine && queue[i] != state; i++) {
        const struct recorded_state *from = recorded(s->recording, queue[i]);
        for (uint32_t e = 0; e < from->count; e++) {
            struct recorded_edge edge = s->recording->edges.item[from->first + e];
            if (edge.target == 0 || arrival[edge.target].target)
                continue;
            arrival[edge.target] = (struct recorded_edge){.action = edge.action, .target = queue[i] + 1};
            queue[count++] = edge.target;
        }
    }
    for (uint32_t at = state; fine && at; at = arrival[at].target - 1)
        fine = arrival[at].target && vector_push(&found, arrival[at].action);
    for (size_t i = 0, j = found.count; i + 1 < j; i++) {
        uint32_t swapped = found.item[i];
        found.item[i] = found.item[--j];
        found.item[j] = swapped;
    }
    if (fine) {
        *actions = found.item;
        length = found.count;
    } else {
        free(found.item);
    }
    free(arrival);
    free(queue);
    return length;
}

static bool goes_on(const struct search *s)
{
    return !s->ended && s->status == PORTOLAN_OK;
}

/* Expands what was taken out, then what that has led to. */
static void expand_taken(struct search *s, const uint32_t *taken, size_t count)
{
    uint32_t next = s->store.count;
    for (size_t i = 0; i < count && goes_on(s); i++) {
        uint32_t missing = recorded(s->recording, taken[i])->missing;
        if (!expand_fully(s, taken[i]))
            return;
        s->result->statistics.transitions += missing;
        s->result->statistics.expanded_fully++;
        tell_expanded(s, true);
    }
    for (; next < s->store.count && goes_on(s); next++) {
        if (!expand(s, next))
            return;
        observe_state(s);
        observe_limits(s);
    }
}

void search_repair(struct search *s)
{
    s->standing = nothing_begun;
    s->path = path;
    bool changed = true;
    while (changed && goes_on(s)) {
        struct repair r = {.search = s, .recording = s->recording};
        size_t before = SIZE_MAX;
        r.failed = !repair_make(&r);
        while (!r.failed && goes_on(s) && r.taken.count != before) {
            before = r.taken.count;
            look_for_cycles(&r);
            s->until_check = 0;
            observe_limits(s);
        }
        changed = r.taken.count > 0;
        if (r.failed)
            end_short_of_memory(s);
        else
            expand_taken(s, r.taken.item, r.taken.count);
        repair_clear(&r);
    }
}
