/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strongly connected components (R. Tarjan, "Depth-first search and linear
 * graph algorithms", 1972, without recursion), emptiness, and membership of a
 * lasso.
 */
#include "ltl/automaton.h"

#include <string.h>

struct tarjan {
    uint32_t *index; /* order of discovery, + 1 */
    uint32_t *low;   /* smallest index known to be reachable on the stack */
    uint32_t *edge;  /* the next edge to follow */
    uint32_t *path;  /* states being explored */
    uint32_t *stack; /* states without a component */
    size_t path_length, stack_length;
    uint32_t found;
};

static void enter(const struct automaton *automaton, struct tarjan *tarjan, uint32_t state)
{
    tarjan->index[state] = tarjan->low[state] = ++tarjan->found;
    tarjan->edge[state] = automaton->first[state];
    tarjan->path[tarjan->path_length++] = state;
    tarjan->stack[tarjan->stack_length++] = state;
}

/* The state is the first of its component: everything above it on the stack belongs to it. */
static void close_component(struct tarjan *tarjan, struct components *components, uint32_t state)
{
    uint32_t member;
    do {
        member = tarjan->stack[--tarjan->stack_length];
        components->of[member] = components->count;
        components->order[components->reached++] = member;
    } while (member != state);
    components->count++;
}

static void explore(const struct automaton *automaton, struct tarjan *tarjan, struct components *components)
{
    enter(automaton, tarjan, automaton->initial);
    while (tarjan->path_length) {
        uint32_t state = tarjan->path[tarjan->path_length - 1];
        if (tarjan->edge[state] < automaton->first[state + 1]) {
            uint32_t target = automaton->edges[tarjan->edge[state]++].target;
            if (!tarjan->index[target])
                enter(automaton, tarjan, target);
            else if (components->of[target] == UINT32_MAX && tarjan->index[target] < tarjan->low[state])
                tarjan->low[state] = tarjan->index[target];
            continue;
        }
        tarjan->path_length--;
        if (tarjan->low[state] == tarjan->index[state])
            close_component(tarjan, components, state);
        if (tarjan->path_length) {
            uint32_t parent = tarjan->path[tarjan->path_length - 1];
            if (tarjan->low[state] < tarjan->low[parent])
                tarjan->low[parent] = tarjan->low[state];
        }
    }
}

static void summarise(const struct automaton *automaton, struct components *components)
{
    for (uint32_t i = 0; i < components->reached; i++) {
        uint32_t state = components->order[i], component = components->of[state];
        for_edges(edge, automaton, state)
        {
            if (components->of[edge->target] != component)
                continue;
            components->has_cycle[component] = true;
            components->acceptance[component] |= edge->acceptance;
        }
    }
}

bool components_find(const struct automaton *automaton, struct components *components)
{
    size_t states = automaton->states;
    struct tarjan tarjan = {0};
    uint32_t *memory = calloc(states * 5, sizeof *memory);
    *components = (struct components){.of = malloc(states * sizeof *components->of),
                                      .order = malloc(states * sizeof *components->order),
                                      .acceptance = calloc(states, sizeof *components->acceptance),
                                      .has_cycle = calloc(states, sizeof *components->has_cycle)};
    if (!memory || !components->of || !components->order || !components->acceptance || !components->has_cycle) {
        free(memory);
        components_clear(components);
        return false;
    }
    tarjan.index = memory;
    tarjan.low = memory + states;
    tarjan.edge = memory + 2 * states;
    tarjan.path = memory + 3 * states;
    tarjan.stack = memory + 4 * states;
    memset(components->of, 0xff, states * sizeof *components->of);
    explore(automaton, &tarjan, components);
    summarise(automaton, components);
    free(memory);
    return true;
}

void components_clear(struct components *components)
{
    free(components->of);
    free(components->order);
    free(components->acceptance);
    free(components->has_cycle);
    *components = (struct components){0};
}

bool automaton_is_empty(const struct automaton *automaton, bool *empty)
{
    struct components components;
    if (!components_find(automaton, &components))
        return false;
    *empty = true;
    for (uint32_t c = 0; c < components.count; c++)
        *empty &= !component_accepts(automaton, &components, c);
    components_clear(&components);
    return true;
}

/* The product with a lasso: state s at position i is number i * states + s. */
bool automaton_accepts_lasso(const struct automaton *automaton, const uint64_t *letters, size_t length, size_t loop,
                             bool *accepts)
{
    struct automaton_edges edges = {0};
    size_t states = automaton->states;
    if (length * states >= UINT32_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        size_t next = i + 1 < length ? i + 1 : loop;
        for (uint32_t s = 0; s < states; s++)
            for_edges(edge, automaton, s)
            {
                struct automaton_edge step = {.source = (uint32_t)(i * states + s),
                                              .target = (uint32_t)(next * states + edge->target),
                                              .acceptance = edge->acceptance};
                if (automaton_edge_takes(edge, letters[i]))
                    edges_add(&edges, step);
            }
    }
    struct automaton *product = automaton_new((uint32_t)(length * states), automaton->initial, automaton->sets, NULL);
    bool fine = product != NULL;
    if (fine)
        fine = automaton_set_edges(product, &edges);
    else
        free(edges.list.item);
    bool empty = true;
    if (fine)
        fine = automaton_is_empty(product, &empty);
    *accepts = !empty;
    automaton_free(product);
    return fine;
}
