/* SPDX-License-Identifier: Apache-2.0 */
/* Runs with random priorities: the guarantee holds, a seed tells all, what is found is real. */
#include "support.h"

#include "random_program.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 3000 };

struct outcome {
    bool found;
    enum portolan_verdict verdict;
    enum portolan_stop stop;
    struct portolan_statistics statistics;
    size_t trace_length;
};

static struct outcome run(const char *text, uint64_t runs, uint32_t depth, uint64_t seed)
{
    struct portolan_system *system = open_program(text);
    struct portolan_property *property;
    struct portolan_result result;
    struct portolan_error error;
    assert_non_null(system);
    assert_int_equal(portolan_property_new(system, PORTOLAN_INVARIANT, system->stated[0].text, &property, NULL),
                     PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {
        .properties = properties, .property_count = 1, .random_runs = runs, .bug_depth = depth, .seed = seed};
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
    struct outcome outcome = {.found = result.answers[0].verdict == PORTOLAN_VIOLATED,
                              .verdict = result.answers[0].verdict,
                              .stop = result.stop,
                              .statistics = result.statistics,
                              .trace_length = result.answers[0].trace_length};
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
    return outcome;
}

/* An error of depth d in n threads of k steps altogether: how often is it found, and how often must it be? */
static void check_guarantee(const char *text, uint32_t d, uint32_t n, uint32_t k)
{
    enum { RUNS = 5 };
    const double chance = 0.02; /* of so many samples, twice the deviation */
    double p = 1.0 / n, missed = 1;
    uint32_t found = 0;
    for (uint32_t i = 1; i < d; i++)
        p /= k;
    for (uint32_t i = 1; i < RUNS; i++) /* the first run only measures */
        missed *= 1 - p;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        found += run(text, RUNS, d, seed * 7919).found;
    printf("depth %u: found %.3f, guaranteed %.3f\n", d, (double)found / SEEDS, 1 - missed);
    assert_true((double)found / SEEDS >= 1 - missed - chance);
    assert_true(found < SEEDS); /* else this proves little */
}

static void test_guarantee(void **state)
{
    (void)state;
    check_guarantee("int p; thread a { p = 1; } thread b { assert(p == 1); }", 1, 2, 2);
    check_guarantee("int x, y; thread a { y = 1; y = 2; y = 3; x = 1; x = 0; y = 4; }\n"
                    "thread b { y = 5; y = 6; y = 7; assert(x == 0); }",
                    2, 2, 10);
    check_guarantee("int x, y; thread a { y = 1; x = 1; x = 2; y = 2; }\n"
                    "thread b { y = 3; int r = x; int s = x; assert(r != 1 || s != 2); }\n"
                    "thread c { y = 4; }",
                    3, 3, 8);
}

static const char harmless[] = "int x; thread a { x = 1; x = 2; } thread b { x = 3; assert(x > 0); }";

static void test_nothing_found(void **state)
{
    (void)state;
    struct outcome outcome = run(harmless, 101, 2, 3);
    assert_int_equal(outcome.verdict, PORTOLAN_UNKNOWN);
    assert_int_equal(outcome.stop, PORTOLAN_STATE_LIMIT);
    assert_int_equal(outcome.statistics.executions, 101);
    assert_int_equal(outcome.statistics.agents, 2);
    assert_int_equal(outcome.statistics.depth, 4);
    double missed = 1; /* the first run only measures */
    for (int i = 0; i < 100; i++)
        missed *= 1 - 1.0 / (2 * 4);
    assert_true(outcome.statistics.guarantee > 1 - missed - 1e-9 && outcome.statistics.guarantee < 1 - missed + 1e-9);
}

static void test_seed(void **state)
{
    (void)state;
    static const char text[] = "int x, y; thread a { y = 1; x = 1; x = 2; y = 2; }\n"
                               "thread b { y = 3; int r = x; int s = x; assert(r != 1 || s != 2); }";
    bool differ = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct outcome once = run(text, 1000, 3, seed), again = run(text, 1000, 3, seed);
        assert_true(once.found);
        assert_int_equal(once.statistics.executions, again.statistics.executions);
        assert_int_equal(once.statistics.transitions, again.statistics.transitions);
        differ = differ || once.statistics.executions != run(text, 1000, 3, seed + 1).statistics.executions;
    }
    assert_true(differ);
}

/* A thread that spins is made to yield; nothing is guaranteed then. */
static void test_spinning(void **state)
{
    (void)state;
    struct outcome outcome =
        run("int go; thread waiter { while (go == 0) { } assert(go == 1); } thread starter { go = 1; }", 20, 1, 0);
    assert_int_equal(outcome.statistics.executions, 20);
    assert_true(outcome.statistics.guarantee == 0);
}

static void test_too_large(void **state)
{
    (void)state;
    static const char text[] = "int x[4]; lock m; int bad;\n"
                               "thread t(me) * 4 { for (int i = 0; i < 50; i = i + 1) { x[i % 4] = me; } lock(m); "
                               "unlock(m); bad = 1; bad = 0; }\n"
                               "thread look { assert(bad == 0); }";
    struct outcome outcome = run(text, 20000, 2, 1);
    assert_true(outcome.found);
    assert_true(outcome.trace_length > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guarantee), cmocka_unit_test(test_nothing_found), cmocka_unit_test(test_seed),
        cmocka_unit_test(test_spinning),  cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
