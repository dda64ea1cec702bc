/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester of LTL: random nets and formulas, judged on the whole graph by a plain fixpoint and by every
 * combination of reduction, proviso and search.  Verdicts must be equal, counterexamples must be some, and what would
 * not be sound must be refused.
 *
 *     ltl_differential [--nets N] [--seed S] [--first K] [--mutants]
 *
 * With --mutants the reduction is broken on purpose, in one way after another: each must be found out.
 */
#include "ltl_oracle.h"

#include "base/diagnostic.h"
#include "front/petri/system.h"
#include "ltl/ltl_property.h"
#include "property/property.h"
#include "proviso/all.h"
#include "search/search.h"
#include "search/search_system.h"
#include "search/variants.h"
#include "threads.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 400, FORMULAS = 4 };

struct settings {
    uint64_t nets, seed, first;
    bool mutants;
};

/* One net with one formula. */
struct trial {
    struct portolan_system *system;
    struct portolan_property *property;
    struct oracle oracle;
    bool violated, violated_fairly;
    char text[1024];
    char complaint[2048];
};

struct combination {
    const char *reduction, *proviso, *search;
    enum portolan_fairness fairness;
};

static bool complain(struct trial *trial, const struct combination *c, const char *what)
{
    snprintf(trial->complaint, sizeof trial->complaint, "%.600s: reduction %s, proviso %s, search %s%s: %s",
             trial->text, c->reduction, c->proviso, c->search, c->fairness ? ", fair" : "", what);
    return false;
}

/* The form of the proviso that a name stands for. */
static enum proviso_form form_of(const struct trial *trial, const char *proviso)
{
    static const char *const of_safety[] = {"safe", "safe:printed", "stack:safety", "queue:safety"};
    static const char *const either[] = {"auto", "scc", "stack", "queue"};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(proviso, of_safety[i]) == 0 ||
            (strcmp(proviso, either[i]) == 0 && trial->property->ltl->safety == LTL_YES))
            return PROVISO_SAFETY;
    return strcmp(proviso, "none") == 0 ? PROVISO_FREE : PROVISO_LIVENESS;
}

/* What must be refused, from the formula alone. */
static bool is_refused(const struct trial *trial, const struct combination *c)
{
    const struct ltl_property *p = trial->property->ltl;
    enum proviso_form form = form_of(trial, c->proviso);
    bool several = tester_threads() > 1, is_named = strcmp(c->proviso, "auto") != 0;
    if (several && strcmp(c->search, "ndfs") == 0)
        return true;
    if (several && is_named && strcmp(c->proviso, "none") != 0 && strncmp(c->proviso, "queue", 5) != 0)
        return true;
    if (strcmp(c->reduction, "none") == 0 || strcmp(c->reduction, "auto") == 0)
        return false;
    if (p->stutter_invariant != LTL_YES || ltl_property_mentions_deadlock(p) || form == PROVISO_FREE)
        return true;
    if (strstr(c->reduction, "weak"))
        return p->safety != LTL_YES || form != PROVISO_LIVENESS;
    return form == PROVISO_SAFETY && p->safety != LTL_YES;
}

static enum portolan_status search(struct trial *trial, const struct combination *c, const struct search_parts *parts,
                                   struct portolan_result *result, struct portolan_error *error)
{
    const struct portolan_property *property = trial->property;
    struct portolan_options options = {.reduction = c->reduction,
                                       .proviso = c->proviso,
                                       .search = c->search,
                                       .fairness = c->fairness,
                                       .threads = parts ? 0 : tester_threads(),
                                       .store = tester_store(),
                                       .properties = &property,
                                       .property_count = 1};
    return parts ? search_one_temporal(trial->system, &options, parts, result, error)
                 : search_system(trial->system, &options, result, error);
}

static bool check_combination(struct trial *trial, const struct combination *c)
{
    struct portolan_result result;
    struct portolan_error error = {0};
    enum portolan_status status = search(trial, c, NULL, &result, &error);
    if (is_refused(trial, c) != (status == PORTOLAN_REFUSED)) {
        if (status == PORTOLAN_OK)
            result_clear(&result);
        return complain(trial, c, status == PORTOLAN_REFUSED ? "refused for no reason" : "not refused");
    }
    if (status == PORTOLAN_REFUSED)
        return true;
    if (status != PORTOLAN_OK)
        return complain(trial, c, error.message);
    const struct portolan_answer *answer = &result.answers[0];
    bool violated = c->fairness ? trial->violated_fairly : trial->violated, fine = true;
    if (answer->verdict != (violated ? PORTOLAN_VIOLATED : PORTOLAN_HOLDS))
        fine = complain(trial, c, violated ? "a counterexample was missed" : "a counterexample was made up");
    else if (violated && !oracle_refutes(&trial->oracle, answer->trace, answer->trace_length, answer->cycle_start))
        fine = complain(trial, c, "the counterexample is none");
    result_clear(&result);
    return fine;
}

/* One in six of the variants that reduce, other ones with each formula. */
static bool check_reduced(struct trial *trial, uint64_t rotation)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    while (variant_next(&cursor, true, &v))
        if (v.reduction_class->reduces && ++rotation % 6 == 0 &&
            !check_combination(trial,
                               &(struct combination){v.reduction, v.proviso, tester_threads() > 1 ? "cndfs" : v.search,
                                                     PORTOLAN_UNFAIR}))
            return false;
    return true;
}

/* Everything unreduced, what is chosen by itself, and some of the reduced ones. */
static bool check_all(struct trial *trial, uint64_t rotation)
{
    static const char *const short_names[] = {"auto", "stack", "queue", "scc"};
    static const char *const searches[] = {"auto", "scc", "ndfs", "cndfs"};
    for (size_t s = 0; s < 4; s++)
        if (!check_combination(trial, &(struct combination){"none", "auto", searches[s], PORTOLAN_UNFAIR}) ||
            !check_combination(trial, &(struct combination){"auto", "auto", searches[s], PORTOLAN_UNFAIR}))
            return false;
    for (size_t p = 0; p < 4; p++)
        if (!check_combination(trial, &(struct combination){"stubborn", short_names[p], searches[rotation % 4], 0}))
            return false;
    return check_reduced(trial, rotation) &&
           check_combination(trial, &(struct combination){"none", "auto", "auto", PORTOLAN_FAIR_ACTIONS}) &&
           check_combination(trial, &(struct combination){"none", "auto", "scc", PORTOLAN_FAIR_ACTIONS}) &&
           check_combination(trial, &(struct combination){"auto", "auto", "auto", PORTOLAN_FAIR_AGENTS});
}

/* ------------------------------------------------------------------------ mutants */

static enum portolan_status make_blind(const struct portolan_system *system, const char *options,
                                       const struct reduction_demands *demands, struct reduction **reduction,
                                       struct portolan_error *error)
{
    struct reduction_demands less = *demands;
    less.visible = NULL;
    return reduction_stubborn.make(system, options, &less, reduction, error);
}

/* A system that keeps quiet about who may disable a guard, one guard at a time. */
static enum portolan_status make_careless(const struct portolan_system *system, const char *options,
                                          const struct reduction_demands *demands, struct reduction **reduction,
                                          struct portolan_error *error)
{
    static struct portolan_system changed; /* the reduction keeps pointers to both */
    static struct portolan_relations relations;
    static uint32_t offsets[4096];
    relations = *system->relations;
    changed = *system;
    changed.relations = &relations;
    uint32_t guards = relations.guards;
    if (guards == 0 || guards >= 4096)
        return reduction_stubborn.make(system, options, demands, reduction, error);
    uint32_t silent = (system->actions * 7 + guards) % guards;
    uint32_t *items = calloc((size_t)relations.disablers.offset[guards] + 1, sizeof *items);
    if (!items)
        return fail_memory(error);
    for (uint32_t g = 0, used = 0; g < guards; g++) {
        offsets[g] = used;
        for (uint32_t i = relations.disablers.offset[g]; g != silent && i < relations.disablers.offset[g + 1]; i++)
            items[used++] = relations.disablers.item[i];
        offsets[g + 1] = used;
    }
    relations.disablers.offset = offsets;
    relations.disablers.item = items;
    relations.never_together = (struct portolan_lists){0};
    enum portolan_status status = reduction_stubborn.make(&changed, options, demands, reduction, error);
    relations.disablers = system->relations->disablers;
    free(items);
    return status;
}

struct mutant {
    const char *name;
    const char *proviso; /* the one it takes the place of */
    struct search_parts parts;
};

static bool is_caught(struct trial *trial, const struct mutant *mutant)
{
    struct combination c = {"stubborn:strong,persistent", mutant->proviso, "scc", PORTOLAN_UNFAIR};
    struct portolan_result result;
    if (is_refused(trial, &c))
        return false;
    enum portolan_status status = search(trial, &c, &mutant->parts, &result, NULL);
    if (status != PORTOLAN_OK)
        return true;
    bool differs = result.answers[0].verdict != (trial->violated ? PORTOLAN_VIOLATED : PORTOLAN_HOLDS);
    result_clear(&result);
    return differs;
}

/* ----------------------------------------------------------------------- the nets */

enum outcome { PASSED, SKIPPED, FAILED };

/*
 * A random walk beside a step that does not depend on it: reduced, the walk goes round and round and the step is
 * ignored but where a proviso has it explored.  The last place of the walk cannot be left.  When the step is seen and
 * the end of the walk is not, each cycle of the walk counts.
 */
static void draft_walk(struct draft *draft, struct random *random)
{
    enum { WALK = 7, STEP = WALK, DONE };
    memset(draft, 0, sizeof *draft);
    draft->places = DONE + 1;
    draft->tokens[0] = draft->tokens[STEP] = 1;
    draft->transitions = WALK + random_below(random, DRAFT_TRANSITIONS - WALK + 1);
    uint32_t step = random_below(random, draft->transitions);
    uint32_t back = random_chance(random, 50) ? (step + 1) % draft->transitions : UINT32_MAX;
    for (uint32_t t = 0; t < draft->transitions; t++) {
        uint32_t from = t < WALK - 1 ? t : random_below(random, WALK - 1), to = random_below(random, WALK);
        draft->arc[t][t == step ? STEP : t == back ? DONE : from].consume = 1;
        draft->arc[t][t == step ? DONE : t == back ? STEP : to].produce = 1;
    }
}

static void formula_of_walk(struct oracle_formula *formula, struct random *random)
{
    static const char *const texts[] = {"F a0 -> F a1", "!G F a0", "!G F a0 || F G a0", "!F G a0", "G F a0 -> F a1"};
    memset(formula, 0, sizeof *formula);
    formula->atoms[0] = (struct oracle_atom){.kind = ATOM_TOKENS, .index = 8, .tokens = 1};
    formula->atoms[1] = (struct oracle_atom){.kind = ATOM_TOKENS, .index = 6, .tokens = 1};
    snprintf(formula->text, sizeof formula->text, "%s", texts[random_below(random, 5)]);
}

static bool oracle_agrees_with_itself(struct trial *trial)
{
    static const struct combination none = {"-", "-", "-", PORTOLAN_UNFAIR};
    if (oracle_short_violation(&trial->oracle, 7) && !trial->violated)
        return complain(trial, &none, "the fixpoint misses a short counterexample");
    if (trial->violated_fairly && !trial->violated)
        return complain(trial, &none, "the fixpoint finds more with fairness than without");
    return true;
}

/* Judges one formula and hands the trial on. */
static enum outcome try_formula(struct portolan_system *system, const struct naive *naive,
                                const struct oracle_formula *formula, bool (*check)(struct trial *, void *), void *user)
{
    struct trial trial = {.system = system};
    struct portolan_error error;
    oracle_formula_write(formula, trial.text, sizeof trial.text);
    if (!oracle_make(&trial.oracle, naive, formula))
        return SKIPPED;
    bool fine = portolan_property_new(system, PORTOLAN_LTL, trial.text, &trial.property, &error) == PORTOLAN_OK;
    if (fine) {
        trial.violated = oracle_violated(&trial.oracle, false);
        trial.violated_fairly = oracle_violated(&trial.oracle, true);
        fine = oracle_agrees_with_itself(&trial) && check(&trial, user);
    } else {
        snprintf(trial.complaint, sizeof trial.complaint, "%.600s: %s", trial.text, error.message);
    }
    if (!fine)
        printf("%s\n", trial.complaint);
    portolan_property_free(trial.property);
    oracle_clear(&trial.oracle);
    return fine ? PASSED : FAILED;
}

static enum outcome try_net(const struct settings *settings, uint64_t number, bool (*check)(struct trial *, void *),
                            void *user)
{
    struct random random = random_from(settings->seed, number);
    struct draft draft;
    struct naive naive;
    struct portolan_system *system = NULL;
    bool walks = random_chance(&random, 30);
    if (walks)
        draft_walk(&draft, &random);
    else
        draft_random(&draft, &random);
    struct net *net = draft_net(&draft, "random"), *other = draft_net(&draft, "random");
    if (!net || !other || net_system_new(other, &system, NULL) != PORTOLAN_OK)
        abort();
    enum outcome outcome = naive_explore(&naive, net, MOST_STATES) == NAIVE_COMPLETE ? PASSED : SKIPPED;
    for (uint32_t i = 0; i < FORMULAS && outcome == PASSED; i++) {
        struct oracle_formula formula;
        oracle_formula_random(&formula, &random, draft.places, draft.transitions, i == 0);
        if (walks && i == 1)
            formula_of_walk(&formula, &random);
        outcome = try_formula(system, &naive, &formula, check, user);
        if (outcome == SKIPPED)
            outcome = PASSED;
    }
    if (outcome == FAILED) {
        char path[64];
        snprintf(path, sizeof path, "ltl-differential-%" PRIu64 ".pnml", number);
        FILE *out = fopen(path, "w");
        if (out && pnml_write(net, out) && fclose(out) == 0)
            printf("  written to %s\n", path);
        printf("  reproduce: ltl_differential --seed %" PRIu64 " --first %" PRIu64 " --nets 1\n", settings->seed,
               number);
    }
    naive_clear(&naive);
    portolan_system_free(system);
    net_free(net);
    return outcome;
}

static bool check_trial(struct trial *trial, void *user)
{
    uint64_t *counts = user;
    counts[trial->violated]++;
    return check_all(trial, counts[0] + counts[1]);
}

static bool try_mutant(struct trial *trial, void *user)
{
    struct mutant *mutant = user;
    if (mutant->name && is_caught(trial, mutant)) {
        printf("caught: %s, by %s\n", mutant->name, trial->text);
        mutant->name = NULL;
    }
    return true;
}

static int catch_mutants(const struct settings *settings)
{
    static struct reduction_class blind, careless;
    blind = careless = reduction_stubborn;
    blind.make = make_blind;
    careless.make = make_careless;
    struct mutant mutants[] = {
        {"no proviso", "stack", .parts.proviso = &proviso_none},
        {"a proviso of the safety form", "stack", .parts.proviso = &proviso_stack_safety},
        {"no visibility", "stack", .parts.reduction = &blind},
        {"a dependency missing", "stack", .parts.reduction = &careless},
        {"no invisible action in a set", "stack", .parts.without_invisible = true},
    };
    int missed = 0;
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
        const char *name = mutants[i].name;
        for (uint64_t n = 0; mutants[i].name && n < settings->nets; n++)
            try_net(settings, settings->first + n, try_mutant, &mutants[i]);
        if (mutants[i].name) {
            printf("NOT caught: %s\n", name);
            missed++;
        }
    }
    return missed ? 1 : 0;
}

static bool read_settings(int count, char **words, struct settings *settings)
{
    for (int i = 1; i < count; i++) {
        uint64_t *number = strcmp(words[i], "--nets") == 0    ? &settings->nets
                           : strcmp(words[i], "--seed") == 0  ? &settings->seed
                           : strcmp(words[i], "--first") == 0 ? &settings->first
                                                              : NULL;
        if (strcmp(words[i], "--mutants") == 0)
            settings->mutants = true;
        else if (!number || i + 1 == count)
            return false;
        else
            *number = strtoull(words[++i], NULL, 10);
    }
    return true;
}

int main(int count, char **words)
{
    struct settings settings = {.nets = 300, .seed = 1};
    uint64_t counts[2] = {0}, tally[3] = {0};
    if (!read_settings(count, words, &settings)) {
        fprintf(stderr, "usage: ltl_differential [--nets N] [--seed S] [--first K] [--mutants]\n");
        return 2;
    }
    mallopt(M_TRIM_THRESHOLD, 1 << 26); /* many short searches: keep the heap */
    mallopt(M_MMAP_THRESHOLD, 1 << 26);
    if (settings.mutants)
        return catch_mutants(&settings);
    for (uint64_t n = 0; n < settings.nets && !tally[FAILED]; n++)
        tally[try_net(&settings, settings.first + n, check_trial, counts)]++;
    printf("ltl_differential: %" PRIu64 " nets passed, %" PRIu64 " failed, %" PRIu64 " skipped; %" PRIu64
           " formulas held, %" PRIu64 " did not\n",
           tally[PASSED], tally[FAILED], tally[SKIPPED], counts[0], counts[1]);
    return tally[FAILED] || counts[0] < settings.nets / 10 || counts[1] < settings.nets / 10 ? 1 : 0;
}
