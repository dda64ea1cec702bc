/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One acceptance set in place of several.
 *
 * Copies of the states stand in levels; level i waits for an edge of set i, and
 * an edge that completes the last level is accepting.  What makes it smaller
 * (T. Babiak, T. Badie, A. Duret-Lutz, M. Křetínský, J. Strejček,
 * "Compositional approach to suspension and other improvements to LTL
 * translation", SPIN 2013):
 *  - an edge may pass several levels at once;
 *  - levels are only kept in accepting components; an edge that enters
 *    another component goes to whatever copy of its target is there already.
 */
#include "ltl/automaton.h"

struct levels {
    const struct automaton *automaton;
    struct components components;
    uint32_t *number;      /* by state and level, + 1 */
    VECTOR(uint64_t) list; /* state << 32 | level */
    bool failed;
};

static uint32_t number_of(struct levels *levels, uint32_t state, uint32_t level)
{
    uint32_t *number = &levels->number[(size_t)state * levels->automaton->sets + level];
    if (!*number && vector_push(&levels->list, (uint64_t)state << 32 | level))
        *number = (uint32_t)levels->list.count;
    levels->failed |= !*number;
    return *number - 1;
}

/* The copy of a state at which a component is entered. */
static uint32_t entry_level(const struct levels *levels, uint32_t state)
{
    for (uint32_t level = 0; level < levels->automaton->sets; level++)
        if (levels->number[(size_t)state * levels->automaton->sets + level])
            return level;
    return 0;
}

static uint32_t passed(uint64_t acceptance, uint32_t level, uint32_t sets)
{
    while (level < sets && acceptance >> level & 1)
        level++;
    return level;
}

static struct automaton_edge step(struct levels *levels, const struct automaton_edge *edge, uint32_t level)
{
    const struct automaton *automaton = levels->automaton;
    uint32_t component = levels->components.of[edge->source], sets = automaton->sets;
    struct automaton_edge result = *edge;
    result.acceptance = 0;
    if (component != levels->components.of[edge->target]) {
        level = entry_level(levels, edge->target);
    } else if (component_accepts(automaton, &levels->components, component)) {
        level = passed(edge->acceptance, level, sets);
        if (level == sets) {
            result.acceptance = 1;
            level = passed(edge->acceptance, 0, sets) % sets;
        }
    }
    result.target = number_of(levels, edge->target, level);
    return result;
}

bool automaton_degeneralise(struct automaton *automaton)
{
    struct levels levels = {.automaton = automaton};
    struct automaton_edges edges = {0};
    struct automaton *result = NULL;
    if (automaton->sets <= 1)
        return true;
    if (!components_find(automaton, &levels.components))
        return false;
    levels.number = calloc((size_t)automaton->states * automaton->sets, sizeof *levels.number);
    levels.failed = !levels.number;
    if (!levels.failed)
        number_of(&levels, automaton->initial, 0);
    for (uint32_t i = 0; i < levels.list.count && !levels.failed; i++) {
        uint32_t state = (uint32_t)(levels.list.item[i] >> 32), level = (uint32_t)levels.list.item[i];
        for_edges(edge, automaton, state)
        {
            struct automaton_edge copy = step(&levels, edge, level);
            copy.source = i;
            edges_add(&edges, copy);
        }
    }
    if (!levels.failed)
        result = automaton_like(automaton, (uint32_t)levels.list.count, 0, 1);
    bool fine = result && automaton_set_edges(result, &edges);
    if (fine)
        automaton_take(automaton, result);
    else
        automaton_free(result), free(edges.list.item);
    free(levels.number);
    free(levels.list.item);
    components_clear(&levels.components);
    return fine;
}
