/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester of simplification: random nets, stretched and doubled so that rules have something to do, one
 * property at a time, decided on the simplified net and by naive exploration of the net as it is (LTL: by a search
 * without simplification and reduction).  Traces are replayed by the engine.
 *
 *     simplified [--nets N] [--seed S] [--first K]
 *
 * A rule that was never used is a failure, too, when there were enough nets.
 */
#include "front/petri/system.h"
#include "search/search_system.h"
#include "shrink.h"
#include "simplify/search.h"
#include "stretched_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKINGS = 400, ENOUGH_NETS = 2000 };

enum mode { DEADLOCK, STATES, BOTH, RUNS, BOUND, MODES };

static uint64_t rule_uses[SIMPLIFY_RULES], decided_without_search[MODES], skipped, checked;

struct trial {
    enum mode mode;
    bool think_first; /* of siphons and equations, before any search */
    uint32_t pattern; /* of the formula of linear time */
    bool skipped, too_large;
    struct simplify_report report;
    char detail[1600];
};

/* ------------------------------------------------------------------- verdicts */

static const char *const patterns[] = {"G F (%s)", "F G (%s)", "F (%s)", "G (%s)", "X (%s)", "(%s) U (%s)"};

static enum portolan_kind kind_of(const struct trial *trial, const struct formula *formula)
{
    static const enum portolan_kind kinds[] = {
        [DEADLOCK] = PORTOLAN_NO_DEADLOCK, [RUNS] = PORTOLAN_LTL, [BOUND] = PORTOLAN_MAXIMUM};
    return trial->mode == STATES || trial->mode == BOTH ? formula->kind : kinds[trial->mode];
}

/* For upper bounds: the places of the first atom. */
static void sum_text(const struct formula *formula, const struct net *net, char *text, size_t size)
{
    int used = snprintf(text, size, "0");
    for (uint32_t i = 0; i < formula->atom[0].places; i++)
        used += snprintf(text + used, size - (size_t)used, " + %s", net->place_id[formula->atom[0].place[i]]);
}

static int64_t largest_sum(const struct formula *formula, const struct naive *naive)
{
    int64_t largest = 0;
    for (uint32_t s = 0; s < naive->count; s++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < formula->atom[0].places; i++)
            sum += naive_marking(naive, s)[formula->atom[0].place[i]];
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static bool make_property(struct portolan_system *system, const struct trial *trial, const struct formula *formula,
                          const struct net *net, struct portolan_property **property, struct portolan_error *error)
{
    char text[FORMULA_TEXT], whole[3 * FORMULA_TEXT];
    formula_text(formula, net, text, sizeof text);
    if (trial->mode == BOUND)
        sum_text(formula, net, whole, sizeof whole);
    else if (trial->mode == RUNS)
        snprintf(whole, sizeof whole, patterns[trial->pattern], text, text);
    else
        snprintf(whole, sizeof whole, "%s", text);
    return portolan_property_new(system, kind_of(trial, formula), whole, property, error) == PORTOLAN_OK;
}

/* Of a net with too many markings, those that were expanded tell something, or nothing. */
static enum portolan_verdict truth(const struct formula *formula, const struct naive *naive)
{
    bool decided = false;
    uint32_t expanded = (uint32_t)naive->edge_offset.count - 1;
    for (uint32_t s = 0; s < expanded; s++)
        decided |= formula_is_decided_by(formula, naive, s);
    if (!decided && expanded < naive->count)
        return PORTOLAN_UNKNOWN;
    return decided == (formula->kind == PORTOLAN_REACH) ? PORTOLAN_HOLDS : PORTOLAN_VIOLATED;
}

/* Of a property of runs: what a search of the net as it is says. */
static enum portolan_verdict verdict_of_runs(struct portolan_system *system, const struct portolan_property *property)
{
    struct portolan_options options = {.reduction = "none", .properties = &property, .property_count = 1};
    struct portolan_result result;
    if (search_system(system, &options, &result, NULL) != PORTOLAN_OK)
        return PORTOLAN_UNKNOWN;
    enum portolan_verdict verdict = result.answers[0].verdict;
    result_clear(&result);
    return verdict;
}

static const struct formula no_deadlock = {.kind = PORTOLAN_NO_DEADLOCK};

/* What the simplified search says of one property, or of it and deadlocks together. */
static bool verdicts_differ(struct trial *trial, struct portolan_system *system, const struct formula *formula,
                            const struct naive *naive, struct portolan_property *property)
{
    struct portolan_error error = {0};
    struct portolan_property *deadlock = NULL;
    struct portolan_result result;
    portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &deadlock, NULL);
    const struct portolan_property *both[] = {property, deadlock};
    struct portolan_options options = {
        .properties = both, .property_count = trial->mode == BOTH ? 2 : 1, .state_limit = 5 * MOST_MARKINGS};
    enum portolan_verdict wanted[] = {trial->mode == DEADLOCK ? truth(&no_deadlock, naive)
                                      : trial->mode == RUNS   ? verdict_of_runs(system, property)
                                      : trial->mode == BOUND  ? PORTOLAN_HOLDS
                                                              : truth(formula, naive),
                                      truth(&no_deadlock, naive)};
    enum portolan_status status =
        search_simplified(system, &options, trial->think_first, &trial->report, NULL, &result, &error);
    bool differs = status != PORTOLAN_OK;
    if (differs)
        snprintf(trial->detail, sizeof trial->detail, "'%s': %s", portolan_property_text(property), error.message);
    for (size_t i = 0; status == PORTOLAN_OK && i < result.answer_count; i++) {
        bool left_open =
            result.answers[i].verdict == PORTOLAN_UNKNOWN && (result.stop == PORTOLAN_DECIDED || trial->too_large);
        bool unknown = trial->too_large && wanted[i] == PORTOLAN_UNKNOWN;
        if (left_open || unknown || result.answers[i].verdict == wanted[i])
            continue;
        differs = true;
        snprintf(trial->detail, sizeof trial->detail, "'%s': verdict %d instead of %d (%s)",
                 portolan_property_text(both[i]), result.answers[i].verdict, wanted[i], result.answers[i].note);
    }
    if (status == PORTOLAN_OK && trial->mode == BOUND && result.answers[0].maximum != largest_sum(formula, naive)) {
        differs = true;
        snprintf(trial->detail, sizeof trial->detail, "'%s': %" PRId64 " instead of %" PRId64,
                 portolan_property_text(property), result.answers[0].maximum, largest_sum(formula, naive));
    }
    if (status == PORTOLAN_OK)
        result_clear(&result);
    portolan_property_free(deadlock);
    return differs;
}

static bool fails(void *user, const struct sample *sample)
{
    struct trial *trial = user;
    struct net *net = draft_net(&sample->draft, "random"), *second = draft_net(&sample->draft, "random");
    struct portolan_system *system = NULL;
    struct portolan_property *property = NULL;
    struct portolan_error error = {0};
    struct naive naive;
    bool failed = false;
    enum naive_outcome outcome = naive_explore(&naive, net, MOST_MARKINGS);
    trial->report = (struct simplify_report){0};
    trial->too_large = outcome == NAIVE_TOO_MANY;
    trial->skipped = outcome == NAIVE_NO_MEMORY || (trial->too_large && trial->mode >= RUNS);
    if (net_system_new(second, &system, &error) != PORTOLAN_OK ||
        (!trial->skipped && !make_property(system, trial, sample->formulas, net, &property, &error))) {
        snprintf(trial->detail, sizeof trial->detail, "%s", error.message);
        failed = true;
    } else if (!trial->skipped) {
        failed = verdicts_differ(trial, system, sample->formulas, &naive, property);
    }
    portolan_property_free(property);
    portolan_system_free(system);
    naive_clear(&naive);
    net_free(net);
    return failed;
}

/* ---------------------------------------------------------------- the command */

static void show_failure(struct trial *trial, struct sample *sample, uint64_t number, uint64_t seed)
{
    shrink(sample, fails, trial);
    fails(trial, sample);
    char rules[600];
    simplify_report_text(&trial->report, rules, sizeof rules);
    printf("FAILED: net %" PRIu64 " of seed %" PRIu64 ": %s\n%s\n", number, seed, trial->detail, rules);
    struct net *net = draft_net(&sample->draft, "failed");
    if (net)
        pnml_write(net, stdout);
    net_free(net);
}

static bool check(uint64_t number, uint64_t seed)
{
    struct random random = random_from(seed, number);
    struct formula formula;
    struct sample sample = {.formulas = &formula, .formula_count = 1};
    draft_stretched(&sample.draft, &random);
    formula_random(&formula, &random, sample.draft.places, sample.draft.transitions);
    struct trial trial = {.mode = number % MODES,
                          .think_first = random_chance(&random, 80),
                          .pattern = random_below(&random, sizeof patterns / sizeof *patterns)};
    bool failed = fails(&trial, &sample);
    skipped += trial.skipped;
    checked += !trial.skipped;
    for (int i = 0; i < SIMPLIFY_RULES; i++)
        rule_uses[i] += trial.report.fired[i];
    decided_without_search[trial.mode] += trial.report.used && !trial.report.searched;
    if (failed)
        show_failure(&trial, &sample, number, seed);
    return !failed;
}

static bool every_rule_was_used(void)
{
    bool all = true;
    for (int i = 0; i < SIMPLIFY_RULES; i++) {
        printf("%8" PRIu64 " %ss\n", rule_uses[i], simplify_rule_words[i]);
        all &= rule_uses[i] > 0;
    }
    return all;
}

int main(int count, char **words)
{
    uint64_t nets = 3000, seed = 1, first = 0;
    for (int i = 1; i + 1 < count; i += 2) {
        uint64_t *field = strcmp(words[i], "--nets") == 0 ? &nets : strcmp(words[i], "--seed") == 0 ? &seed : &first;
        *field = strtoull(words[i + 1], NULL, 10);
    }
    bool fine = true;
    for (uint64_t number = first; number < first + nets && fine; number++)
        fine = check(number, seed);
    printf("%" PRIu64 " checked, %" PRIu64 " too large, decided without a search: %" PRIu64 " deadlock, %" PRIu64
           " states\n",
           checked, skipped, decided_without_search[DEADLOCK], decided_without_search[STATES]);
    if (!every_rule_was_used() && nets >= ENOUGH_NETS) {
        printf("FAILED: a rule was never used\n");
        fine = false;
    }
    return fine ? 0 : 1;
}
