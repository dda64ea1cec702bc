/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quotients by direct simulation.
 *
 * State t simulates s when t can answer every edge of s: for each letter of
 * its label there is an edge of t with that letter, with at least the same
 * acceptance sets, to a state that simulates the target.  (Backwards: the same
 * with edges turned around, and the initial state is simulated by itself alone.)
 * K. Etessami, G. Holzmann, "Optimizing Büchi automata", CONCUR 2000; F. Somenzi,
 * R. Bloem, "Efficient Büchi automata from LTL formulae", CAV 2000.
 *
 * States that simulate each other become one, which keeps the edges of one
 * of them: these answer all edges of the others.  Then an edge goes when
 * others of the same state answer it.  Forwards, runs of the one automaton
 * are answered edge by edge in the other, with at least the same acceptance;
 * backwards, prefixes of runs are, and an infinite run is then found by
 * König's lemma.  So the language is the same.
 */
#include "ltl/automaton.h"

#include "base/bits.h"

#include <string.h>

enum { MAX_STATES = 1500 }; /* more are left as they are: the relation has a bit for each pair */

struct simulation {
    const struct automaton *graph; /* turned around for backward simulation */
    size_t words;
    uint64_t *relation; /* row s has bit t when t may simulate s */
    VECTOR(const struct automaton_edge *) answers;
    bool sharpens, failed;
};

static bool related(const struct simulation *simulation, uint32_t s, uint32_t t)
{
    return bit_get(simulation->relation + s * simulation->words, t);
}

/* Whether one of the edges in answers[] answers this one, letter by letter. */
static bool is_answered(struct simulation *simulation, const struct automaton_edge *edge,
                        const struct automaton_edge *const *edges, size_t count)
{
    simulation->answers.count = 0;
    for (size_t i = 0; i < count; i++)
        if (edges[i] != edge && !(edge->acceptance & ~edges[i]->acceptance) &&
            related(simulation, edge->target, edges[i]->target))
            simulation->failed |= !vector_push(&simulation->answers, edges[i]);
    bool answered =
        label_is_covered(edge->positive, edge->negative, simulation->answers.item, simulation->answers.count);
    simulation->failed |= limits_reached();
    return answered;
}

static bool simulates(struct simulation *simulation, uint32_t s, uint32_t t, const struct automaton_edge **scratch)
{
    const struct automaton *graph = simulation->graph;
    size_t count = 0;
    for_edges(edge, graph, t) scratch[count++] = edge;
    for_edges(edge, graph, s) if (!is_answered(simulation, edge, scratch, count)) return false;
    return true;
}

/* The largest relation: begin with all pairs, take away what does not hold. */
static void refine(struct simulation *simulation, bool backward, const struct automaton_edge **scratch)
{
    uint32_t states = simulation->graph->states;
    for (uint32_t s = 0; s < states; s++)
        for (uint32_t t = 0; t < states; t++)
            if (!backward || s != simulation->graph->initial || s == t)
                bit_set(simulation->relation + s * simulation->words, t);
    for (bool changed = true; changed && !simulation->failed;) {
        changed = false;
        for (uint32_t s = 0; s < states && !simulation->failed; s++)
            for (uint32_t t = 0; t < states; t++)
                if (s != t && related(simulation, s, t) && !simulates(simulation, s, t, scratch)) {
                    bit_clear(simulation->relation + s * simulation->words, t);
                    changed = true;
                }
    }
}

/*
 * Takes letters from an edge that another one answers: those it has in common with the other, where the rest is a
 * cube again.  There is less to choose from, then, when the automaton runs.
 */
static bool sharpen(const struct simulation *simulation, struct automaton_edge *edge,
                    const struct automaton_edge *other)
{
    uint64_t positive = other->positive & ~edge->positive, negative = other->negative & ~edge->negative;
    uint64_t more = positive | negative;
    if (!more || (more & (more - 1)) || (edge->acceptance & ~other->acceptance) ||
        (more & (edge->positive | edge->negative)) || !related(simulation, edge->target, other->target))
        return false;
    edge->positive |= negative;
    edge->negative |= positive;
    return true;
}

/* The edges of one state after the quotient: to representatives, without those that others answer. */
static void keep_edges(struct simulation *simulation, uint32_t state, const uint32_t *representative,
                       const struct automaton_edge **scratch, struct automaton_edge *copies,
                       struct automaton_edges *kept)
{
    size_t count = 0;
    for_edges(edge, simulation->graph, state)
    {
        copies[count] = *edge;
        copies[count].target = representative[edge->target];
        scratch[count] = &copies[count];
        count++;
    }
    for (size_t i = 0; i < count;) {
        if (is_answered(simulation, scratch[i], scratch, count))
            scratch[i] = scratch[--count];
        else
            i++;
    }
    for (bool changed = simulation->sharpens; changed;) {
        changed = false;
        for (size_t i = 0; i < count && !(simulation->failed |= limits_reached()); i++)
            for (size_t j = 0; j < count; j++)
                changed |= i != j && sharpen(simulation, &copies[scratch[i] - copies], scratch[j]);
    }
    for (size_t i = 0; i < count; i++)
        edges_add(kept, *scratch[i]);
}

static struct automaton *turned(const struct automaton *automaton)
{
    struct automaton_edges edges = {0};
    struct automaton *result = automaton_like(automaton, automaton->states, automaton->initial, automaton->sets);
    if (!result)
        return NULL;
    for (uint32_t e = 0; e < automaton->first[automaton->states]; e++) {
        struct automaton_edge edge = automaton->edges[e];
        edge.source = automaton->edges[e].target;
        edge.target = automaton->edges[e].source;
        edges_add(&edges, edge);
    }
    if (automaton_set_edges(result, &edges))
        return result;
    automaton_free(result);
    return NULL;
}

/* The quotient of simulation->graph, with the states that are kept numbered anew. */
static struct automaton *quotient(struct simulation *simulation, const struct automaton_edge **scratch,
                                  struct automaton_edge *copies, uint32_t *representative, uint32_t *number)
{
    const struct automaton *graph = simulation->graph;
    struct automaton_edges edges = {0};
    uint32_t count = 0;
    for (uint32_t s = 0; s < graph->states; s++) {
        representative[s] = s;
        for (uint32_t t = 0; t < s && representative[s] == s; t++)
            if (related(simulation, s, t) && related(simulation, t, s))
                representative[s] = t;
        number[s] = representative[s] == s ? count++ : number[representative[s]];
    }
    for (uint32_t s = 0; s < graph->states; s++)
        if (representative[s] == s)
            keep_edges(simulation, s, representative, scratch, copies, &edges);
    for (size_t i = 0; i < edges.list.count; i++) {
        edges.list.item[i].source = number[edges.list.item[i].source];
        edges.list.item[i].target = number[edges.list.item[i].target];
    }
    edges.failed |= simulation->failed;
    struct automaton *result = automaton_like(graph, count, number[graph->initial], graph->sets);
    if (result && automaton_set_edges(result, &edges))
        return result;
    free(edges.list.item);
    automaton_free(result);
    return NULL;
}

static bool simulate(struct automaton *automaton, bool backward, bool sharpens)
{
    if (automaton->states > MAX_STATES)
        return true;
    struct automaton *graph = backward ? turned(automaton) : NULL, *result = NULL;
    struct simulation simulation = {
        .graph = backward ? graph : automaton, .words = bit_words(automaton->states), .sharpens = sharpens};
    size_t edges = automaton->first[automaton->states];
    const struct automaton_edge **scratch = malloc((edges + 1) * sizeof(struct automaton_edge *));
    struct automaton_edge *copies = malloc((edges + 1) * sizeof *copies);
    uint32_t *numbers = malloc(automaton->states * 2 * sizeof *numbers);
    simulation.relation = calloc(automaton->states * simulation.words, sizeof *simulation.relation);
    if (simulation.graph && scratch && copies && numbers && simulation.relation) {
        refine(&simulation, backward, scratch);
        result = quotient(&simulation, scratch, copies, numbers, numbers + automaton->states);
    }
    automaton_free(graph);
    free(scratch);
    free(copies);
    free(numbers);
    free(simulation.relation);
    free(simulation.answers.item);
    if (result && backward) {
        graph = turned(result);
        automaton_free(result);
        result = graph;
    }
    if (!result)
        return false;
    automaton_take(automaton, result);
    return true;
}

bool automaton_simulate(struct automaton *automaton, bool backward)
{
    return simulate(automaton, backward, false);
}

bool automaton_sharpen(struct automaton *automaton)
{
    return simulate(automaton, false, true);
}
