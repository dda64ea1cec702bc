/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: who is stopped by which, and that what was not finished is not claimed. */
#include "unit/support.h"

#include "base/limits.h"
#include "property/property.h"

#include <pthread.h>

static const char *const example = SOURCE_DIR "/examples/philosophers.pnml";

static void a_reached_limit_stops_every_call(void **state)
{
    (void)state;
    volatile sig_atomic_t interrupt = 1;
    struct portolan_system *system = NULL;
    struct portolan_property *property = NULL;
    struct portolan_error error;
    assert_int_equal(portolan_open(example, &system, &error), PORTOLAN_OK);
    struct portolan_limits *limits = portolan_limits_begin(0, 0, &interrupt);
    struct portolan_system *other = NULL;
    assert_int_equal(portolan_open(example, &other, &error), PORTOLAN_STOPPED);
    assert_null(other);
    assert_int_equal(portolan_property_new(system, PORTOLAN_LTL, "G F fork_1 > 0", &property, &error),
                     PORTOLAN_STOPPED);
    assert_null(property);
    assert_int_equal(portolan_limits_reached(limits), PORTOLAN_INTERRUPTED);
    portolan_limits_end(limits);
    assert_int_equal(portolan_open(example, &other, &error), PORTOLAN_OK);
    portolan_system_free(other);
    portolan_system_free(system);
}

static void a_trace_without_steps_is_not_called_wrong(void **state)
{
    (void)state;
    volatile sig_atomic_t interrupt = 1;
    struct portolan_system *system = NULL;
    struct portolan_property *property = NULL;
    assert_int_equal(portolan_open(example, &system, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, PORTOLAN_INVARIANT, "fork_1 = 0", &property, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replay(system, NULL, 0, property, NULL), PORTOLAN_OK);
    struct portolan_limits *limits = portolan_limits_begin(0, 0, &interrupt);
    assert_true(limits_reached());
    assert_int_equal(portolan_replay(system, NULL, 0, property, NULL), PORTOLAN_STOPPED);
    portolan_limits_end(limits);
    portolan_property_free(property);
    portolan_system_free(system);
}

static void a_search_returns_what_it_covered(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("kanban", 8);
    struct portolan_property *property = NULL;
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL), PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    static const char *const reductions[] = {"none", "stubborn", "lpor", "probe", "dpor", "optimal", "bpor"};
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        struct portolan_options options = {
            .reduction = reductions[i], .properties = properties, .property_count = 1, .all = true};
        struct portolan_result result;
        volatile sig_atomic_t interrupt = 1;
        struct portolan_limits *limits = portolan_limits_begin(0, 0, &interrupt);
        assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
        portolan_limits_end(limits);
        assert_int_equal(result.stop, PORTOLAN_INTERRUPTED);
        assert_int_equal(result.answers[0].verdict, PORTOLAN_UNKNOWN);
        result_clear(&result);
    }
    portolan_property_free(property);
    portolan_system_free(system);
}

static void the_limits_of_a_search_end_with_it(void **state)
{
    (void)state;
    struct portolan_limits outer;
    limits_begin(&outer, 1000, 0, NULL);
    struct portolan_system *system = system_of_family("kanban", 8);
    struct portolan_options options = {.reduction = "none", .time_limit = 0.01};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_TIME_LIMIT);
    assert_false(limits_reached());
    assert_int_equal(limits_stop(), PORTOLAN_COMPLETE);
    result_clear(&result);
    portolan_system_free(system);
    limits_end(&outer);
    assert_null(limits_present);
}

static void *explore_all(void *system)
{
    struct portolan_options options = {.reduction = "none"};
    struct portolan_result result;
    enum portolan_status status = search_system(system, &options, &result, NULL);
    bool complete = status == PORTOLAN_OK && result.stop == PORTOLAN_COMPLETE;
    result_clear(&result);
    return complete ? system : NULL;
}

static void threads_have_limits_of_their_own(void **state)
{
    (void)state;
    volatile sig_atomic_t interrupt = 1;
    struct portolan_system *system = system_of_family("kanban", 3);
    struct portolan_limits *limits = portolan_limits_begin(0, 0, &interrupt);
    pthread_t thread;
    void *complete = NULL;
    assert_int_equal(pthread_create(&thread, NULL, explore_all, system), 0);
    pthread_join(thread, &complete);
    assert_ptr_equal(complete, system);
    assert_null(explore_all(system));
    portolan_limits_end(limits);
    portolan_system_free(system);
}

static void memory_is_asked_for_before_it_is_taken(void **state)
{
    (void)state;
    struct portolan_limits limits, finishing;
    limits_begin(&limits, 0, resident_bytes() + (32 << 20), NULL);
    assert_true(limits_allow(1 << 20));
    assert_true(limits_room() > 1 << 20 && limits_room() < SIZE_MAX);
    assert_false(limits_allow(64 << 20));
    assert_int_equal(limits_stop(), PORTOLAN_MEMORY_LIMIT);
    assert_true(limits_reached());
    assert_int_equal(limits_stop_or_memory(), PORTOLAN_MEMORY_LIMIT);
    limits_begin_finishing(&finishing, 0.5); /* a little more, to finish */
    assert_false(limits_reached());
    limits_end(&finishing);
    limits_end(&limits);
    assert_int_equal(limits_room(), SIZE_MAX);
}

static void nothing_is_decided_once_a_limit_was_reached(void **state)
{
    (void)state;
    volatile sig_atomic_t interrupt = 0;
    struct portolan_system *system = system_of_family("philosophers", 3);
    struct portolan_property *property = NULL;
    assert_int_equal(portolan_property_new(system, PORTOLAN_INVARIANT, "fork_1 = 7", &property, NULL), PORTOLAN_OK);
    unsigned char *bytes = calloc(1, system->state_bytes);
    system->initial(system->model, bytes);
    struct portolan_limits limits;
    limits_begin(&limits, 0, 0, &interrupt);
    assert_true(property_is_decided_by(property, system, bytes, false));
    interrupt = 1;
    while (!limits_reached())
        ;
    assert_false(property_is_decided_by(property, system, bytes, false));
    limits_end(&limits);
    free(bytes);
    portolan_property_free(property);
    portolan_system_free(system);
}

static void a_number_of_states_is_exact(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("kanban", 3);
    struct portolan_result result;
    static const char *const searches[] = {"bfs", "dfs"};
    for (size_t i = 0; i < 2; i++) {
        struct portolan_options options = {.reduction = "none", .search = searches[i], .state_limit = 1000};
        assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
        assert_int_equal(result.stop, PORTOLAN_STATE_LIMIT);
        assert_int_equal(result.statistics.states, 1000);
        result_clear(&result);
    }
    portolan_system_free(system);
    system = system_of_family("philosophers", 5);
    struct portolan_options options = {.reduction = "optimal", .bound = 4, .state_limit = 7};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_STATE_LIMIT);
    assert_int_equal(result.statistics.executions, 7);
    result_clear(&result);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_reached_limit_stops_every_call),
                                       cmocka_unit_test(a_trace_without_steps_is_not_called_wrong),
                                       cmocka_unit_test(a_search_returns_what_it_covered),
                                       cmocka_unit_test(the_limits_of_a_search_end_with_it),
                                       cmocka_unit_test(threads_have_limits_of_their_own),
                                       cmocka_unit_test(memory_is_asked_for_before_it_is_taken),
                                       cmocka_unit_test(nothing_is_decided_once_a_limit_was_reached),
                                       cmocka_unit_test(a_number_of_states_is_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
