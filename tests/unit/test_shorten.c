/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that are made shorter: on random nets they still lead to a deadlock, are never longer than they were, and one
 * that is said to be shortest is as long as the naive explorer's distance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "differential_naive.h"
#include "front/petri/generate/generate.h"
#include "front/petri/system.h"
#include "random_net.h"
#include "search/search_system.h"
#include "search/shorten.h"

#include <stdlib.h>

enum { NETS = 1500, MOST_STATES = 3000 };

static size_t steps(struct portolan_system *system, const uint32_t *trace, size_t length)
{
    (void)system, (void)trace;
    return length;
}

/* How many steps the nearest dead marking takes. */
static uint32_t nearest_deadlock(const struct naive *naive)
{
    uint32_t best = NAIVE_NONE;
    for (uint32_t state = 0; state < naive->count; state++)
        if (naive_enabled(naive, state) == 0 && naive->distance.item[state] < best)
            best = naive->distance.item[state];
    return best;
}

static struct portolan_result searched(struct portolan_system *system, const struct portolan_property *property,
                                       const char *search)
{
    struct portolan_options options = {.search = search, .properties = &property, .property_count = 1};
    struct portolan_result result;
    struct portolan_error error;
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
    return result;
}

struct seen {
    size_t shorter, shortest;
};

static void shorten_one(struct portolan_system *system, uint32_t nearest, struct seen *seen)
{
    struct portolan_property *property;
    struct portolan_error error;
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, &error), PORTOLAN_OK);
    struct portolan_result result = searched(system, property, "dfs");
    struct portolan_answer *answer = &result.answers[0];
    assert_int_equal(answer->has_trace, nearest != NAIVE_NONE);
    size_t before = answer->trace_length;
    if (answer->has_trace) {
        struct portolan_statistics little = {0};
        shorten_answer(system, property, PORTOLAN_UNFAIR, &little, steps, answer);
        assert_int_equal(portolan_replay(system, answer->trace, answer->trace_length, property, &error), PORTOLAN_OK);
        assert_true(answer->trace_length <= before && answer->trace_length >= nearest);
        if (answer->shortest)
            assert_int_equal(answer->trace_length, nearest);
        seen->shorter += answer->trace_length < before;
        seen->shortest += answer->shortest;
    }
    result_clear(&result);
    portolan_property_free(property);
}

/* Six philosophers may get stuck at once: a run in which one eats first is longer than it need be. */
static void runs_become_shorter(void **state)
{
    (void)state;
    struct portolan_system *system;
    struct portolan_property *property;
    struct portolan_error error;
    struct net *net;
    assert_int_equal(generate_net("philosophers", (long[]){6}, 1, &net, &error), PORTOLAN_OK);
    assert_int_equal(net_system_new(net, &system, &error), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, PORTOLAN_LTL, "G F eats_1 > 0", &property, &error), PORTOLAN_OK);
    struct portolan_result result = searched(system, property, NULL);
    struct portolan_answer *answer = &result.answers[0];
    struct portolan_statistics little = {0};
    assert_true(answer->has_trace);
    shorten_answer(system, property, PORTOLAN_UNFAIR, &little, steps, answer);
    assert_int_equal(portolan_replay_run(system, answer->trace, answer->trace_length, answer->cycle_start,
                                         PORTOLAN_UNFAIR, property, &error),
                     PORTOLAN_OK);
    assert_int_equal(answer->trace_length, 6);
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
}

static void traces_become_shorter(void **state)
{
    (void)state;
    struct seen seen = {0};
    for (uint64_t number = 0; number < NETS; number++) {
        struct random random = random_from(11, number);
        struct draft draft;
        draft_random(&draft, &random);
        struct net *net = draft_net(&draft, "random");
        assert_non_null(net);
        struct naive naive;
        bool complete = naive_explore(&naive, net, MOST_STATES) == NAIVE_COMPLETE;
        uint32_t nearest = complete ? nearest_deadlock(&naive) : 0;
        naive_clear(&naive);
        struct portolan_system *system;
        struct portolan_error error;
        assert_int_equal(net_system_new(net, &system, &error), PORTOLAN_OK);
        if (complete)
            shorten_one(system, nearest, &seen);
        portolan_system_free(system);
    }
    assert_true(seen.shorter > NETS / 30 && seen.shortest > NETS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(traces_become_shorter), cmocka_unit_test(runs_become_shorter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
