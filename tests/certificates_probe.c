/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates by probe sets, on random entity systems: what a search certifies must be accepted.  And certificates of
 * sets that no search chose, which meet the conditions or do not, of claims that are true or false: one that meets them
 * is accepted exactly when its claim is true of the full graph; whatever it lists, a false claim is refused.
 *
 *     certificates_probe [--systems N] [--seed S] [--first K]
 */
#include "certify/certify.h"
#include "certify/vectors.h"
#include "property/property.h"
#include "random_entities.h"
#include "search/search_system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VECTORS = 600, TRIES = 12 };

struct sample {
    struct entity_draft draft;
    struct random random;
    struct portolan_system *system;
    char claim[80]; /* as a certificate has it */
    char reach[64]; /* its expression; empty for deadlocks */
    bool is_true;
    bool *visible; /* the actions that can change the expression; NULL for deadlocks */
};

static struct tally {
    uint64_t systems, certified, accepted, refused, cut, mutants;
} tally;

static bool wrong(const struct sample *s, const char *what, const char *detail)
{
    printf("certificates_probe: %s: '%s': %s\n", what, s->claim, detail);
    entity_draft_print(&s->draft);
    return false;
}

/* ------------------------------------------------------------------ claims */

static void pick_claim(struct sample *s)
{
    struct entity_truth truth;
    bool found = false;
    uint32_t e = random_below(&s->random, s->draft.entities), f = random_below(&s->random, s->draft.entities);
    bool deadlocks = e == f;
    entity_draft_explore(&s->draft, &truth);
    for (uint32_t i = 0; i < ENTITY_DRAFT_STATES; i++)
        found |= truth.reachable[i] && (deadlocks ? truth.deadlock[i] : (i >> e & 1) && !(i >> f & 1));
    snprintf(s->reach, sizeof s->reach, "e%u = 1 && e%u = 0", e, f);
    snprintf(s->claim, sizeof s->claim, "never %s", s->reach);
    if (deadlocks) {
        s->reach[0] = 0;
        snprintf(s->claim, sizeof s->claim, "no deadlock");
    }
    uint16_t seen = (uint16_t)(1u << e | 1u << f);
    for (uint32_t a = 0; s->visible && a < s->draft.actions; a++)
        s->visible[a] = (s->draft.deletes[a] | s->draft.creates[a]) & seen;
    s->is_true = !found;
}

static const bool *visible_of(const struct sample *s)
{
    return s->reach[0] ? s->visible : NULL;
}

static enum portolan_status check_text(const struct sample *s, char *text, size_t length, struct portolan_error *error)
{
    struct certificate_report report;
    FILE *in = fmemopen(text, length, "r");
    enum portolan_status status = in ? certificate_check(s->system, "text", in, &report, error) : PORTOLAN_NO_MEMORY;
    if (in)
        fclose(in);
    if (status == PORTOLAN_OK)
        certificate_report_clear(&report);
    return status;
}

/* ----------------------------------------------------------------- searches */

static bool certify_search(struct sample *s, const char *reduction, const char *proviso)
{
    struct record record = {0};
    struct portolan_property *property = NULL;
    struct portolan_result result;
    struct portolan_error error = {0};
    struct certificate_size size;
    const char *claims[] = {s->claim};
    char *text = NULL;
    size_t length = 0;
    bool fine = true;
    if (portolan_property_new(s->system, s->reach[0] ? PORTOLAN_REACH : PORTOLAN_NO_DEADLOCK,
                              s->reach[0] ? s->reach : NULL, &property, &error) != PORTOLAN_OK)
        return wrong(s, "no property", error.message);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {.reduction = reduction,
                                       .proviso = proviso,
                                       .properties = properties,
                                       .property_count = 1,
                                       .certifiable = true,
                                       .callbacks = record_callbacks(&record)};
    if (search_system(s->system, &options, &result, &error) != PORTOLAN_OK)
        fine = wrong(s, reduction, error.message);
    else if (!result.answers[0].has_trace) {
        FILE *out = open_memstream(&text, &length);
        enum portolan_status status = certificate_write(s->system, &record, NULL, claims, 1, out, &size, &error);
        fclose(out);
        if (!s->is_true)
            fine = wrong(s, reduction, "the search finds nothing against a false claim");
        else if (status != PORTOLAN_OK || check_text(s, text, length, &error) != PORTOLAN_OK)
            fine = wrong(s, reduction, error.message);
        tally.certified++;
    } else if (s->is_true) {
        fine = wrong(s, reduction, "the search refutes a true claim");
    }
    free(text);
    record_clear(&record);
    result_clear(&result);
    portolan_property_free(property);
    return fine;
}

/* ----------------------------------------------------------- sets of our own */

/* A random beginning of the action's prime cause: nothing, all, or what some events bring along.  `wild`: any events.
 */
static void pick_discharged(struct sample *s, const struct vectors *v, struct probe_set *set, uint32_t action,
                            bool wild)
{
    bool cause[64] = {0}, taken[64] = {0};
    uint32_t how = random_below(&s->random, 3);
    struct probed_action probed = {.action = action, .first = (uint32_t)set->discharged.count};
    vectors_cause(v, v->view_action[action], cause);
    for (size_t i = v->trace.count; i-- > 0;)
        if (wild) {
            taken[i] = random_below(&s->random, 2) == 0;
        } else if (cause[i] && (how == 1 || (how == 2 && random_below(&s->random, 3) == 0))) {
            taken[i] = true;
            for (size_t j = 0; j < i; j++)
                taken[j] |= v->before[i * v->rows + j];
        }
    for (size_t i = 0; i < v->trace.count; i++)
        if (taken[i] && vector_push(&set->discharged, v->actions.item[v->trace.item[i]].system_action))
            probed.count++;
    (void)vector_push(&set->actions, probed);
}

static void pick_set(struct sample *s, const struct vectors *v, struct probe_set *set, bool all, bool wild)
{
    uint32_t lucky = v->enabled.count ? random_below(&s->random, (uint32_t)v->enabled.count) : 0;
    set->actions.count = set->discharged.count = 0;
    for (uint32_t i = 0; i < v->enabled.count; i++)
        if (all || i == lucky || random_below(&s->random, 4) == 0)
            pick_discharged(s, v, set, v->actions.item[v->enabled.item[i]].system_action, wild);
    set->keeper = NO_KEEPER;
    if (set->actions.count && set->actions.count < v->enabled.count && (!wild || random_below(&s->random, 3)))
        set->keeper = set->actions.item[random_below(&s->random, (uint32_t)set->actions.count)].action;
}

/* One that meets the conditions, unless none is found. */
static bool pick_good_set(struct sample *s, struct vectors *v, struct probe_set *set)
{
    uint32_t action;
    for (int i = 0; i < 4 * TRIES; i++) {
        pick_set(s, v, set, i > 2 * TRIES, false);
        if (!vectors_judge(v, set, &action))
            return true;
    }
    return false;
}

static void print_set(FILE *out, uint32_t number, const struct probe_set *set)
{
    fprintf(out, "v%" PRIu32, number);
    if (set->keeper == NO_KEEPER)
        fputs(" *", out);
    else
        fprintf(out, " %" PRIu32, set->keeper);
    for (size_t i = 0; i < set->actions.count; i++) {
        fprintf(out, " %" PRIu32, set->actions.item[i].action);
        for (uint32_t j = 0; j < set->actions.item[i].count; j++)
            fprintf(out, "%c%" PRIu32, j ? '.' : '/', set->discharged.item[set->actions.item[i].first + j]);
    }
    fputc('\n', out);
}

static void print_head(FILE *out, const struct sample *s)
{
    fprintf(out, "portolan certificate 1\nmodel random\nclaim %s\ncycles safety\nactions %u\n", s->claim,
            s->system->actions);
    for (uint32_t a = 0; a < s->system->actions; a++)
        fprintf(out, "a%u %s\n", a, s->system->action_name(s->system->model, a));
    fputs("probe\n", out);
}

/* Lists a set for every vector; `bad`: now and then one that need not meet the conditions.  False: too many. */
static bool print_sets(FILE *out, struct sample *s, struct vectors *v, bool bad)
{
    struct probe_set set = {0};
    uint64_t steps = 0;
    bool fine = true;
    for (uint32_t n = 0; fine && n < v->vectors.count; n++) {
        fine = n < MOST_VECTORS && vectors_load(v, n) && v->trace.count < 60;
        if (fine && bad && random_below(&s->random, 4) == 0)
            pick_set(s, v, &set, random_below(&s->random, 2), random_below(&s->random, 2));
        else
            fine = fine && pick_good_set(s, v, &set);
        if (!fine || !vectors_follow(v, &set))
            break;
        print_set(out, n, &set);
        steps += set.actions.count;
    }
    fprintf(out, "end %u %" PRIu64 "\n", v->vectors.count, steps);
    probe_set_clear(&set);
    return fine;
}

static bool check_own(struct sample *s, bool bad)
{
    struct vectors v;
    struct portolan_error error = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    print_head(out, s);
    bool complete = vectors_make(&v, s->system, visible_of(s)) && print_sets(out, s, &v, bad), fine = true;
    fclose(out);
    vectors_clear(&v);
    enum portolan_status status = complete ? check_text(s, text, length, &error) : PORTOLAN_STOPPED;
    tally.cut += !complete;
    tally.accepted += status == PORTOLAN_OK;
    tally.refused += status == PORTOLAN_REFUSED;
    tally.mutants += complete && bad;
    if (complete && status != PORTOLAN_OK && status != PORTOLAN_REFUSED)
        fine = wrong(s, "cannot be read", error.message);
    else if (status == PORTOLAN_OK && !s->is_true)
        fine = wrong(s, "a false claim is accepted", text);
    else if (complete && status == PORTOLAN_REFUSED && s->is_true && !bad)
        fine = wrong(s, "a true claim is refused", error.message);
    free(text);
    return fine;
}

/* -------------------------------------------------------------------- all */

static bool check_sample(uint64_t seed, uint64_t number)
{
    static const char *const reductions[] = {"probe",
                                             "probe:strategy=independent",
                                             "probe:strategy=reversing-free",
                                             "probe:strategy=reversing-free-strict",
                                             "probe:choice=shortest",
                                             "probe:choice=random:5"};
    static const char *const provisos[] = {"nodup", "age"};
    struct sample s = {.visible = calloc(ENTITY_DRAFT_ACTIONS, sizeof(bool))};
    s.random = random_from(seed, number);
    entity_draft_random(&s.draft, &s.random);
    s.system = entity_draft_system(&s.draft);
    bool fine = s.system != NULL;
    for (int i = 0; fine && i < TRIES; i++) {
        pick_claim(&s);
        fine = check_own(&s, false) && check_own(&s, true);
        if (fine && i < 4)
            fine = certify_search(&s, reductions[random_below(&s.random, 6)], provisos[random_below(&s.random, 2)]);
    }
    portolan_system_free(s.system);
    free(s.visible);
    tally.systems++;
    return fine;
}

int main(int argc, char **argv)
{
    uint64_t systems = 200, seed = 1, first = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--systems") == 0)
            systems = value;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            first = value;
    }
    for (uint64_t i = first; i < first + systems; i++)
        if (!check_sample(seed, i)) {
            printf("certificates_probe: --seed %" PRIu64 " --first %" PRIu64 " --systems 1\n", seed, i);
            return EXIT_FAILURE;
        }
    printf("certificates_probe: %" PRIu64 " systems, %" PRIu64 " certificates of searches accepted; of our own %" PRIu64
           " accepted, %" PRIu64 " refused, %" PRIu64 " with sets at random, %" PRIu64 " too long\n",
           tally.systems, tally.certified, tally.accepted, tally.refused, tally.mutants, tally.cut);
    return EXIT_SUCCESS;
}
