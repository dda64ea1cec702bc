/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model checking of LTL: the search looks for a run of the program that the automaton of counterexamples accepts, in
 * the product of both.  Without a reduction the program is explored on the fly, as the product needs it, by one thread;
 * several do as with a reduction.
 *
 * With one, the program's graph is reduced by itself, with a proviso that holds on that graph, and recorded; the
 * product is searched over the recording.  So the set explored in a state, and the mark "fully expanded", cannot depend
 * on the automaton or on which of two nested searches asks (Siegel, CAV 2019).  What the recording holds at any time is
 * part of the program, so the product is searched whenever the number of states has doubled: a counterexample is found
 * early, and all these searches together cost at most as much as the last one again.
 *
 * Preserved by the reduced graph: every LTL formula that cannot tell how often a state is repeated, over atoms that
 * invisible actions do not change (src/soundness: "runs"; for safety properties "states").
 */
#include "search/combination.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "property/property.h"
#include "property/verdict.h"
#include "search/product.h"
#include "search/search_system.h"
#include "system/replay.h"
#include "system/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WATCH = 256 };

/* The same automaton with one acceptance set; NULL when memory ran out. */
static struct automaton *degeneralised(const struct automaton *automaton)
{
    struct automaton_edges edges = {0};
    struct automaton *copy = automaton_like(automaton, automaton->states, automaton->initial, automaton->sets);
    for (uint32_t e = 0; e < automaton->first[automaton->states]; e++)
        edges_add(&edges, automaton->edges[e]);
    if (!copy || edges.failed) {
        free(edges.list.item);
    } else if (automaton_set_edges(copy, &edges) && automaton_degeneralise(copy)) {
        return copy;
    }
    automaton_free(copy);
    return NULL;
}

static void keep_answer(struct search *s, struct product *p)
{
    struct portolan_answer *answer = &s->result->answers[0];
    answer->trace = p->trace.item;
    answer->trace_length = p->trace.count;
    answer->cycle_start = p->cycle_start;
    answer->has_trace = true;
    memset(&p->trace, 0, sizeof p->trace);
    s->decided[0] = true;
    s->undecided = 0;
    end_search(s, PORTOLAN_DECIDED);
}

static void search_product(struct explorer *x, bool on_the_fly)
{
    struct search *s = x->search;
    const struct automaton *automaton = x->strategy->recording->property->counterexamples;
    struct automaton *buchi = NULL;
    if (s->emptiness->one_acceptance_set && automaton->sets > 1) {
        buchi = degeneralised(automaton);
        if (!buchi) {
            x->status = fail_memory(x->error);
            return;
        }
    }
    struct product product = {
        .on_the_fly = on_the_fly, .fairness = s->options->fairness, .marks_accepted = s->emptiness == &search_cndfs};
    if (product_make(&product, x, buchi ? buchi : automaton)) {
        x->strategy->product = &product; // cppcheck-suppress autoVariables
        s->emptiness->find_cycle(&product);
        x->strategy->product = NULL;
    } else if (!s->ended) {
        x->status = fail_memory(x->error);
    }
    x->counted.product_states = product.nodes->count;
    x->counted.product_transitions = product.transitions;
    if (product.found && limits_stop() == PORTOLAN_COMPLETE)
        keep_answer(s, &product);
    product_clear(&product);
    automaton_free(buchi);
}

static void watch(struct explorer *x)
{
    uint32_t states = x->search->store.count;
    search_product(x, false);
    x->strategy->next_watch = states < UINT32_MAX / 2 ? states * 2 : UINT32_MAX;
}

static void search_runs(struct explorer *x)
{
    struct search *s = x->search;
    if (!s->reduction_class->reduces && !s->crew) {
        if (insert_initial(x))
            search_product(x, true);
        return;
    }
    x->strategy->watch = watch;
    x->strategy->next_watch = FIRST_WATCH;
    explore_states(x);
    if (!s->ended && x->status == PORTOLAN_OK)
        search_product(x, false);
}

static enum portolan_status conclude(struct explorer *x)
{
    const struct search *s = x->search;
    const struct portolan_property *property = s->options->properties[0];
    struct portolan_answer *answer = &s->result->answers[0];
    answer->verdict = verdict_of(property->kind, s->decided[0], s->result->stop);
    snprintf(answer->note, sizeof answer->note, "%s", s->note);
    if (!s->decided[0]) {
        answer->cycle_start = PORTOLAN_NO_CYCLE;
        return PORTOLAN_OK;
    }
    struct portolan_error wrong;
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_REPLAYING);
    enum portolan_status status =
        answer->has_no_value ? replay_answer(s->system, property, answer, &wrong)
                             : portolan_replay_run(s->system, answer->trace, answer->trace_length, answer->cycle_start,
                                                   s->options->fairness, property, &wrong);
    limits_end(&finishing);
    if (status == PORTOLAN_STOPPED)
        answer_withdraw(answer, &s->result->stop);
    else if (status != PORTOLAN_OK)
        return fail(x->error, status, "internal error: the run that should violate '%.200s' does not: %s",
                    portolan_property_text(property), wrong.message);
    return PORTOLAN_OK;
}

enum portolan_status search_one_temporal(struct portolan_system *system, const struct portolan_options *options,
                                         const struct search_parts *parts, struct portolan_result *result,
                                         struct portolan_error *error)
{
    struct search_task task = {
        .property = options->properties[0]->ltl, .parts = parts, .run = search_runs, .conclude = conclude};
    return search_perform(system, options, &task, result, error);
}

/* --- several properties */

/* The options of one of several searches. */
static struct portolan_options options_of(const struct portolan_options *all,
                                          const struct portolan_property *const *properties, size_t count)
{
    struct portolan_options options = *all;
    options.properties = properties;
    options.property_count = count;
    options.time_limit = 0; /* that of the whole applies */
    if (wants_runs(all) && !property_is_temporal(properties[0]))
        options.search = NULL;
    return options;
}

enum portolan_status search_temporal(struct portolan_system *system, const struct portolan_options *options,
                                     struct portolan_result *result, struct portolan_error *error)
{
    size_t count = options->property_count, others = 0;
    memset(result, 0, sizeof *result);
    const struct portolan_property **states = calloc(count + 1, sizeof *states);
    size_t *places = calloc(count + 1, sizeof *places);
    result->answers = calloc(count + 1, sizeof *result->answers);
    result->answer_count = count;
    enum portolan_status status = states && places && result->answers ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; status == PORTOLAN_OK && i < count; i++)
        if (!property_is_temporal(options->properties[i])) {
            states[others] = options->properties[i];
            places[others++] = i;
        }
    struct portolan_result part;
    if (status == PORTOLAN_OK && others) {
        struct portolan_options some = options_of(options, states, others);
        status = search_system(system, &some, &part, error);
        if (status == PORTOLAN_OK)
            result_add(result, &part, places);
    }
    for (size_t i = 0; status == PORTOLAN_OK && i < count; i++) {
        if (!property_is_temporal(options->properties[i]))
            continue;
        struct portolan_options one = options_of(options, &options->properties[i], 1);
        status = search_one_temporal(system, &one, NULL, &part, error);
        if (status == PORTOLAN_OK)
            result_add(result, &part, &i);
    }
    free(states);
    free(places);
    if (status != PORTOLAN_OK)
        result_clear(result);
    return status;
}
