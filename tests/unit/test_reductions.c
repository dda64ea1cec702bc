/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions on examples whose answers are printed or easily worked out. */
#include "support.h"

#include "reduce/reduction.h"

#include <stdio.h>

struct initial_edges {
    const struct portolan_system *system;
    char names[256]; /* of the actions explored in the initial state, each with a blank behind */
};

static void note_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct initial_edges *edges = user;
    (void)to;
    if (from == 0) {
        strncat(edges->names, edges->system->action_name(edges->system->model, action), 32);
        strcat(edges->names, " ");
    }
}

static void assert_initial_set(const char *family, long parameter, const char *reduction, const char *expected)
{
    struct portolan_system *system = system_of_family(family, parameter);
    struct initial_edges edges = {.system = system};
    struct portolan_options options = {
        .reduction = reduction, .proviso = "none", .search = "dfs", .callbacks = {.user = &edges, .edge = note_edge}};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_string_equal(edges.names, expected);
    result_clear(&result);
    portolan_system_free(system);
}

/* The worked example of the LPOR paper, section III.B: from t1 the set is {t1, t4}, thanks to NET without t5. */
static void test_lpor_example(void **state)
{
    (void)state;
    assert_initial_set("figure-003", 0, "lpor:first", "t1 t4 ");
    assert_initial_set("figure-003", 0, "lpor:plain,first", "t1 t4 t5 ");
    assert_initial_set("figure-003", 0, "lpor:online,first", "t1 t4 ");
    assert_initial_set("figure-003", 0, "lpor:plain,online,first", "t1 t4 t5 ");
}

static void test_every_reduction_keeps_the_deadlocks(void **state)
{
    static const char *const names[] = {"stubborn",        "stubborn:strong", "stubborn:closure",
                                        "stubborn:guards", "stubborn:weak",   "lpor",
                                        "lpor:plain",      "lpor:first",      "stubborn:persistent",
                                        "lpor:online",     "lpor:persistent", "lpor:plain,online"};
    static const struct {
        const char *family;
        long parameter;
    } nets[] = {{"philosophers", 6}, {"bakery", 2}, {"figure-003", 0}, {"filesystem", 3}, {"szymanski", 3}};
    (void)state;
    for (size_t n = 0; n < sizeof nets / sizeof *nets; n++) {
        struct portolan_system *system = system_of_family(nets[n].family, nets[n].parameter);
        struct portolan_statistics full = explored(system, "none", "none", "bfs");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct portolan_statistics reduced = explored(system, names[i], "none", "dfs");
            assert_int_equal(reduced.deadlocks, full.deadlocks);
            assert_true(reduced.states <= full.states);
        }
        portolan_system_free(system);
    }
}

/* Without a search: the set is part of what is enabled, and empty exactly in a deadlock. */
static void test_stubborn_set_by_itself(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("filesystem", 4);
    struct portolan_stubborn *stubborn;
    assert_int_equal(portolan_stubborn_new(system, NULL, &stubborn, NULL), PORTOLAN_OK);
    uint32_t *set = calloc(system->actions, sizeof *set), *enabled = calloc(system->actions, sizeof *enabled);
    unsigned char *now = malloc(system->state_bytes), *next = malloc(system->state_bytes);
    system->initial(system->model, now);
    uint32_t count;
    size_t steps = 0;
    while ((count = portolan_stubborn_set(stubborn, now, set)) > 0) {
        assert_int_equal(count, 1); /* nothing collides: one thread at a time */
        assert_int_equal(system->fire(system->model, now, set[0], next), PORTOLAN_FIRED);
        memcpy(now, next, system->state_bytes);
        steps++;
    }
    assert_int_equal(system->enabled(system->model, now, enabled), 0);
    assert_int_equal(steps, 4 * 5); /* four threads of six local states */
    free(set);
    free(enabled);
    free(now);
    free(next);
    portolan_stubborn_free(stubborn);
    portolan_system_free(system);
}

/* Each group of transitions takes the one token of a place: they exclude each other, and nothing else. */
static struct portolan_system *groups(uint32_t count, uint32_t size)
{
    struct net_builder *builder = net_builder_new("groups");
    struct portolan_system *system = NULL;
    bool overflow = false;
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%u", i);
        uint32_t place = net_builder_place(builder, name, name, 1);
        for (uint32_t j = 0; j < size; j++) {
            snprintf(name, sizeof name, "t%u.%u", i, j);
            uint32_t transition = net_builder_transition(builder, name, name);
            assert_true(net_builder_arc(builder, NET_CONSUME, place, transition, 1));
        }
    }
    struct net *net = net_builder_finish(builder, &overflow);
    assert_non_null(net);
    assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
    return system;
}

/* Of a state with groups, looked at over and over, in turn with one in which a single group is left where `with_last`
 * says so: is the set still a part of what is enabled in the end? */
static bool keeps_reducing(uint32_t count, uint32_t size, bool with_last, const char *words)
{
    enum { TIMES = 3000 };
    struct portolan_system *system = groups(count, size);
    struct reduction *reduction;
    struct reduction_demands demands = {0};
    assert_int_equal(reduction_stubborn.make(system, words, &demands, &reduction, NULL), PORTOLAN_OK);
    unsigned char *now = malloc(system->state_bytes), *last = malloc(system->state_bytes);
    uint32_t *enabled = calloc(system->actions, sizeof *enabled), *left = calloc(system->actions, sizeof *left);
    uint32_t *set = calloc(system->actions, sizeof *set);
    system->initial(system->model, now);
    memcpy(last, now, system->state_bytes);
    for (uint32_t i = 1; i < count; i++)
        assert_int_equal(system->fire(system->model, last, i * size, last), PORTOLAN_FIRED);
    struct choice choice = {.state = now, .enabled = enabled}, of_last = {.state = last, .enabled = left};
    choice.enabled_count = system->enabled(system->model, now, enabled);
    of_last.enabled_count = system->enabled(system->model, last, left);
    assert_int_equal(of_last.enabled_count, size);
    assert_int_equal(reduction_stubborn.choose(reduction, &choice, 0, set), size);
    uint32_t chosen = 0;
    for (int i = 0; i < TIMES; i++) {
        if (with_last)
            reduction_stubborn.choose(reduction, &of_last, 0, set);
        chosen = reduction_stubborn.choose(reduction, &choice, 0, set);
    }
    assert_true(chosen == size || chosen == count * size);
    free(now);
    free(last);
    free(left);
    free(enabled);
    free(set);
    reduction_stubborn.free(reduction);
    portolan_system_free(system);
    return chosen == size;
}

static void test_sets_that_do_not_pay_are_given_up(void **state)
{
    (void)state;
    assert_true(keeps_reducing(60, 2, false, ""));
    assert_true(keeps_reducing(30, 5, false, ""));
    assert_true(keeps_reducing(2, 200, true, "")); /* what is remembered costs little */
    assert_false(keeps_reducing(2, 200, true, "closure"));
    assert_true(keeps_reducing(2, 200, true, "closure,persistent"));
}

/* After gA and after gB the same transitions are enabled, t1 and w.  t1 is in conflict with u, which waits for v; v
 * never comes without r, but gB brings r, and then w may enable it.  So t1 alone is a set after gA only. */
static void test_a_set_is_remembered_with_its_reasons(void **state)
{
    enum { p, q, r, s, x, y, k, a, PLACES };
    enum { t1, u, v, w, z, gA, gB, TRANSITIONS };
    static const struct {
        uint32_t transition, place;
        bool produces;
    } arcs[] = {{t1, p, false}, {t1, y, true},  {u, p, false}, {u, q, false},  {v, r, false},
                {v, s, false},  {v, q, true},   {w, x, false}, {w, s, true},   {z, x, false},
                {z, y, false},  {gA, k, false}, {gA, a, true}, {gB, k, false}, {gB, r, true}};
    (void)state;
    struct net_builder *builder = net_builder_new("reasons");
    struct portolan_system *system = NULL;
    bool overflow = false;
    char name[32];
    for (uint32_t i = 0; i < PLACES; i++) {
        snprintf(name, sizeof name, "p%u", i);
        net_builder_place(builder, name, name, i == p || i == x || i == k);
    }
    for (uint32_t i = 0; i < TRANSITIONS; i++) {
        snprintf(name, sizeof name, "t%u", i);
        net_builder_transition(builder, name, name);
    }
    for (size_t i = 0; i < sizeof arcs / sizeof *arcs; i++)
        assert_true(net_builder_arc(builder, arcs[i].produces ? NET_PRODUCE : NET_CONSUME, arcs[i].place,
                                    arcs[i].transition, 1));
    assert_int_equal(net_system_new(net_builder_finish(builder, &overflow), &system, NULL), PORTOLAN_OK);
    struct reduction *reduction;
    struct reduction_demands demands = {0};
    assert_int_equal(reduction_stubborn.make(system, "persistent", &demands, &reduction, NULL), PORTOLAN_OK);
    unsigned char *states[2] = {malloc(system->state_bytes), malloc(system->state_bytes)};
    uint32_t enabled[TRANSITIONS], set[TRANSITIONS];
    for (uint32_t turn = 0; turn < 6; turn++) {
        bool with_r = turn % 2;
        system->initial(system->model, states[0]);
        assert_int_equal(system->fire(system->model, states[0], with_r ? gB : gA, states[1]), PORTOLAN_FIRED);
        struct choice choice = {.state = states[1], .enabled = enabled};
        choice.enabled_count = system->enabled(system->model, states[1], enabled);
        assert_int_equal(choice.enabled_count, 2);
        assert_int_equal(reduction_stubborn.choose(reduction, &choice, 0, set), with_r ? 2 : 1);
    }
    free(states[0]);
    free(states[1]);
    reduction_stubborn.free(reduction);
    portolan_system_free(system);
}

static void test_unknown_options(void **state)
{
    static const char *const wrong[] = {"stubborn:strange", "lpor:strange", "none:strange", "stubborn:weak,closure"};
    (void)state;
    struct portolan_system *system = system_of_family("philosophers", 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct portolan_options options = {.reduction = wrong[i]};
        struct portolan_result result;
        assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_BAD_OPTION);
    }
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lpor_example),
                                       cmocka_unit_test(test_every_reduction_keeps_the_deadlocks),
                                       cmocka_unit_test(test_stubborn_set_by_itself),
                                       cmocka_unit_test(test_sets_that_do_not_pay_are_given_up),
                                       cmocka_unit_test(test_a_set_is_remembered_with_its_reasons),
                                       cmocka_unit_test(test_unknown_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
