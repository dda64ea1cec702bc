/* SPDX-License-Identifier: Apache-2.0 */
#include "search/recording.h"

#include "system/deadlock.h"

#include <string.h>

bool recording_make(struct recording *r, const struct portolan_system *system, const struct ltl_property *property,
                    bool by_agent)
{
    *r = (struct recording){.system = system, .property = property, .by_agent = by_agent};
    if (by_agent)
        r->step.accesses = calloc((size_t)system->footprint->most_accesses + 1, sizeof *r->step.accesses);
    return !by_agent || r->step.accesses;
}

void recording_clear(struct recording *r)
{
    free(r->states.item);
    free(r->edges.item);
    free(r->agents.item);
    free(r->stamp);
    free(r->step.accesses);
    memset(r, 0, sizeof *r);
}

size_t recording_bytes(const struct recording *r)
{
    return r->states.capacity * sizeof *r->states.item + r->edges.capacity * sizeof *r->edges.item +
           r->agents.capacity * sizeof *r->agents.item;
}

/* The agent whose next step the action is. */
static uint32_t agent_of(struct recording *r, const void *bytes, uint32_t action)
{
    const struct portolan_footprint *footprint = r->system->footprint;
    for (uint32_t agent = 0; agent < footprint->agents; agent++)
        if (footprint->next(r->system->model, bytes, agent, &r->step) && r->step.enabled && r->step.action == action)
            return agent;
    return footprint->agents; /* nobody's: one more class */
}

static bool add_edge(struct recording *r, struct recorded_edge edge, uint32_t agent)
{
    uint32_t class = r->by_agent ? agent : edge.action;
    if (class >= r->classes)
        r->classes = class + 1;
    return vector_push(&r->edges, edge) && (!r->by_agent || vector_push(&r->agents, agent));
}

static bool grow_stamps(struct recording *r, const uint32_t *actions, uint32_t count)
{
    size_t old = r->stamp_capacity;
    for (uint32_t i = 0; i < count; i++)
        if (!vector_grow((void **)&r->stamp, &r->stamp_capacity, (size_t)actions[i] + 1, sizeof *r->stamp))
            return false;
    if (r->stamp_capacity > old)
        memset(r->stamp + old, 0, (r->stamp_capacity - old) * sizeof *r->stamp);
    return true;
}

static bool grow_states(struct recording *r, uint32_t state)
{
    if (state < r->states.count)
        return true;
    if (!vector_reserve(&r->states, (size_t)state + 1 - r->states.count))
        return false;
    memset(r->states.item + r->states.count, 0, ((size_t)state + 1 - r->states.count) * sizeof *r->states.item);
    r->states.count = (size_t)state + 1;
    return true;
}

/* The edges of a state stand together: what it had before is repeated behind, followed by what is new. */
bool recording_add(struct recording *r, uint32_t state, const void *bytes, uint32_t enabled_count,
                   const uint32_t *actions, const uint32_t *targets, uint32_t count)
{
    if (!grow_states(r, state) || !grow_stamps(r, actions, count))
        return false;
    struct recorded_state was = r->states.item[state];
    struct recorded_state now = {.first = r->edges.count, .expanded = true};
    if (r->property)
        now.letter = ltl_valuation(&r->property->ltl, r->system, bytes, is_deadlock(r->system, bytes, enabled_count),
                                   &now.no_value);
    if (++r->round == 0) {
        memset(r->stamp, 0, r->stamp_capacity * sizeof *r->stamp);
        r->round = 1;
    }
    for (uint32_t i = 0; i < was.count; i++) {
        struct recorded_edge edge = r->edges.item[was.first + i];
        r->stamp[edge.action] = r->round;
        if (!add_edge(r, edge, r->by_agent ? r->agents.item[was.first + i] : 0))
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct recorded_edge edge = {.action = actions[i], .target = targets[i]};
        if (r->stamp[edge.action] == r->round)
            continue;
        r->stamp[edge.action] = r->round;
        if (!add_edge(r, edge, r->by_agent ? agent_of(r, bytes, edge.action) : 0))
            return false;
    }
    now.count = (uint32_t)(r->edges.count - now.first);
    now.missing = enabled_count - now.count;
    r->states.item[state] = now;
    return true;
}

struct arrival {
    uint32_t before, action; /* before: the state, + 1 */
};

/* Writes the actions of the arrivals that lead to a state. */
static bool follow_back(const struct arrival *arrivals, uint32_t state, uint32_t **actions, size_t *length)
{
    *length = 0;
    for (uint32_t at = state; at; at = arrivals[at].before - 1)
        ++*length;
    *actions = calloc(*length + 1, sizeof **actions);
    size_t left = *length;
    for (uint32_t at = state; *actions && at; at = arrivals[at].before - 1)
        (*actions)[--left] = arrivals[at].action;
    return *actions;
}

bool recording_path(const struct recording *r, uint32_t state, uint32_t **actions, size_t *length)
{
    uint32_t most = state;
    for (size_t i = 0; i < r->edges.count; i++)
        most = r->edges.item[i].target > most ? r->edges.item[i].target : most;
    struct arrival *arrivals = calloc((size_t)most + 1, sizeof *arrivals);
    VECTOR(uint32_t) queue = {0};
    bool fine = arrivals && vector_push(&queue, 0);
    for (size_t i = 0; fine && i < queue.count && !arrivals[state].before && state; i++) {
        struct recorded_state from = {0};
        if (queue.item[i] < r->states.count)
            from = r->states.item[queue.item[i]];
        for (uint32_t k = 0; k < from.count && fine; k++) {
            struct recorded_edge edge = r->edges.item[from.first + k];
            if (edge.target == 0 || arrivals[edge.target].before)
                continue;
            arrivals[edge.target] = (struct arrival){.before = queue.item[i] + 1, .action = edge.action};
            fine = vector_push(&queue, edge.target);
        }
    }
    fine = fine && follow_back(arrivals, state, actions, length);
    free(arrivals);
    free(queue.item);
    return fine;
}
