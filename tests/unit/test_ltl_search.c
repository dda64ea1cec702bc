/* SPDX-License-Identifier: Apache-2.0 */
/* LTL on small nets: verdicts, counterexamples, what is refused, and the examples on which others have been wrong. */
#include "support.h"

#include "property/property.h"
#include "proviso/all.h"
#include "search/search.h"

#include <stdio.h>

/* places: "name" or "name*" (marked), separated by spaces.  Transitions: "t: in in -> out out". */
static struct portolan_system *net_of(const char *places, const char *const *transitions)
{
    struct net_builder *builder = net_builder_new("net");
    char names[32][16], text[256], *rest = NULL;
    uint32_t count = 0;
    snprintf(text, sizeof text, "%s", places);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        bool marked = word[strlen(word) - 1] == '*';
        snprintf(names[count], sizeof names[count], "%.*s", (int)(strlen(word) - marked), word);
        net_builder_place(builder, names[count++], NULL, marked);
    }
    for (size_t i = 0; transitions[i]; i++) {
        snprintf(text, sizeof text, "%s", transitions[i]);
        char *word = strtok_r(text, ": ", &rest);
        uint32_t t = net_builder_transition(builder, word, NULL);
        enum net_arc_kind kind = NET_CONSUME;
        while ((word = strtok_r(NULL, " ", &rest))) {
            uint32_t p = 0;
            if (strcmp(word, "->") == 0) {
                kind = NET_PRODUCE;
                continue;
            }
            while (p < count && strcmp(names[p], word) != 0)
                p++;
            assert_true(p < count);
            net_builder_arc(builder, kind, p, t, 1);
        }
    }
    struct portolan_system *system = NULL;
    struct net *net = net_builder_finish(builder, NULL);
    assert_non_null(net);
    assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
    return system;
}

static struct portolan_property *formula(const struct portolan_system *system, const char *text)
{
    struct portolan_property *property;
    assert_int_equal(portolan_property_new(system, PORTOLAN_LTL, text, &property, NULL), PORTOLAN_OK);
    return property;
}

struct way {
    const char *reduction, *proviso, *search;
    enum portolan_fairness fairness;
    const struct search_parts *parts;
};

/* Checks a formula; the result must be cleared. */
static enum portolan_status check(struct portolan_system *system, const char *text, struct way way,
                                  struct portolan_result *result, struct portolan_error *error)
{
    struct portolan_property *property = formula(system, text);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {.reduction = way.reduction,
                                       .proviso = way.proviso,
                                       .search = way.search,
                                       .fairness = way.fairness,
                                       .properties = properties,
                                       .property_count = 1};
    enum portolan_status status = way.parts ? search_one_temporal(system, &options, way.parts, result, error)
                                            : search_system(system, &options, result, error);
    portolan_property_free(property);
    return status;
}

static enum portolan_verdict verdict(struct portolan_system *system, const char *text, struct way way)
{
    struct portolan_result result;
    struct portolan_error error = {0};
    if (check(system, text, way, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", text, error.message);
    enum portolan_verdict answer = result.answers[0].verdict;
    result_clear(&result);
    return answer;
}

static const char *const liveness_provisos[] = {"stack", "color", "color-star", "queue", "scc"};
static const char *const searches[] = {"auto", "scc", "ndfs"};

/* Every way must give this answer; reduced only where the formula allows it. */
static void all_say(struct portolan_system *system, const char *text, enum portolan_verdict wanted, bool reducible)
{
    for (size_t s = 0; s < 3; s++) {
        assert_int_equal(verdict(system, text, (struct way){.reduction = "none", .search = searches[s]}), wanted);
        for (size_t p = 0; p < 5 && reducible; p++) {
            struct way stubborn = {"stubborn", liveness_provisos[p], searches[s], PORTOLAN_UNFAIR, NULL};
            struct way lpor = {"lpor", liveness_provisos[p], searches[s], PORTOLAN_UNFAIR, NULL};
            assert_int_equal(verdict(system, text, stubborn), wanted);
            assert_int_equal(verdict(system, text, lpor), wanted);
        }
    }
}

/* --- meaning */

static void test_runs_that_end(void **state)
{
    (void)state;
    struct portolan_system *system = net_of("a* b", (const char *const[]){"t: a -> b", NULL});
    all_say(system, "F b > 0", PORTOLAN_HOLDS, true);
    all_say(system, "F G b > 0", PORTOLAN_HOLDS, true);
    all_say(system, "G F a > 0", PORTOLAN_VIOLATED, true);
    all_say(system, "F deadlock", PORTOLAN_HOLDS, false);
    all_say(system, "G !deadlock", PORTOLAN_VIOLATED, false);
    all_say(system, "X b > 0", PORTOLAN_HOLDS, false);
    all_say(system, "X X b > 0", PORTOLAN_HOLDS, false);
    all_say(system, "X X a > 0", PORTOLAN_VIOLATED, false);
    portolan_system_free(system);
}

/* The system rests in b, and goes round there or on; no formula sees it. */
static void test_resting_within_steps(void **state)
{
    (void)state;
    struct portolan_system *system =
        net_of("a* b c", (const char *const[]){"begin: a -> b", "turn: b -> b", "end: b -> c", "back: c -> a", NULL});
    struct portolan_result result;
    uint32_t b;
    assert_true(system->find_variable(system->model, "b", &b));
    all_say(system, "G b == 0", PORTOLAN_VIOLATED, true);
    system->rests_within_steps = true;
    assert_int_equal(check(system, "G b == 0", (struct way){.reduction = "none"}, &result, NULL), PORTOLAN_REFUSED);
    system->resting = b + 1;
    all_say(system, "G b == 0", PORTOLAN_HOLDS, true);
    all_say(system, "a == 1 && X c == 1 && X X a == 1", PORTOLAN_HOLDS, false);
    all_say(system, "G F c > 0", PORTOLAN_HOLDS, true); /* to turn forever is no run */
    all_say(system, "F G c > 0", PORTOLAN_VIOLATED, true);
    all_say(system, "G c == 0", PORTOLAN_VIOLATED, true);
    portolan_system_free(system);
}

static void test_shapes_of_counterexamples(void **state)
{
    (void)state;
    struct portolan_system *system =
        net_of("a* b c", (const char *const[]){"go: a -> b", "back: b -> a", "end: b -> c", NULL});
    struct portolan_result result;
    struct way way = {.reduction = "none"};
    assert_int_equal(check(system, "G F c > 0", way, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.answers[0].trace_length, 2); /* go back */
    assert_int_equal(result.answers[0].cycle_start, 0);
    result_clear(&result);
    assert_int_equal(check(system, "G F a > 0", way, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.answers[0].trace_length, 2); /* go end, and that is it */
    assert_int_equal(result.answers[0].cycle_start, 2);
    result_clear(&result);
    assert_int_equal(check(system, "G c == 0", way, &result, NULL), PORTOLAN_OK);
    assert_string_equal(result.search, "reach");
    assert_int_equal(result.answers[0].trace_length, 2);
    assert_int_equal(result.answers[0].cycle_start, PORTOLAN_NO_CYCLE);
    result_clear(&result);
    portolan_system_free(system);
}

static void test_replay_refuses_what_is_no_counterexample(void **state)
{
    (void)state;
    struct portolan_system *system =
        net_of("a* b c", (const char *const[]){"go: a -> b", "back: b -> a", "end: b -> c", NULL});
    struct portolan_property *property = formula(system, "G F a > 0");
    const uint32_t round[] = {0, 1, 0}, dead[] = {0, 2};
    assert_int_equal(portolan_replay_run(system, round, 2, 0, 0, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replay_run(system, round, 2, 0, 0, property, NULL), PORTOLAN_BAD_INPUT); /* true of it */
    assert_int_equal(portolan_replay_run(system, round, 2, 1, 0, NULL, NULL), PORTOLAN_BAD_INPUT);     /* open */
    assert_int_equal(portolan_replay_run(system, round, 2, 2, 0, NULL, NULL), PORTOLAN_BAD_INPUT);     /* not the end */
    assert_int_equal(portolan_replay_run(system, round, 2, 3, 0, NULL, NULL), PORTOLAN_BAD_INPUT);
    assert_int_equal(portolan_replay_run(system, dead, 2, 2, 0, property, NULL), PORTOLAN_OK);
    /* nothing says that it cannot become true */
    assert_int_equal(portolan_replay_run(system, round, 1, PORTOLAN_NO_CYCLE, 0, property, NULL), PORTOLAN_BAD_INPUT);
    portolan_property_free(property);
    portolan_system_free(system);
}

/* --- what is refused */

static void refused(struct portolan_system *system, const char *text, struct way way, const char *why)
{
    struct portolan_result result;
    struct portolan_error error = {0};
    assert_int_equal(check(system, text, way, &result, &error), PORTOLAN_REFUSED);
    if (!strstr(error.message, why))
        fail_msg("'%s' does not say '%s'", error.message, why);
}

static void test_refusals(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("philosophers", 3);
    const char *live = "G F eats_1 > 0", *next = "G(eats_1 > 0 -> X eats_1 == 0)";
    refused(system, next, (struct way){.reduction = "stubborn"}, "not invariant under stuttering");
    refused(system, "F deadlock", (struct way){.reduction = "lpor"}, "distinguishes live states from deadlocks");
    refused(system, live, (struct way){.reduction = "stubborn", .proviso = "none"}, "without a proviso");
    refused(system, live, (struct way){.reduction = "stubborn", .proviso = "safe"}, "safety form");
    refused(system, live, (struct way){.reduction = "stubborn", .proviso = "stack:safety"}, "safety form");
    refused(system, live, (struct way){.reduction = "stubborn:weak"}, "weak sets");
    refused(system, live, (struct way){.search = "bfs"}, "finds no cycles");
    refused(system, live, (struct way){.reduction = "stubborn", .fairness = PORTOLAN_FAIR_ACTIONS}, "fairness");
    refused(system, live, (struct way){.search = "ndfs", .fairness = PORTOLAN_FAIR_ACTIONS}, "fair runs");
    struct portolan_result result;
    assert_int_equal(check(system, next, (struct way){0}, &result, NULL), PORTOLAN_OK);
    assert_string_equal(result.reduction, "none");
    assert_string_equal(result.answers[0].note, "no reduction: it is not invariant under stuttering");
    result_clear(&result);
    /* F(!a && X a) cannot tell, in spite of its X */
    assert_int_equal(
        check(system, "G !(!(eats_1 > 0) && X eats_1 > 0)", (struct way){.reduction = "stubborn"}, &result, NULL),
        PORTOLAN_OK);
    result_clear(&result);
    portolan_system_free(system);
}

/* Safety properties go with safety provisos. */
static void test_safety_is_cheaper(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("philosophers-atomic", 5);
    const char *good = "G !(eating_1 > 0 && eating_2 > 0)", *bad = "G !(eating_1 > 0 && eating_3 > 0)";
    static const char *const provisos_tried[] = {"auto", "scc", "safe", "stack:safety", "color"};
    for (size_t p = 0; p < 5; p++) {
        struct way way = {.reduction = "stubborn", .proviso = provisos_tried[p]};
        assert_int_equal(verdict(system, good, way), PORTOLAN_HOLDS);
        assert_int_equal(verdict(system, bad, way), PORTOLAN_VIOLATED);
    }
    struct portolan_result result;
    assert_int_equal(check(system, good, (struct way){0}, &result, NULL), PORTOLAN_OK);
    assert_string_equal(result.reduction, "stubborn");
    assert_string_equal(result.proviso, "scc");
    result_clear(&result);
    portolan_system_free(system);
}

/* --- fairness */

static void test_fairness(void **state)
{
    (void)state;
    /* a loop that can keep a step waiting forever */
    struct portolan_system *system = net_of("l* a* b", (const char *const[]){"loop: l -> l", "step: a -> b", NULL});
    struct way unfair = {.reduction = "none"}, fair = {.fairness = PORTOLAN_FAIR_ACTIONS};
    struct way fair_agents = {.fairness = PORTOLAN_FAIR_AGENTS};
    assert_int_equal(verdict(system, "F b > 0", unfair), PORTOLAN_VIOLATED);
    assert_int_equal(verdict(system, "F b > 0", fair), PORTOLAN_HOLDS);
    assert_int_equal(verdict(system, "F b > 0", fair_agents), PORTOLAN_HOLDS);
    portolan_system_free(system);
    /* weak fairness does not help one that is disabled again and again */
    system = net_of("l* m a* b", (const char *const[]){"one: l -> m", "two: m -> l", "step: l a -> m b", NULL});
    assert_int_equal(verdict(system, "F b > 0", fair), PORTOLAN_VIOLATED);
    portolan_system_free(system);
}

/* --- where others have been wrong */

/* A self-loop is a cycle: one edge cannot be in GF p and in GF !p. */
static void test_self_loop(void **state)
{
    (void)state;
    struct portolan_system *system = net_of("p* q", (const char *const[]){"loop: p -> p", NULL});
    all_say(system, "!(G F p > 0 && G F p == 0)", PORTOLAN_HOLDS, true);
    all_say(system, "!(G F p > 0)", PORTOLAN_VIOLATED, true);
    all_say(system, "G F p == 0", PORTOLAN_VIOLATED, true);
    portolan_system_free(system);
    system = net_of("p* q", (const char *const[]){"loop: p -> p", "go: p -> q", "back: q -> p", NULL});
    all_say(system, "!(G F p > 0 && G F p == 0)", PORTOLAN_VIOLATED, true);
    all_say(system, "!(G F p > 0 && G F p == 0 && F G q > 0)", PORTOLAN_HOLDS, true);
    portolan_system_free(system);
}

static bool edge_to_red_is_fine(struct proviso *proviso, uint32_t from, uint32_t to, bool returned, bool last)
{
    proviso_color.edge(proviso, from, to, returned, last);
    return false;
}

/*
 * The colour proviso's closed red edge.  s f v s is a cycle with f fully expanded, since x changes there; so v may lead
 * to s unexpanded, and turns red.  The edge s v, followed later, closes the cycle s v s in which `step` is ignored,
 * unless s is expanded then.  The run that takes `step` and stays in s v never changes x.
 */
static void test_closed_red_edge(void **state)
{
    (void)state;
    struct portolan_system *system =
        net_of("s* f v x* y a* b", (const char *const[]){"sf: s -> f", "sv: s -> v", "vs: v -> s", "fx: f x -> v y",
                                                         "fy: f y -> v x", "step: a -> b", NULL});
    all_say(system, "F b > 0 -> F y > 0", PORTOLAN_VIOLATED, true);
    struct proviso_class half = proviso_color;
    half.edge = edge_to_red_is_fine;
    struct search_parts parts = {.proviso = &half};
    struct way broken = {"stubborn:strong,persistent", "color", "scc", PORTOLAN_UNFAIR, &parts};
    assert_int_equal(verdict(system, "F b > 0 -> F y > 0", broken), PORTOLAN_HOLDS); /* the error is real */
    portolan_system_free(system);
}

/* --- numbers */

/* Generalised acceptance, several ways, on something that is not tiny; the reduction must be one. */
static void test_philosophers(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("philosophers-atomic", 6);
    const char *holds = "G F eating_1 > 0 || F G idle_1 > 0";
    all_say(system, "!(G F eating_1 > 0 && G F eating_2 > 0 && G F eating_4 > 0)", PORTOLAN_VIOLATED, true);
    all_say(system, holds, PORTOLAN_HOLDS, true);
    struct portolan_result full, reduced;
    assert_int_equal(check(system, holds, (struct way){.reduction = "none"}, &full, NULL), PORTOLAN_OK);
    assert_int_equal(check(system, holds, (struct way){0}, &reduced, NULL), PORTOLAN_OK);
    assert_string_equal(reduced.reduction, "stubborn");
    assert_true(reduced.statistics.states < full.statistics.states);
    assert_true(reduced.statistics.product_states < full.statistics.product_states);
    result_clear(&full);
    result_clear(&reduced);
    portolan_system_free(system);
}

/* Formulas and other properties together: each has its own answer. */
static void test_mixed_properties(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("philosophers", 3);
    struct portolan_property *properties[3] = {formula(system, "G F eats_1 > 0"), NULL,
                                               formula(system, "G !(eats_1 > 0 && eats_2 > 0)")};
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &properties[1], NULL), PORTOLAN_OK);
    struct portolan_options options = {
        .properties = (const struct portolan_property *const *)properties, .property_count = 3, .search = "ndfs"};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.answers[0].verdict, PORTOLAN_VIOLATED);
    assert_int_equal(result.answers[1].verdict, PORTOLAN_VIOLATED);
    assert_int_equal(result.answers[2].verdict, PORTOLAN_HOLDS);
    assert_int_equal(result.answers[1].cycle_start, PORTOLAN_NO_CYCLE);
    result_clear(&result);
    for (size_t i = 0; i < 3; i++)
        portolan_property_free(properties[i]);
    portolan_system_free(system);
}

/* A counterexample in a part of the reduced graph is found before the rest is explored. */
static void test_reduced_search_ends_early(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("unbounded", 3); /* infinitely many states */
    struct portolan_property *property;
    char text[64];
    snprintf(text, sizeof text, "F G %s > 0", system->variable_name(system->model, 0));
    assert_int_equal(portolan_property_new(system, PORTOLAN_LTL, text, &property, NULL), PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {
        .reduction = "stubborn", .properties = properties, .property_count = 1, .state_limit = 1000000};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.answers[0].verdict, PORTOLAN_VIOLATED);
    assert_int_equal(result.stop, PORTOLAN_DECIDED);
    assert_true(result.statistics.states < 100000);
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_that_end),
        cmocka_unit_test(test_resting_within_steps),
        cmocka_unit_test(test_shapes_of_counterexamples),
        cmocka_unit_test(test_replay_refuses_what_is_no_counterexample),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_safety_is_cheaper),
        cmocka_unit_test(test_fairness),
        cmocka_unit_test(test_self_loop),
        cmocka_unit_test(test_closed_red_edge),
        cmocka_unit_test(test_philosophers),
        cmocka_unit_test(test_mixed_properties),
        cmocka_unit_test(test_reduced_search_ends_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
