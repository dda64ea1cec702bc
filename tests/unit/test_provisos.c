/* SPDX-License-Identifier: Apache-2.0 */
/* The provisos on the examples of Evangelista and Pajault. */
#include "support.h"

#include "proviso/proviso.h"

/* Section 4: with an optimal proviso the atomic philosophers have n + 1 states, with the in-stack one nearly all. */
static void test_figure_4(void **state)
{
    (void)state;
    for (long n = 4; n <= 9; n++) {
        struct portolan_system *system = system_of_family("philosophers-atomic", n);
        uint64_t full = explored(system, "none", "none", "bfs").states;
        assert_int_equal(explored(system, "stubborn", "none", "dfs").states, n + 1);
        assert_int_equal(explored(system, "stubborn", "safe", "dfs").states, n + 1);
        assert_int_equal(explored(system, "stubborn", "color", "dfs").states, n + 1);
        assert_int_equal(explored(system, "stubborn", "color-star", "dfs").states, n + 1);
        assert_int_equal(explored(system, "stubborn", "scc", "dfs").states, n + 1);
        uint64_t in_stack = explored(system, "stubborn", "stack:liveness", "dfs").states;
        assert_true(in_stack > (uint64_t)n + 1 && in_stack <= full);
        portolan_system_free(system);
    }
}

/* Figure 3: without a proviso the loop is all there is; with any, everything is seen. */
static void test_figure_3(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("figure3-002", 0);
    uint64_t full = explored(system, "none", "none", "bfs").states;
    assert_true(full > 1);
    assert_int_equal(explored(system, "stubborn", "none", "dfs").states, 1);
    for (size_t p = 0; provisos[p]; p++)
        if (provisos[p]->form != PROVISO_FREE)
            assert_true(explored(system, "stubborn", provisos[p]->name, state_order_name(provisos[p]->order)).states >
                        1);
    portolan_system_free(system);
}

/* Figure 2: two processes of two steps that synchronise; the reduction leaves one interleaving of the four steps. */
static void test_figure_2(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("figure2-002", 0);
    uint64_t full = explored(system, "none", "none", "bfs").states, reduced;
    reduced = explored(system, "stubborn", "none", "dfs").states;
    assert_true(reduced < full);
    portolan_system_free(system);
}

static void refuse(struct portolan_system *system, const char *reduction, const char *proviso, const char *search,
                   const struct portolan_property *property, bool chains)
{
    struct portolan_options options = {.reduction = reduction,
                                       .proviso = proviso,
                                       .search = search,
                                       .properties = &property,
                                       .property_count = property != NULL,
                                       .chains = chains};
    struct portolan_result result;
    struct portolan_error error;
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_REFUSED);
    assert_true(error.message[0] != '\0');
}

static void test_unsound_combinations_are_refused(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("philosophers", 3);
    struct portolan_property *invariant, *live;
    assert_int_equal(portolan_property_new(system, PORTOLAN_INVARIANT, "fork_1 <= 1", &invariant, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, "!deadlock && fork_1 = 0", &live, NULL),
                     PORTOLAN_OK);
    refuse(system, "stubborn", "none", "dfs", invariant, false);
    refuse(system, "stubborn", "safe", "dfs", live, false);
    refuse(system, "stubborn", "stack", "bfs", invariant, false);
    refuse(system, "stubborn", "queue", "dfs", invariant, false);
    refuse(system, "stubborn", "color", "bfs", NULL, false);
    refuse(system, "stubborn", "safe", "dfs", NULL, true);
    refuse(system, "stubborn", "safe", "dfs", invariant, true);
    refuse(system, "none", "none", "dfs", NULL, true);
    portolan_property_free(invariant);
    portolan_property_free(live);
    portolan_system_free(system);
}

/* The way to a fully expanded state may not take an action of a weak set that is no key: strong sets are used there. */
static void test_weak_sets_with_safety(void **state)
{
    (void)state;
    struct portolan_system *system;
    struct portolan_property *property;
    assert_int_equal(portolan_open(SOURCE_DIR "/tests/nets/weak-safety.pnml", &system, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, PORTOLAN_INVARIANT, "bad = 0", &property, NULL), PORTOLAN_OK);
    for (size_t i = 0; provisos[i]; i++) {
        if (provisos[i]->form == PROVISO_FREE)
            continue;
        struct portolan_options options = {.reduction = "stubborn",
                                           .proviso = provisos[i]->name,
                                           .properties = (const struct portolan_property *const *)&property,
                                           .property_count = 1};
        struct portolan_result result;
        assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
        assert_int_equal(result.answers[0].verdict, PORTOLAN_VIOLATED);
        result_clear(&result);
        options.reduction = "stubborn:weak";
        bool sound = provisos[i]->form == PROVISO_LIVENESS;
        assert_int_equal(search_system(system, &options, &result, NULL), sound ? PORTOLAN_OK : PORTOLAN_REFUSED);
        if (sound)
            result_clear(&result);
    }
    portolan_property_free(property);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weak_sets_with_safety), cmocka_unit_test(test_figure_4),
                                       cmocka_unit_test(test_figure_3), cmocka_unit_test(test_figure_2),
                                       cmocka_unit_test(test_unsound_combinations_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
