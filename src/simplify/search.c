/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/search.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/petri/system.h"
#include "property/verdict.h"
#include "search/combination.h"
#include "search/search_system.h"
#include "simplify/decide.h"
#include "simplify/question.h"
#include "system/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct simplified {
    struct portolan_system *original;
    const struct net *net;
    const struct portolan_options *options;
    struct simplification small;
    struct node_map map;
    const struct net *small_net;
    bool changed;                          /* some rule was used */
    size_t turn;                           /* of searching */
    double thought;                        /* seconds before it, for rules that take long and for the structure */
    struct portolan_system *system;        /* of the small net, which it owns */
    struct portolan_property **property;   /* of the small net */
    const char **reason;                   /* why the structure decides a property; NULL: it does not */
    const struct portolan_property **open; /* those that it does not decide */
    size_t open_count;
    struct simplify_proof *proof; /* NULL: nobody wants it */
    FILE *lines;                  /* of it, and what has been written */
    char *text;
    size_t length;
};

/* ------------------------------------------------------------------- making it */

static bool may_simplify(const struct portolan_system *system, const struct portolan_options *options, bool proves)
{
    const struct portolan_callbacks *told = &options->callbacks;
    return options->property_count && !options->fairness && !options->all && !options->check_relations &&
           !wants_executions(options) && !told->expanded && !told->deadlock && !told->explain &&
           (proves || (!options->certifiable && !told->edge && !told->vector)) && !net_of_system(system)->priority &&
           system->variables == net_of_system(system)->places;
}

static bool begin_proof(struct simplified *s)
{
    if (!s->proof)
        return true;
    s->lines = open_memstream(&s->text, &s->length);
    return s->lines && fputs("simplify\n", s->lines) >= 0;
}

/* Hands the proof on, unless it says nothing.  False when memory is exhausted. */
static bool end_proof(struct simplified *s)
{
    size_t count = s->options->property_count;
    if (!s->proof)
        return true;
    bool fine = fclose(s->lines) == 0;
    s->lines = NULL;
    s->proof->open = calloc(count + 1, sizeof *s->proof->open);
    if (!fine || !s->proof->open)
        return false;
    for (size_t i = 0; i < count; i++)
        s->proof->open[i] = !s->reason[i];
    if (!s->changed && s->open_count == count)
        return true;
    s->proof->text = s->text;
    s->proof->system = s->system;
    s->text = NULL;
    s->system = NULL;
    return true;
}

void simplify_proof_clear(struct simplify_proof *proof)
{
    free(proof->text);
    free(proof->open);
    portolan_system_free(proof->system);
    *proof = (struct simplify_proof){0};
}

/* False when nothing can be simplified, or time or memory runs out: then the net is searched as it is. */
static bool simplify(struct simplified *s)
{
    struct simplify_question question;
    struct portolan_limits limits;
    limits_begin(&limits, 20, 0, NULL);
    bool fine = question_make(&question, s->net) && begin_proof(s);
    question.thought = s->thought;
    question.proof = s->lines;
    for (size_t i = 0; fine && i < s->options->property_count; i++)
        fine = question_add(&question, s->net, s->options->properties[i]);
    fine = fine && simplify_net(s->net, &question, &s->small);
    for (int i = 0; fine && i < SIMPLIFY_RULES; i++)
        s->changed |= s->small.fired[i] > 0;
    question_clear(&question);
    limits_end(&limits);
    return fine && node_map_make(&s->map, s->net, &s->small);
}

static enum portolan_status make_properties(struct simplified *s, struct portolan_error *error)
{
    size_t count = s->options->property_count;
    s->property = calloc(count + 1, sizeof(struct portolan_property *));
    s->reason = calloc(count + 1, sizeof(const char *));
    s->open = calloc(count + 1, sizeof(const struct portolan_property *));
    enum portolan_status status = s->property && s->reason && s->open ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; i < count && status == PORTOLAN_OK; i++) {
        status = property_for_small(s->original, s->options->properties[i], &s->map, &s->property[i], error);
    }
    return status;
}

/* What the structure decides after so many seconds of thought, 0 is at once; the rest is left open. */
static void find_reasons(struct simplified *s, double seconds)
{
    s->open_count = 0;
    for (size_t i = 0; i < s->options->property_count; i++) {
        if (!s->reason[i])
            s->reason[i] = structure_excludes(s->small_net, s->property[i], seconds, s->lines, i);
        if (!s->reason[i])
            s->open[s->open_count++] = s->property[i];
    }
}

static void simplified_clear(struct simplified *s)
{
    for (size_t i = 0; s->property && i < s->options->property_count; i++)
        portolan_property_free(s->property[i]);
    free(s->property);
    free(s->reason);
    free(s->open);
    if (s->lines)
        fclose(s->lines);
    free(s->text);
    portolan_system_free(s->system);
    node_map_clear(&s->map);
    simplification_clear(&s->small);
}

void simplify_report_text(const struct simplify_report *report, char *text, size_t size)
{
    int used = snprintf(text, size, "%u places, %u transitions -> %u, %u", report->places, report->transitions,
                        report->small_places, report->small_transitions);
    const char *before = " (";
    for (int i = 0; i < SIMPLIFY_RULES; i++) {
        uint32_t count = report->fired[i];
        if (!count || used < 0 || (size_t)used >= size)
            continue;
        used += snprintf(text + used, size - (size_t)used, "%s%u %s%s", before, count, simplify_rule_words[i],
                         count == 1 ? "" : "s");
        before = ", ";
    }
    if (before[0] == ',' && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
}

static void fill_report(const struct simplified *s, struct simplify_report *report)
{
    *report = (struct simplify_report){.used = s->changed || s->open_count == 0,
                                       .changed = s->changed,
                                       .searched = s->open_count > 0,
                                       .places = s->net->places,
                                       .transitions = s->net->transitions,
                                       .small_places = s->small_net->places,
                                       .small_transitions = s->small_net->transitions};
    memcpy(report->fired, s->small.fired, sizeof report->fired);
}

/* ------------------------------------------------------------------- searching */

static enum portolan_status make_system(struct simplified *s, struct portolan_error *error)
{
    struct net *net = s->small.net;
    s->small.net = NULL; /* net_system_new takes it over */
    enum portolan_status status = net_system_new(net, &s->system, error);
    if (status == PORTOLAN_OK)
        s->small_net = net;
    if (status == PORTOLAN_OK && s->lines)
        fprintf(s->lines, "net %" PRIu32 " %" PRIu32 "\n", net->places, net->transitions);
    return status;
}

static enum portolan_status search_small(struct simplified *s, uint64_t state_limit, struct portolan_result *result,
                                         struct portolan_error *error)
{
    struct portolan_options options = *s->options;
    options.properties = s->open;
    options.property_count = s->open_count;
    options.state_limit = state_limit == UINT64_MAX ? 0 : state_limit;
    if (s->proof)
        s->proof->again(s->proof->user);
    enum portolan_status status = search_system(s->system, &options, result, error);
    if (status == PORTOLAN_OK && s->changed) {
        free(result->fired); /* of the small net's transitions */
        result->fired = NULL;
        result->fired_all = false;
    }
    return status;
}

static enum portolan_status no_search(struct portolan_result *result)
{
    memset(result, 0, sizeof *result);
    snprintf(result->reduction, sizeof result->reduction, "none");
    snprintf(result->proviso, sizeof result->proviso, "none");
    snprintf(result->search, sizeof result->search, "none");
    result->stop = PORTOLAN_COMPLETE;
    return PORTOLAN_OK;
}

/*
 * A short search is cheaper than much thought, which is cheaper than a long search.  So they take turns, each longer
 * than the one before: the rules, then thought for as long as everything took so far, then a search from the start.
 */
static const struct turn {
    uint64_t states;
    double seconds; /* of the search */
} turns[] = {{20000, 2}, {300000, 10}, {5000000, 60}, {UINT64_MAX, 0}};
enum { TURNS = sizeof turns / sizeof *turns };
static const double most_thought = 5;

static uint64_t most_states(const struct simplified *s)
{
    return s->options->state_limit ? s->options->state_limit : UINT64_MAX;
}

/* Has a limit that was asked for been reached?  Those of a turn may have been the ones that noticed it. */
static bool is_over(void)
{
    return limits_present && limits_look(limits_present);
}

/* Did a limit of the turn end the search? */
static bool is_cut(const struct simplified *s, const struct portolan_result *result)
{
    return s->turn + 1 < TURNS && (result->stop == PORTOLAN_STATE_LIMIT || result->stop == PORTOLAN_TIME_LIMIT) &&
           most_states(s) > turns[s->turn].states;
}

/* What the structure decides in the time that this turn has for it. */
static void think(struct simplified *s)
{
    find_reasons(s, 0);
    if (s->open_count && s->thought > 0)
        find_reasons(s, s->thought / (double)s->open_count);
}

static enum portolan_status search_in_turn(struct simplified *s, struct portolan_result *result,
                                           struct portolan_error *error)
{
    struct portolan_limits limits;
    uint64_t most = most_states(s);
    if (!s->open_count)
        return no_search(result);
    limits_begin(&limits, turns[s->turn].seconds, 0, NULL);
    enum portolan_status status =
        search_small(s, most < turns[s->turn].states ? most : turns[s->turn].states, result, error);
    limits_end(&limits);
    return status;
}

/* The answers of the search, with those that the structure gives in between. */
static enum portolan_status merge_answers(const struct simplified *s, struct portolan_result *result,
                                          struct portolan_error *error)
{
    size_t count = s->options->property_count, next = 0;
    struct portolan_answer *answers = calloc(count + 1, sizeof *answers);
    if (!answers)
        return fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (!s->reason[i]) {
            answers[i] = result->answers[next++];
            continue;
        }
        answers[i].verdict = verdict_of(s->property[i]->kind, false, PORTOLAN_COMPLETE);
        answers[i].cycle_start = PORTOLAN_NO_CYCLE;
        snprintf(answers[i].note, sizeof answers[i].note, "decided without a search: %s", s->reason[i]);
    }
    free(result->answers);
    result->answers = answers;
    result->answer_count = count;
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------------- traces */

static enum portolan_status expand_trace(const struct simplified *s, const struct portolan_property *property,
                                         struct portolan_answer *answer, struct portolan_error *error)
{
    struct firing_sequence run = {0};
    bool dead_end = property->kind == PORTOLAN_NO_DEADLOCK;
    if (!simplification_expand(&s->small, s->net, answer->trace, answer->trace_length, dead_end, &run)) {
        free(run.item);
        return fail_memory(error);
    }
    free(answer->trace);
    answer->trace = run.item;
    answer->trace_length = run.count;
    if (property_is_temporal(property) && !answer->has_no_value)
        return portolan_replay_run(s->original, answer->trace, answer->trace_length, answer->cycle_start,
                                   s->options->fairness, property, error);
    return replay_answer(s->original, property, answer, error);
}

/* Every trace becomes one of the original net, and is replayed there. */
static enum portolan_status expand_traces(const struct simplified *s, struct portolan_result *result,
                                          struct portolan_error *error)
{
    for (size_t i = 0; i < result->answer_count; i++) {
        struct portolan_answer *answer = &result->answers[i];
        const struct portolan_property *property = s->options->properties[i];
        struct portolan_error wrong = {0};
        enum portolan_status status = answer->has_trace ? expand_trace(s, property, answer, &wrong) : PORTOLAN_OK;
        if (status == PORTOLAN_STOPPED)
            answer_withdraw(answer, &result->stop);
        else if (status != PORTOLAN_OK)
            return fail(error, status, "internal error: the trace of '%s' does not replay: %s",
                        portolan_property_text(property), wrong.message);
    }
    return PORTOLAN_OK;
}

static enum portolan_status conclude(const struct simplified *s, struct portolan_result *result,
                                     struct portolan_error *error)
{
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_REPLAYING);
    enum portolan_status status = merge_answers(s, result, error);
    if (status == PORTOLAN_OK)
        status = expand_traces(s, result, error);
    limits_end(&finishing);
    return status;
}

/* The answers and the proof. */
static enum portolan_status finish(struct simplified *s, struct simplify_report *report, struct portolan_result *result,
                                   struct portolan_error *error)
{
    fill_report(s, report);
    enum portolan_status status = conclude(s, result, error);
    if (status == PORTOLAN_OK && !end_proof(s))
        status = fail_memory(error);
    if (status != PORTOLAN_OK)
        result_clear(result);
    return status;
}

/* Everything before the search.  False when the net is to be searched as it is. */
static bool prepare(struct simplified *s, enum portolan_status *status, struct portolan_error *error)
{
    if (!simplify(s))
        return false;
    *status = make_properties(s, error);
    if (*status == PORTOLAN_OK)
        *status = make_system(s, error);
    if (*status == PORTOLAN_OK)
        think(s);
    return *status != PORTOLAN_OVERFLOW; /* which may be one of the simplified net alone */
}

/* The turns, one after the other.  False when the net is to be searched as it is. */
static bool take_turns(const struct simplified *first, bool think_first, const struct timespec *start,
                       struct simplify_report *report, struct portolan_result *result, enum portolan_status *status,
                       struct portolan_error *error)
{
    struct simplified both[2]; /* of this turn and the last one, which do not move: streams write into them */
    bool searched = false;     /* the last one has searched and left something open */
    for (size_t turn = think_first ? TURNS - 1 : 0;; turn++) {
        double spent = seconds_since(start);
        struct simplified *s = &both[turn % 2], *last = &both[(turn + 1) % 2];
        *s = *first;
        s->turn = turn;
        if (turn > 0)
            s->thought = think_first || spent > most_thought ? most_thought : spent;
        *status = PORTOLAN_OK;
        bool fine = prepare(s, status, error);
        if (searched && is_over()) { /* what was covered before is all there is */
            result->stop = limits_stop();
            *status = finish(last, report, result, error);
            simplified_clear(last);
            simplified_clear(s);
            return true;
        }
        if (searched) {
            result_clear(result);
            simplified_clear(last);
        }
        memset(result, 0, sizeof *result);
        if (fine && *status == PORTOLAN_OK)
            *status = search_in_turn(s, result, error);
        fine = fine && *status != PORTOLAN_OVERFLOW;
        searched = fine && *status == PORTOLAN_OK && is_cut(s, result) && !is_over();
        if (searched)
            continue;
        if (is_cut(s, result) && limits_stop() != PORTOLAN_COMPLETE)
            result->stop = limits_stop();
        if (fine && *status == PORTOLAN_OK)
            *status = finish(s, report, result, error);
        simplified_clear(s);
        return fine && *status != PORTOLAN_OVERFLOW; /* where a trace is too much for the original net */
    }
}

enum portolan_status search_simplified(struct portolan_system *system, const struct portolan_options *options,
                                       bool think_first, struct simplify_report *report, struct simplify_proof *proof,
                                       struct portolan_result *result, struct portolan_error *error)
{
    const struct net *net = net_of_system(system);
    struct timespec start;
    enum portolan_status status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    *report = (struct simplify_report){0};
    if (!net || !may_simplify(system, options, proof))
        return search_system(system, options, result, error);
    struct simplified s = {.original = system, .net = net, .options = options, .proof = proof};
    if (!take_turns(&s, think_first, &start, report, result, &status, error)) {
        *report = (struct simplify_report){0};
        if (proof)
            proof->again(proof->user);
        return search_system(system, options, result, error);
    }
    if (status == PORTOLAN_OK)
        result->statistics.seconds = seconds_since(&start);
    return status;
}
