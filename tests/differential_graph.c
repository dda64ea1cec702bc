/* SPDX-License-Identifier: Apache-2.0 */
#include "differential_graph.h"

#include <stdio.h>
#include <string.h>

static const char no_memory[] = "out of memory";

/* ----------------------------------------------------------------- recording */

static void complain(struct graph *g, const char *what, uint32_t state)
{
    if (!g->wrong[0])
        snprintf(g->wrong, sizeof g->wrong, "%s (state %u)", what, state);
}

static uint32_t decode(struct graph *g, const void *bytes)
{
    for (uint32_t p = 0; p < g->naive->net->places; p++)
        g->marking[p] = (uint32_t)g->system->value(g->system->model, bytes, p);
    return naive_find(g->naive, g->marking);
}

static void note_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct graph *g = user;
    struct graph_state unknown = {.naive = NAIVE_NONE};
    while (g->states.count <= state)
        if (!vector_push(&g->states, unknown)) {
            g->short_of_memory = true;
            return;
        }
    uint32_t naive = decode(g, bytes), before = g->states.item[state].naive;
    if (naive == NAIVE_NONE)
        complain(g, "a marking that is not reachable was reached", state);
    else if (before != NAIVE_NONE && before != naive)
        complain(g, "a state changed its marking", state);
    else if (enabled != naive_enabled(g->naive, naive))
        complain(g, "the number of enabled actions is wrong", state);
    g->states.item[state] = (struct graph_state){.naive = naive, .fully = fully};
}

static void note_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct graph *g = user;
    struct graph_edge edge = {.from = from, .action = action, .to = to};
    if (!vector_push(&g->edges, edge))
        g->short_of_memory = true;
}

static void note_deadlock(void *user, uint32_t state, const void *bytes)
{
    struct graph *g = user;
    uint32_t naive = decode(g, bytes);
    if (naive == NAIVE_NONE || naive_enabled(g->naive, naive))
        complain(g, "a state that is no reachable deadlock was called one", state);
    else if (!vector_push(&g->deadlocks, naive))
        g->short_of_memory = true;
}

void graph_start(struct graph *g, const struct naive *naive, const struct portolan_system *system)
{
    g->naive = naive;
    g->system = system;
    g->states.count = g->edges.count = g->deadlocks.count = 0;
    g->short_of_memory = false;
    g->wrong[0] = '\0';
}

void graph_clear(struct graph *g)
{
    free(g->states.item);
    free(g->edges.item);
    free(g->deadlocks.item);
    free(g->marking);
    memset(g, 0, sizeof *g);
}

struct portolan_callbacks graph_callbacks(struct graph *g)
{
    return (struct portolan_callbacks){
        .user = g, .expanded = note_expanded, .edge = note_edge, .deadlock = note_deadlock};
}

/* --------------------------------------------------------------------- steps */

/* Counts the distinct explored actions of each state; false when memory ran out. */
static bool count_explored(const struct graph *g, uint32_t *explored)
{
    size_t actions = g->naive->net->transitions;
    bool *seen = calloc(g->states.count * actions + 1, sizeof *seen);
    for (size_t i = 0; seen && i < g->edges.count; i++) {
        const struct graph_edge *edge = &g->edges.item[i];
        bool *mark = &seen[edge->from * actions + edge->action];
        explored[edge->from] += !*mark;
        *mark = true;
    }
    bool fine = seen != NULL;
    free(seen);
    return fine;
}

const char *graph_check_steps(struct graph *g)
{
    if (g->short_of_memory)
        return no_memory;
    for (uint32_t s = 0; s < g->states.count; s++)
        if (g->states.item[s].naive == NAIVE_NONE)
            complain(g, "a state was found but not expanded", s);
    for (size_t i = 0; i < g->edges.count; i++) {
        const struct graph_edge *edge = &g->edges.item[i];
        if (edge->from >= g->states.count || edge->to >= g->states.count)
            complain(g, "an edge has an end that was not expanded", edge->from);
        else if (!g->wrong[0] &&
                 naive_step(g->naive, g->states.item[edge->from].naive, edge->action) != g->states.item[edge->to].naive)
            complain(g, "an edge is not one of the net", edge->from);
    }
    if (g->wrong[0])
        return g->wrong;
    uint32_t *explored = calloc(g->states.count + 1, sizeof *explored);
    bool fine = explored && count_explored(g, explored);
    for (uint32_t s = 0; fine && s < g->states.count; s++) {
        uint32_t enabled = naive_enabled(g->naive, g->states.item[s].naive);
        if (g->states.item[s].fully != (explored[s] == enabled))
            complain(g, "what was said of its full expansion is not so", s);
        else if (enabled && !explored[s])
            complain(g, "an enabled state was not explored at all", s);
    }
    free(explored);
    return !fine ? no_memory : g->wrong[0] ? g->wrong : NULL;
}

/* ------------------------------------------------------------------- provisos */

/* Takes states without a partially expanded predecessor away until none is left (Kahn); what stays is cyclic. */
const char *graph_check_liveness(const struct graph *g)
{
    size_t states = g->states.count;
    uint32_t *entering = calloc(states + 1, sizeof *entering), *queue = calloc(states + 1, sizeof *queue);
    uint32_t *offset = calloc(states + 2, sizeof *offset), *target = calloc(g->edges.count + 1, sizeof *target);
    size_t first = 0, last = 0, partial = 0;
    bool fine = entering && queue && offset && target;
    for (size_t i = 0; fine && i < g->edges.count; i++) {
        const struct graph_edge *edge = &g->edges.item[i];
        offset[edge->from + 2] += 1;
        entering[edge->to] += !g->states.item[edge->from].fully;
    }
    for (size_t s = 0; fine && s < states; s++)
        offset[s + 2] += offset[s + 1];
    for (size_t i = 0; fine && i < g->edges.count; i++)
        target[offset[g->edges.item[i].from + 1]++] = g->edges.item[i].to;
    for (uint32_t s = 0; fine && s < states; s++)
        if (!g->states.item[s].fully) {
            partial++;
            if (!entering[s])
                queue[last++] = s;
        }
    while (fine && first < last) {
        uint32_t s = queue[first++];
        for (uint32_t i = offset[s]; i < offset[s + 1]; i++)
            if (--entering[target[i]] == 0 && !g->states.item[target[i]].fully)
                queue[last++] = target[i];
    }
    free(entering);
    free(queue);
    free(offset);
    free(target);
    return !fine ? no_memory : last < partial ? "a cycle has no fully expanded state" : NULL;
}

/* Spreads marks backwards over the edges until nothing changes. */
static void spread_back(const struct graph *g, bool *reaches)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = g->edges.count; i-- > 0;) {
            const struct graph_edge *edge = &g->edges.item[i];
            if (reaches[edge->to] && !reaches[edge->from])
                changed = reaches[edge->from] = true;
        }
    }
}

static bool *reach_full(const struct graph *g)
{
    bool *reaches = calloc(g->states.count + 1, sizeof *reaches);
    for (uint32_t s = 0; reaches && s < g->states.count; s++)
        reaches[s] = g->states.item[s].fully;
    if (reaches)
        spread_back(g, reaches);
    return reaches;
}

const char *graph_check_safety(const struct graph *g)
{
    bool *reaches = reach_full(g);
    const char *wrong = reaches ? NULL : no_memory;
    for (uint32_t s = 0; !wrong && s < g->states.count; s++)
        if (!reaches[s])
            wrong = "from a state no fully expanded one can be reached";
    free(reaches);
    return wrong;
}

/* Marks every state from which a state that explores the action can be reached. */
static void reach_action(const struct graph *g, uint32_t action, bool *reaches)
{
    memset(reaches, 0, g->states.count * sizeof *reaches);
    for (size_t i = 0; i < g->edges.count; i++)
        if (g->edges.item[i].action == action)
            reaches[g->edges.item[i].from] = true;
    spread_back(g, reaches);
}

/* Is the action enabled, and does it lead elsewhere?  Whether one that changes nothing is explored makes no difference.
 */
static bool leads_elsewhere(const struct graph *g, uint32_t state, uint32_t action)
{
    uint32_t from = g->states.item[state].naive, to = naive_step(g->naive, from, action);
    return to != NAIVE_NONE && to != from;
}

const char *graph_check_no_ignoring(const struct graph *g, bool weak)
{
    bool *full = reach_full(g), *reaches = calloc(g->states.count + 1, sizeof *reaches);
    const char *wrong = full && reaches ? NULL : no_memory;
    for (uint32_t a = 0; !wrong && a < g->naive->net->transitions; a++) {
        reach_action(g, a, reaches);
        for (uint32_t s = 0; s < g->states.count; s++)
            if (!reaches[s] && !(weak && full[s]) && leads_elsewhere(g, s, a))
                wrong = "an enabled action is explored nowhere ahead";
    }
    free(full);
    free(reaches);
    return wrong;
}
