/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strong components of an automaton (base/component_stack.h), emptiness, and
 * membership of a lasso.
 */
#include "ltl/automaton.h"

#include "base/component_stack.h"

#include <string.h>

struct walk {
    struct component_stack stack;
    uint32_t *edge; /* per state: the next to follow */
    uint32_t *path; /* states being explored */
    size_t length;
};

static bool enter(const struct automaton *automaton, struct walk *walk, uint32_t state)
{
    walk->edge[state] = automaton->first[state];
    walk->path[walk->length++] = state;
    return component_enter(&walk->stack, state);
}

static void close_component(struct walk *walk, struct components *components)
{
    for (size_t i = walk->stack.open.count, first = component_top(&walk->stack); i-- > first;) {
        components->of[walk->stack.open.item[i]] = components->count;
        components->order[components->reached++] = walk->stack.open.item[i];
    }
    components->count++;
    component_complete(&walk->stack);
}

static bool explore(const struct automaton *automaton, struct walk *walk, struct components *components)
{
    bool fine = enter(automaton, walk, automaton->initial);
    while (fine && walk->length) {
        uint32_t state = walk->path[walk->length - 1];
        if (walk->edge[state] < automaton->first[state + 1]) {
            uint32_t target = automaton->edges[walk->edge[state]++].target;
            if (!component_is_met(&walk->stack, target))
                fine = enter(automaton, walk, target);
            else if (component_is_open(&walk->stack, target))
                component_join(&walk->stack, target);
            continue;
        }
        walk->length--;
        if (component_is_root(&walk->stack, state))
            close_component(walk, components);
    }
    return fine;
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
    struct walk walk = {.edge = calloc(states, sizeof *walk.edge), .path = calloc(states, sizeof *walk.path)};
    *components = (struct components){.of = malloc(states * sizeof *components->of),
                                      .order = malloc(states * sizeof *components->order),
                                      .acceptance = calloc(states, sizeof *components->acceptance),
                                      .has_cycle = calloc(states, sizeof *components->has_cycle)};
    bool fine = walk.edge && walk.path && component_stack_grow(&walk.stack, states) && components->of &&
                components->order && components->acceptance && components->has_cycle;
    if (fine) {
        memset(components->of, 0xff, states * sizeof *components->of);
        fine = explore(automaton, &walk, components);
    }
    if (fine)
        summarise(automaton, components);
    else
        components_clear(components);
    component_stack_clear(&walk.stack);
    free(walk.edge);
    free(walk.path);
    return fine;
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
