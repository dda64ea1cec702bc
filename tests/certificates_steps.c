/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tester of the steps of certificates: random steps on random nets.  Those that the checker of certificates accepts
 * must leave a net of which the same is true, by exploring both.
 *
 *     certificates_steps [--nets N] [--seed S] [--first K]
 */
#include "certify/check_simplified.h"
#include "differential_formula.h"
#include "front/petri/system.h"
#include "property/property.h"
#include "search/search_system.h"
#include "stretched_net.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 6, TRIES = 60, LINE = 80, MOST_STATES = 3000, RULES = 11, AGGLOMERATIONS = 8, ENOUGH_NETS = 2000 };

static const char *const rules[RULES] = {"dead",   "relax",      "untested", "implied", "dominated", "idle",
                                         "source", "irrelevant", "pre",      "post",    "free"};
static uint64_t accepted[RULES], compared;

struct trial {
    struct portolan_system *system;
    struct claims claims;
    char steps[MOST_STEPS][LINE];
    int count;
};

static void random_step(const struct net *net, uint32_t made, struct random *random, int rule, char *line)
{
    uint32_t p = random_below(random, net->places), q = random_below(random, net->places);
    uint32_t t = random_below(random, net->transitions + made), u = random_below(random, net->transitions + made);
    switch (rule) {
    case 1: snprintf(line, LINE, "relax %u/%u", t, p); break;
    case 3:
        snprintf(line, LINE, "implied %u %u %u*%u", p, 1 + random_below(random, 2), q, random_below(random, 3));
        break;
    case 0:
    case 6: snprintf(line, LINE, "%s %u", rules[rule], t); break;
    case 4: snprintf(line, LINE, "dominated %u %u", t, u); break;
    case 5:
        if (random_chance(random, 50))
            snprintf(line, LINE, "idle %u", t);
        else
            snprintf(line, LINE, "idle %u %u", t, u);
        break;
    case 7:
        if (random_chance(random, 50))
            snprintf(line, LINE, "irrelevant t%u", t);
        else
            snprintf(line, LINE, "irrelevant t%u p%u p%u", t, p, q);
        break;
    default: snprintf(line, LINE, "%s %u", rules[rule], p); break;
    }
}

/* Carries out one step; false when it is refused. */
static bool carry_out(struct checker *c, struct smaller *s, const char *step)
{
    char line[LINE];
    snprintf(line, sizeof line, "%s", step);
    c->reader.line = c->reader.next = line;
    return check_step(c, s) == PORTOLAN_OK;
}

/* The net after the first steps; NULL when one is refused. */
static struct net *net_after(const struct trial *trial, int count, uint32_t *made)
{
    struct portolan_error error;
    struct checker c = {.reader = {.name = "steps", .error = &error}, .error = &error};
    struct smaller s;
    bool fine = smaller_make(&s, net_of_system(trial->system));
    for (size_t i = 0; fine && i < trial->claims.list.count; i++)
        fine = smaller_note(&s, &trial->claims.list.item[i]);
    for (int i = 0; fine && i < count; i++)
        fine = carry_out(&c, &s, trial->steps[i]);
    *made = (uint32_t)s.transitions.count - s.net->transitions;
    struct net *net = fine ? smaller_finish(&s) : NULL;
    smaller_clear(&s);
    return net;
}

static enum portolan_verdict verdict_on(struct portolan_system *system, enum portolan_kind kind, const char *text)
{
    struct portolan_property *property = NULL;
    struct portolan_result result;
    enum portolan_verdict verdict = PORTOLAN_UNKNOWN;
    if (portolan_property_new(system, kind, text, &property, NULL) != PORTOLAN_OK)
        return verdict;
    struct portolan_options options = {.reduction = "none",
                                       .properties = (const struct portolan_property *const[]){property},
                                       .property_count = 1,
                                       .state_limit = MOST_STATES};
    if (search_system(system, &options, &result, NULL) == PORTOLAN_OK) {
        verdict = result.answers[0].verdict;
        result_clear(&result);
    }
    portolan_property_free(property);
    return verdict;
}

static bool names_what_is_gone(struct portolan_system *small, enum portolan_kind kind, const char *text)
{
    struct portolan_property *property = NULL;
    bool fine = portolan_property_new(small, kind, text, &property, NULL) == PORTOLAN_OK;
    portolan_property_free(property);
    return !fine;
}

/* Is the same claim true of both nets, as far as they can be explored? */
static bool is_same(const struct trial *trial, struct portolan_system *small)
{
    for (size_t i = 0; i < trial->claims.list.count; i++) {
        const struct portolan_property *property = trial->claims.list.item[i].property;
        const char *text = property->kind == PORTOLAN_NO_DEADLOCK ? NULL : strchr(property->text, ' ') + 1;
        enum portolan_verdict one = verdict_on(trial->system, property->kind, text),
                              other = verdict_on(small, property->kind, text);
        if (names_what_is_gone(small, property->kind, text)) {
            printf("FAILED: '%s' names what is gone\n", trial->claims.list.item[i].text);
            return false;
        }
        compared += one != PORTOLAN_UNKNOWN && other != PORTOLAN_UNKNOWN;
        if (one == other || one == PORTOLAN_UNKNOWN || other == PORTOLAN_UNKNOWN)
            continue;
        printf("FAILED: '%s': verdict %d, and %d after\n", trial->claims.list.item[i].text, one, other);
        for (int k = 0; k < trial->count; k++)
            printf("%s\n", trial->steps[k]);
        pnml_write(net_of_system(trial->system), stdout);
        return false;
    }
    return true;
}

static bool try_steps(struct trial *trial, struct random *random)
{
    struct portolan_system *small = NULL;
    uint32_t made = 0, after;
    for (int i = 0; i < TRIES && trial->count < MOST_STEPS; i++) {
        int rule = (int)(random_chance(random, 40) ? AGGLOMERATIONS + random_below(random, RULES - AGGLOMERATIONS)
                                                   : random_below(random, RULES));
        random_step(net_of_system(trial->system), made, random, rule, trial->steps[trial->count]);
        struct net *net = net_after(trial, trial->count + 1, &after);
        if (!net)
            continue;
        accepted[rule]++;
        trial->count++;
        made = after;
        portolan_system_free(small);
        small = NULL;
        net_system_new(net, &small, NULL);
    }
    bool fine = !small || is_same(trial, small);
    portolan_system_free(small);
    return fine;
}

static bool check(uint64_t number, uint64_t seed)
{
    struct random random = random_from(seed, number);
    struct draft draft;
    struct formula formula;
    struct trial trial = {0};
    char text[FORMULA_TEXT + 16], body[FORMULA_TEXT];
    draft_stretched(&draft, &random);
    if (!draft.places || !draft.transitions)
        return true;
    formula_random(&formula, &random, draft.places, draft.transitions);
    net_system_new(draft_net(&draft, "random"), &trial.system, NULL);
    formula_text(&formula, net_of_system(trial.system), body, sizeof body);
    snprintf(text, sizeof text, "%s %s", formula.kind == PORTOLAN_INVARIANT ? "invariant" : "never", body);
    bool fine = (number % 3 == 0 || formula.kind == PORTOLAN_NO_DEADLOCK ||
                 claims_add(&trial.claims, trial.system, text, NULL) == PORTOLAN_OK) &&
                (number % 3 == 1 || claims_add(&trial.claims, trial.system, "no deadlock", NULL) == PORTOLAN_OK);
    fine = fine && (!trial.claims.list.count || try_steps(&trial, &random));
    claims_clear(&trial.claims);
    portolan_system_free(trial.system);
    if (!fine)
        printf("net %" PRIu64 " of seed %" PRIu64 "\n", number, seed);
    return fine;
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
    for (int i = 0; i < RULES; i++) {
        printf("%8" PRIu64 " %s\n", accepted[i], rules[i]);
        if (fine && nets >= ENOUGH_NETS && !accepted[i])
            fine = false;
    }
    printf("%" PRIu64 " claims compared%s\n", compared, fine ? "" : ": FAILED");
    return fine ? 0 : 1;
}
