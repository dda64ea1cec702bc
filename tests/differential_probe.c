/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester of probe sets: random entity systems and random nets, every strategy x proviso x view x
 * choice against plain full exploration.  Deadlock sets and verdicts must be equal; traces are replayed by the engine.
 *
 *     differential_probe [--systems N] [--seed S] [--first K] [--words OPTIONS]
 *
 * --words adds options to every reduction, to see that the rules as printed fail.
 */
#include "differential_formula.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "random_entities.h"
#include "search/search_system.h"
#include "search/variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKINGS = 400, FORMULAS = 2 };

struct settings {
    uint64_t systems, seed, first;
    const char *words; /* more options, or "" */
};

struct tally {
    uint64_t entity_systems, nets, searches, skipped;
};

static struct tally tally;

/* ------------------------------------------------------------------ combinations */

struct combination {
    char reduction[128];
    const char *proviso, *search;
    struct variant_cursor cursor;
    uint64_t number;
};

enum { SHARE = 4 }; /* of all combinations, one in so many is tried on a model, others on the next */

/* Names multiply the states of a place by the subsets of its tokens, so only nets with few have tokens with identity.
 */
static bool may_use(const struct variant *v, uint32_t most_tokens)
{
    enum { FEW_TOKENS = 4 };
    return v->reduction_class && v->reduction_class->has_search &&
           (most_tokens > 0 || !strstr(v->reduction, "tokens=")) &&
           (most_tokens <= FEW_TOKENS || !strstr(v->reduction, "tokens=identity"));
}

/* The next combination for a model whose places hold at most so many tokens; start with {0}.  Entity systems have none.
 */
static bool next_combination(struct combination *c, uint32_t most_tokens, uint64_t rotation, const char *words)
{
    struct variant v;
    while (variant_next(&c->cursor, false, &v))
        if (may_use(&v, most_tokens) && c->number++ % SHARE == rotation % SHARE) {
            const char *before = !*words ? "" : strchr(v.reduction, ':') ? "," : ":";
            snprintf(c->reduction, sizeof c->reduction, "%s%s%s", v.reduction, before, words);
            c->proviso = v.proviso;
            c->search = v.search;
            return true;
        }
    return false;
}

static enum portolan_status run(struct portolan_system *system, const struct combination *c,
                                const struct portolan_property *property, struct portolan_callbacks callbacks,
                                struct portolan_result *result, struct portolan_error *error)
{
    struct portolan_options options = {.reduction = c->reduction,
                                       .proviso = c->proviso,
                                       .search = c->search,
                                       .properties = &property,
                                       .property_count = property ? 1 : 0,
                                       .callbacks = callbacks};
    tally.searches++;
    return search_system(system, &options, result, error);
}

/* The verdict of a property must be that of `truth`. */
static bool verdict_differs(struct portolan_system *system, const struct combination *c, enum portolan_kind kind,
                            const char *text, bool decided, char *detail, size_t size)
{
    struct portolan_property *property = NULL;
    struct portolan_result result;
    struct portolan_error error = {0};
    if (portolan_property_new(system, kind, text, &property, &error) != PORTOLAN_OK) {
        snprintf(detail, size, "property '%s': %s", text, error.message);
        return true;
    }
    enum portolan_status status = run(system, c, property, (struct portolan_callbacks){0}, &result, &error);
    enum portolan_verdict wanted = decided == (kind == PORTOLAN_REACH) ? PORTOLAN_HOLDS : PORTOLAN_VIOLATED;
    bool refused =
        status == PORTOLAN_REFUSED && (property_needs_every_state(property) || strstr(c->reduction, "printed-"));
    bool differs = !refused && (status != PORTOLAN_OK || result.answers[0].verdict != wanted);
    if (differs)
        snprintf(detail, size, "%s, %s, %s: '%s': %s", c->reduction, c->proviso, c->search,
                 portolan_property_text(property), status == PORTOLAN_OK ? "wrong verdict" : error.message);
    if (status == PORTOLAN_OK)
        result_clear(&result);
    portolan_property_free(property);
    return differs;
}

/* --------------------------------------------------------------- entity systems */

struct entity_case {
    const struct settings *settings;
    uint64_t number;
    char detail[1600];
};

struct found {
    bool deadlock[ENTITY_DRAFT_STATES];
};

static void on_deadlock(void *user, uint32_t state, const void *bytes)
{
    (void)state;
    ((struct found *)user)->deadlock[*(const uint64_t *)bytes] = true;
}

static bool deadlocks_differ(struct portolan_system *system, const struct combination *c,
                             const struct entity_truth *truth, char *detail, size_t size)
{
    struct found found = {0};
    struct portolan_result result;
    struct portolan_error error = {0};
    struct portolan_callbacks callbacks = {.user = &found, .deadlock = on_deadlock};
    if (run(system, c, NULL, callbacks, &result, &error) != PORTOLAN_OK) {
        snprintf(detail, size, "%s: %s", c->reduction, error.message);
        return true;
    }
    bool differs = memcmp(found.deadlock, truth->deadlock, sizeof found.deadlock) != 0;
    if (differs)
        snprintf(detail, size, "%s, %s, %s: deadlock sets differ", c->reduction, c->proviso, c->search);
    result_clear(&result);
    return differs;
}

/* "some state has e and lacks f". */
static bool reach_differs(struct portolan_system *system, const struct combination *c, const struct entity_draft *draft,
                          const struct entity_truth *truth, uint64_t rotation, char *detail, size_t size)
{
    uint32_t e = (uint32_t)(rotation % draft->entities), f = (uint32_t)(rotation / 7 % draft->entities);
    char text[64];
    bool decided = false;
    for (uint32_t s = 0; s < ENTITY_DRAFT_STATES; s++)
        decided |= truth->reachable[s] && (s >> e & 1) && (e == f || !(s >> f & 1));
    snprintf(text, sizeof text, e == f ? "e%u = 1" : "e%u = 1 && e%u = 0", e, f);
    return verdict_differs(system, c, PORTOLAN_REACH, text, decided, detail, size);
}

static bool entity_system_fails(void *user, const struct entity_draft *draft)
{
    struct entity_case *k = user;
    struct entity_truth truth;
    struct portolan_system *system = entity_draft_system(draft);
    struct combination c = {0};
    bool fails = !system;
    if (system)
        entity_draft_explore(draft, &truth);
    for (uint32_t i = 0; !fails && next_combination(&c, 0, k->number, k->settings->words); i++)
        fails = deadlocks_differ(system, &c, &truth, k->detail, sizeof k->detail) ||
                reach_differs(system, &c, draft, &truth, k->number + i * 11, k->detail, sizeof k->detail);
    portolan_system_free(system);
    return fails;
}

static bool check_entities(const struct settings *settings, uint64_t number)
{
    struct entity_case k = {.settings = settings, .number = number};
    struct random random = random_from(settings->seed, number);
    struct entity_draft draft;
    entity_draft_random(&draft, &random);
    tally.entity_systems++;
    if (!entity_system_fails(&k, &draft))
        return true;
    entity_draft_shrink(&draft, entity_system_fails, &k);
    entity_system_fails(&k, &draft);
    printf("FAILED: entity system %" PRIu64 " of seed %" PRIu64 ": %s\n", number, settings->seed, k.detail);
    entity_draft_print(&draft);
    return false;
}

/* ------------------------------------------------------------------------- nets */

struct net_case {
    const struct settings *settings;
    uint64_t number;
    struct formula formulas[FORMULAS];
    bool skipped;
    char detail[1600];
};

struct net_found {
    struct portolan_system *system;
    const struct naive *naive;
    uint32_t count;
    bool wrong;
    uint32_t marking[DRAFT_PLACES];
};

static void on_net_deadlock(void *user, uint32_t state, const void *bytes)
{
    struct net_found *found = user;
    (void)state;
    for (uint32_t p = 0; p < found->naive->net->places; p++)
        found->marking[p] = (uint32_t)found->system->value(found->system->model, bytes, p);
    uint32_t number = naive_find(found->naive, found->marking);
    found->wrong |= number == NAIVE_NONE || naive_enabled(found->naive, number) > 0;
    found->count++;
}

static bool net_deadlocks_differ(struct portolan_system *system, const struct combination *c, const struct naive *naive,
                                 char *detail, size_t size)
{
    struct net_found found = {.system = system, .naive = naive};
    struct portolan_result result;
    struct portolan_error error = {0};
    struct portolan_callbacks callbacks = {.user = &found, .deadlock = on_net_deadlock};
    uint32_t deadlocks = 0;
    for (uint32_t s = 0; s < naive->count; s++)
        deadlocks += naive_enabled(naive, s) == 0;
    if (run(system, c, NULL, callbacks, &result, &error) != PORTOLAN_OK) {
        snprintf(detail, size, "%s: %s", c->reduction, error.message);
        return true;
    }
    bool differs = found.wrong || found.count != deadlocks || result.statistics.deadlocks != deadlocks;
    if (differs)
        snprintf(detail, size, "%s, %s, %s: %u deadlocks instead of %u", c->reduction, c->proviso, c->search,
                 found.count, deadlocks);
    result_clear(&result);
    return differs;
}

static bool formula_differs(struct portolan_system *system, const struct combination *c, const struct formula *formula,
                            const struct naive *naive, char *detail, size_t size)
{
    char text[FORMULA_TEXT];
    bool decided = false;
    formula_text(formula, naive->net, text, sizeof text);
    for (uint32_t s = 0; s < naive->count; s++)
        decided |= formula_is_decided_by(formula, naive, s);
    return verdict_differs(system, c, formula->kind, formula->kind == PORTOLAN_NO_DEADLOCK ? NULL : text, decided,
                           detail, size);
}

/* At most so many tokens are in a place; at least 1, for every net has views of tokens. */
static uint32_t most_tokens(const struct naive *naive)
{
    uint32_t most = 1;
    for (size_t i = 0; i < naive->tokens.count; i++)
        most = naive->tokens.item[i] > most ? naive->tokens.item[i] : most;
    return most;
}

static bool net_fails(struct net_case *k, const struct draft *draft)
{
    struct net *net = draft_net(draft, "random");
    struct naive naive;
    struct portolan_system *system = NULL;
    struct combination c = {0};
    enum naive_outcome outcome = net ? naive_explore(&naive, net, MOST_MARKINGS) : NAIVE_NO_MEMORY;
    bool fails = false;
    k->skipped = outcome == NAIVE_TOO_MANY;
    uint32_t most = outcome == NAIVE_COMPLETE ? most_tokens(&naive) : 0;
    struct net *second = outcome == NAIVE_COMPLETE ? draft_net(draft, "random") : NULL;
    if (second && net_system_new(second, &system, NULL) == PORTOLAN_OK)
        for (uint32_t i = 0; !fails && next_combination(&c, most, k->number, k->settings->words); i++)
            fails = net_deadlocks_differ(system, &c, &naive, k->detail, sizeof k->detail) ||
                    formula_differs(system, &c, &k->formulas[i % FORMULAS], &naive, k->detail, sizeof k->detail);
    portolan_system_free(system);
    if (net)
        naive_clear(&naive);
    net_free(net);
    return fails;
}

/* Drops transitions and arcs as long as it fails; the formulas speak of places and stay. */
static void shrink_net(struct net_case *k, struct draft *draft)
{
    for (bool shrunk = true; shrunk;) {
        shrunk = false;
        for (uint32_t t = 0; t < draft->transitions; t++)
            for (uint32_t p = 0; p < draft->places; p++) {
                struct draft smaller = *draft;
                smaller.arc[t][p] = (struct draft_arc){0};
                if (memcmp(&smaller, draft, sizeof smaller) != 0 && net_fails(k, &smaller)) {
                    *draft = smaller;
                    shrunk = true;
                }
            }
    }
}

static bool check_net(const struct settings *settings, uint64_t number)
{
    struct net_case k = {.settings = settings, .number = number};
    struct random random = random_from(settings->seed + 1, number);
    struct draft draft;
    draft_random(&draft, &random);
    for (uint32_t i = 0; i < FORMULAS; i++)
        formula_random(&k.formulas[i], &random, draft.places, draft.transitions);
    bool fails = net_fails(&k, &draft);
    tally.skipped += k.skipped;
    tally.nets += !k.skipped;
    if (!fails)
        return true;
    shrink_net(&k, &draft);
    net_fails(&k, &draft);
    printf("FAILED: net %" PRIu64 " of seed %" PRIu64 ": %s\n", number, settings->seed, k.detail);
    struct net *net = draft_net(&draft, "failed");
    if (net)
        pnml_write(net, stdout);
    net_free(net);
    return false;
}

/* ------------------------------------------------------------------ the command */

static bool read_settings(int count, char **words, struct settings *settings)
{
    for (int i = 1; i < count; i += 2) {
        uint64_t *number = strcmp(words[i], "--systems") == 0 ? &settings->systems
                           : strcmp(words[i], "--seed") == 0  ? &settings->seed
                           : strcmp(words[i], "--first") == 0 ? &settings->first
                                                              : NULL;
        if (i + 1 == count)
            return false;
        if (number)
            *number = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--words") == 0)
            settings->words = words[i + 1];
        else
            return false;
    }
    return true;
}

int main(int count, char **words)
{
    struct settings settings = {.systems = 1000, .seed = 1, .words = ""};
    if (!read_settings(count, words, &settings)) {
        fprintf(stderr, "usage: differential_probe [--systems N] [--seed S] [--first K] [--words OPTIONS]\n");
        return 2;
    }
    bool fine = true;
    for (uint64_t k = settings.first; fine && k < settings.first + settings.systems; k++)
        fine = check_entities(&settings, k) && check_net(&settings, k);
    printf("differential_probe: %" PRIu64 " entity systems, %" PRIu64 " nets, %" PRIu64 " searches, %s",
           tally.entity_systems, tally.nets, tally.searches, fine ? "all agree" : "one FAILED");
    if (tally.skipped)
        printf(", %" PRIu64 " nets skipped", tally.skipped);
    printf("\n");
    return fine ? 0 : 1;
}
