/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smaller automata for the same language.
 *
 *  - States from which nothing is accepted go; what an edge between components,
 *    or in a component without accepting cycles, is marked with does not matter.
 *  - In each component by itself, an acceptance set goes when every cycle
 *    that meets the others meets it (A. Duret-Lutz, "LTL translation
 *    improvements in Spot 1.0", IJCCBS 2014, has the idea).  The sets
 *    are then numbered anew in each component.
 *  - Direct simulation, forwards and backwards, until neither changes
 *    anything (T. Babiak, T. Badie, A. Duret-Lutz, M. Křetínský, J. Strejček,
 *    "Compositional approach to suspension and other improvements to LTL
 *    translation", SPIN 2013): simulate.c.
 */
#include "ltl/automaton.h"

#include <string.h>

/* ----------------------------------------------------------------- pruning */

/* Marks the components from which an accepting one can be reached. */
static void mark_useful(const struct automaton *automaton, const struct components *components, bool *useful)
{
    for (uint32_t i = 0; i < components->reached; i++) { /* what a component leads to comes before it */
        uint32_t state = components->order[i], component = components->of[state];
        useful[component] |= component_accepts(automaton, components, component);
        for_edges(edge, automaton, state) useful[component] |= useful[components->of[edge->target]];
    }
}

static void keep_useful(const struct automaton *automaton, const struct components *components, const bool *useful,
                        const uint32_t *number, struct automaton_edges *edges)
{
    for (uint32_t s = 0; s < automaton->states; s++)
        for_edges(edge, automaton, s)
        {
            struct automaton_edge kept = *edge;
            if (number[s] == UINT32_MAX || number[edge->target] == UINT32_MAX)
                continue;
            uint32_t component = components->of[s];
            bool matters = useful[component] && component == components->of[edge->target] &&
                           component_accepts(automaton, components, component);
            kept.source = number[s];
            kept.target = number[edge->target];
            if (!matters)
                kept.acceptance = 0;
            edges_add(edges, kept);
        }
}

bool automaton_prune(struct automaton *automaton)
{
    struct components components;
    struct automaton_edges edges = {0};
    uint32_t sets = automaton->sets, count = 0;
    if (!components_find(automaton, &components))
        return false;
    bool *useful = calloc((size_t)components.count + 1, sizeof *useful);
    uint32_t *number = malloc(automaton->states * sizeof *number);
    struct automaton *pruned = NULL;
    if (useful && number) {
        mark_useful(automaton, &components, useful);
        for (uint32_t s = 0; s < automaton->states; s++) {
            bool kept = components.of[s] != UINT32_MAX && (useful[components.of[s]] || s == automaton->initial);
            number[s] = kept ? count++ : UINT32_MAX;
        }
        keep_useful(automaton, &components, useful, number, &edges);
        pruned = automaton_like(automaton, count, number[automaton->initial], sets);
    }
    bool fine = pruned && automaton_set_edges(pruned, &edges);
    if (fine)
        automaton_take(automaton, pruned);
    else
        automaton_free(pruned), free(edges.list.item);
    free(useful);
    free(number);
    components_clear(&components);
    return fine;
}

/* -------------------------------------------------------------- acceptance */

/* Whether a component has a cycle that avoids a set and meets all of some others. */
static bool find_cycle(const struct automaton *automaton, const struct components *components, uint32_t component,
                       uint32_t avoided, uint64_t met, bool *found)
{
    struct automaton_edges edges = {0};
    struct components parts;
    for (uint32_t s = 0; s < automaton->states; s++) {
        if (components->of[s] != component)
            continue;
        edges_add(&edges, (struct automaton_edge){.source = automaton->states, .target = s});
        for_edges(edge, automaton, s)
        {
            struct automaton_edge kept = *edge;
            kept.acceptance &= met;
            if (components->of[edge->target] == component && !(edge->acceptance >> avoided & 1))
                edges_add(&edges, kept);
        }
    }
    struct automaton *inside = automaton_new(automaton->states + 1, automaton->states, automaton->sets, NULL);
    bool fine = inside && automaton_set_edges(inside, &edges);
    if (!inside)
        free(edges.list.item);
    fine = fine && components_find(inside, &parts);
    *found = false;
    if (fine) {
        for (uint32_t c = 0; c < parts.count; c++)
            *found |= parts.has_cycle[c] && (parts.acceptance[c] & met) == met;
        components_clear(&parts);
    }
    automaton_free(inside);
    return fine;
}

/* The sets of an accepting component that the others do not imply. */
static bool needed_sets(const struct automaton *automaton, const struct components *components, uint32_t component,
                        uint64_t *needed)
{
    *needed = automaton_all_sets(automaton);
    for (uint32_t set = automaton->sets; set-- > 0;) {
        bool found;
        uint64_t others = *needed & ~(UINT64_C(1) << set);
        if (!find_cycle(automaton, components, component, set, others, &found))
            return false;
        if (!found)
            *needed = others;
    }
    return true;
}

/* The needed sets of an edge with numbers from 0 on, and all beyond them. */
static uint64_t renumbered(uint64_t acceptance, uint64_t needed)
{
    uint64_t result = 0;
    uint32_t count = 0;
    for (uint64_t left = needed; left; left &= left - 1, count++)
        result |= (acceptance >> __builtin_ctzll(left) & 1) << count;
    return count >= 64 ? result : result | ~UINT64_C(0) << count;
}

bool automaton_simplify_acceptance(struct automaton *automaton)
{
    struct components components;
    uint32_t sets = 0;
    if (!components_find(automaton, &components))
        return false;
    uint64_t *needed = calloc((size_t)components.count + 1, sizeof *needed);
    bool fine = needed != NULL;
    for (uint32_t c = 0; c < components.count && fine; c++) {
        uint32_t count = components.has_cycle[c]; /* a set that a cycle does not meet, when it is not accepting */
        if (component_accepts(automaton, &components, c)) {
            fine = needed_sets(automaton, &components, c, &needed[c]);
            count = (uint32_t)__builtin_popcountll(needed[c]);
        }
        sets = count > sets ? count : sets;
    }
    if (fine) {
        uint64_t all = sets >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << sets) - 1;
        for (uint32_t e = 0; e < automaton->first[automaton->states]; e++) {
            struct automaton_edge *edge = &automaton->edges[e];
            uint32_t component = components.of[edge->source];
            bool matters = component != UINT32_MAX && component == components.of[edge->target] &&
                           component_accepts(automaton, &components, component);
            edge->acceptance = matters ? renumbered(edge->acceptance, needed[component]) & all : 0;
        }
        automaton->sets = sets;
    }
    free(needed);
    components_clear(&components);
    return fine;
}

/* Puts edges between components into all sets: it makes no difference but to simulation. */
static bool raise_bridges(struct automaton *automaton)
{
    struct components components;
    if (!components_find(automaton, &components))
        return false;
    for (uint32_t e = 0; e < automaton->first[automaton->states]; e++)
        if (components.of[automaton->edges[e].source] != components.of[automaton->edges[e].target])
            automaton->edges[e].acceptance = automaton_all_sets(automaton);
    components_clear(&components);
    return true;
}

/* -------------------------------------------------------------- the whole */

bool automaton_reduce(struct automaton *automaton)
{
    uint32_t states, edges;
    do {
        states = automaton->states;
        edges = automaton->first[automaton->states];
        for (int raised = 0; raised < 2; raised++)
            if (!automaton_prune(automaton) || !automaton_simplify_acceptance(automaton) ||
                (raised && !raise_bridges(automaton)) || !automaton_simulate(automaton, false) ||
                !automaton_simulate(automaton, true))
                return false;
        if (!automaton_prune(automaton) || !automaton_simplify_acceptance(automaton))
            return false;
    } while (automaton->states < states || automaton->first[automaton->states] < edges);
    return true;
}

static bool is_weak(const struct automaton *automaton, const struct components *components, bool *weak)
{
    *weak = true;
    for (uint32_t c = 0; c < components->count && *weak; c++)
        for (uint32_t set = 0; set < automaton->sets && *weak; set++) {
            bool found = false;
            if (component_accepts(automaton, components, c) && !find_cycle(automaton, components, c, set, 0, &found))
                return false;
            *weak = !found;
        }
    return true;
}

/* Whether each letter leads on within accepting components, from every state of one. */
static bool is_terminal(const struct automaton *automaton, const struct components *components, bool *terminal)
{
    VECTOR(const struct automaton_edge *) inside = {0};
    bool fine = true;
    *terminal = true;
    for (uint32_t i = 0; i < components->reached && *terminal && fine; i++) {
        uint32_t state = components->order[i];
        inside.count = 0;
        for_edges(edge, automaton, state) if (component_accepts(automaton, components, components->of[edge->target]))
            fine &= vector_push(&inside, edge);
        *terminal = !component_accepts(automaton, components, components->of[state]) ||
                    label_is_covered(0, 0, inside.item, inside.count);
    }
    free(inside.item);
    return fine;
}

bool automaton_classify(struct automaton *automaton)
{
    struct components components;
    bool weak, terminal = false;
    if (!components_find(automaton, &components))
        return false;
    bool fine = is_weak(automaton, &components, &weak) && (!weak || is_terminal(automaton, &components, &terminal));
    components_clear(&components);
    if (fine)
        automaton->strength = terminal ? AUTOMATON_TERMINAL : weak ? AUTOMATON_WEAK : AUTOMATON_STRONG;
    return fine;
}
