/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model checking of LTL: a run of the program that the automaton of counterexamples accepts is looked for, in the
 * product of both.  Without a reduction the program is explored on the fly, as the product needs it.
 *
 * With one, the program's graph is reduced by itself, with a proviso that holds on that graph, and recorded; the
 * product is searched over the recording.  So the set explored in a state, and the mark "fully expanded", cannot depend
 * on the automaton or on which of two nested searches asks (Siegel, CAV 2019).  What the recording holds at any time is
 * part of the program, so the product is searched whenever the number of states has doubled: a counterexample is found
 * early, and all these searches together cost at most as much as the last one again.
 *
 * Preserved by the reduced graph: every LTL formula that cannot tell how often a state is repeated, over atoms that
 * invisible actions do not change (combination.c: "runs"; for safety properties "states").
 */
#include "search/search.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "property/property.h"
#include "property/verdict.h"
#include "search/product.h"
#include "search/search_system.h"

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

static void run(struct product *p, const char *search)
{
    if (strcmp(search, "ndfs") == 0)
        product_search_ndfs(p);
    else if (strcmp(search, "weak") == 0)
        product_search_weak(p);
    else if (strcmp(search, "reach") == 0)
        product_search_reach(p);
    else
        product_search_scc(p);
}

static void search_product(struct search *s, bool on_the_fly)
{
    const struct automaton *automaton = s->recording->property->counterexamples;
    struct automaton *buchi = NULL;
    if (strcmp(s->result->search, "ndfs") == 0 && automaton->sets > 1) {
        buchi = degeneralised(automaton);
        if (!buchi) {
            s->status = fail_memory(s->error);
            return;
        }
    }
    struct product product = {.on_the_fly = on_the_fly, .fairness = s->options->fairness};
    if (product_make(&product, s, buchi ? buchi : automaton)) {
        s->product = &product; // cppcheck-suppress autoVariables
        run(&product, s->result->search);
        s->product = NULL;
    } else if (!s->ended) {
        s->status = fail_memory(s->error);
    }
    s->result->statistics.product_states = product.nodes.count;
    s->result->statistics.product_transitions = product.transitions;
    if (product.found && limits_stop() == PORTOLAN_COMPLETE)
        keep_answer(s, &product);
    product_clear(&product);
    automaton_free(buchi);
}

static void watch(struct search *s)
{
    search_product(s, false);
    s->next_watch = s->store.count < UINT32_MAX / 2 ? s->store.count * 2 : UINT32_MAX;
}

static void search_reduced(struct search *s, const char *order)
{
    s->watch = watch;
    s->next_watch = FIRST_WATCH;
    if (strcmp(order, "bfs") == 0)
        search_bfs(s);
    else
        search_dfs(s);
    if (s->proviso_class->afterwards && !s->ended && s->status == PORTOLAN_OK)
        search_repair(s);
    if (!s->ended && s->status == PORTOLAN_OK)
        search_product(s, false);
}

static enum portolan_status conclude(struct search *s)
{
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
    enum portolan_status status = portolan_replay_run(s->system, answer->trace, answer->trace_length,
                                                      answer->cycle_start, s->options->fairness, property, &wrong);
    limits_end(&finishing);
    if (status == PORTOLAN_STOPPED)
        answer_withdraw(answer, &s->result->stop);
    else if (status != PORTOLAN_OK)
        return fail(s->error, status, "internal error: the run that should violate '%.200s' does not: %s",
                    portolan_property_text(property), wrong.message);
    return PORTOLAN_OK;
}

enum portolan_status search_one_temporal(struct portolan_system *system, const struct portolan_options *options,
                                         const struct search_parts *parts, struct portolan_result *result,
                                         struct portolan_error *error)
{
    memset(result, 0, sizeof *result);
    struct search s = {.system = system, .options = options, .result = result, .error = error};
    const struct ltl_property *property = options->properties[0]->ltl;
    struct recording recording = {0};
    const char *words = "", *order = "";
    clock_gettime(CLOCK_MONOTONIC, &s.start);
    s.status = choose_combination(&s, &words, &order);
    if (s.status == PORTOLAN_OK && parts && parts->reduction)
        s.reduction_class = parts->reduction;
    if (s.status == PORTOLAN_OK && parts && parts->proviso)
        s.proviso_class = parts->proviso;
    if (s.status == PORTOLAN_OK)
        s.status = search_make(&s, words);
    if (parts && parts->without_invisible)
        s.needs_runs = false;
    if (s.status == PORTOLAN_OK &&
        !recording_make(&recording, system, property, options->fairness == PORTOLAN_FAIR_AGENTS))
        s.status = fail_memory(error);
    if (s.status == PORTOLAN_OK) {
        result->stop = PORTOLAN_COMPLETE;
        s.recording = &recording;
        if (s.reduction_class->reduces)
            search_reduced(&s, order);
        else if (insert_initial(&s))
            search_product(&s, true);
        observe_completion(&s);
    }
    if (s.status == PORTOLAN_STOPPED)
        s.status = cut_short(&s);
    if (s.status == PORTOLAN_OK)
        s.status = conclude(&s);
    if (s.status == PORTOLAN_OK && result->stop > PORTOLAN_DECIDED)
        name_growing(&s);
    recording_clear(&recording);
    search_clear(&s);
    if (s.status != PORTOLAN_OK)
        result_clear(result);
    return s.status;
}

/* --- several properties */

static void add_statistics(struct portolan_statistics *sum, const struct portolan_statistics *part)
{
    sum->states += part->states;
    sum->visited += part->visited;
    sum->transitions += part->transitions;
    sum->expanded_fully += part->expanded_fully;
    sum->deadlocks += part->deadlocks;
    sum->product_states += part->product_states;
    sum->product_transitions += part->product_transitions;
    sum->seconds += part->seconds;
    sum->depth = part->depth > sum->depth ? part->depth : sum->depth;
    sum->bytes = part->bytes > sum->bytes ? part->bytes : sum->bytes;
}

/* Adds the result of one search, which answers the properties of the given kind, or one of them. */
static void add_result(struct portolan_result *sum, struct portolan_result *part, const size_t *places)
{
    for (size_t i = 0; i < part->answer_count; i++) {
        sum->answers[places[i]] = part->answers[i];
        part->answers[i] = (struct portolan_answer){0};
    }
    add_statistics(&sum->statistics, &part->statistics);
    sum->stop = part->stop > sum->stop ? part->stop : sum->stop;
    memcpy(sum->reduction, part->reduction, sizeof sum->reduction);
    memcpy(sum->proviso, part->proviso, sizeof sum->proviso);
    memcpy(sum->search, part->search, sizeof sum->search);
    sum->unbounded |= part->unbounded;
    if (part->growing[0])
        memcpy(sum->growing, part->growing, sizeof sum->growing);
    if (part->fired_all) { /* a search for a formula goes only where it can become false */
        sum->fired = part->fired;
        sum->fired_all = true;
        part->fired = NULL;
    }
    result_clear(part);
}

/* The options of one of several searches. */
static struct portolan_options options_of(const struct portolan_options *all,
                                          const struct portolan_property *const *properties, size_t count)
{
    struct portolan_options options = *all;
    options.properties = properties;
    options.property_count = count;
    options.time_limit = 0; /* those of the whole count */
    bool of_ltl = options.search && (strcmp(options.search, "scc") == 0 || strcmp(options.search, "ndfs") == 0);
    if (of_ltl && !property_is_temporal(properties[0]))
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
            add_result(result, &part, places);
    }
    for (size_t i = 0; status == PORTOLAN_OK && i < count; i++) {
        if (!property_is_temporal(options->properties[i]))
            continue;
        struct portolan_options one = options_of(options, &options->properties[i], 1);
        status = search_one_temporal(system, &one, NULL, &part, error);
        if (status == PORTOLAN_OK)
            add_result(result, &part, &i);
    }
    free(states);
    free(places);
    if (status != PORTOLAN_OK)
        result_clear(result);
    return status;
}
