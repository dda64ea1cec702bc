/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* --- packed markings against plain ones */

static bool plainly_enabled(const struct net *net, const uint32_t *marking, uint32_t t)
{
    for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &net->arc[i];
        if (marking[arc->place] < arc->need || (arc->inhibit && marking[arc->place] >= arc->inhibit))
            return false;
    }
    return true;
}

struct random_arcs {
    uint64_t seed;
    uint32_t places, transitions;
};

static struct net *random_net(struct random_arcs *r)
{
    struct net_builder *builder = net_builder_new("random");
    char id[32];
    for (uint32_t p = 0; p < r->places; p++) {
        snprintf(id, sizeof id, "p%u", p);
        net_builder_place(builder, id, NULL, random_below(&r->seed, 6));
    }
    for (uint32_t t = 0; t < r->transitions; t++) {
        snprintf(id, sizeof id, "t%u", t);
        net_builder_transition(builder, id, NULL);
        for (uint32_t i = 0; i < 5; i++)
            net_builder_arc(builder, random_below(&r->seed, 8) == 0 ? NET_INHIBIT : random_below(&r->seed, 3),
                            random_below(&r->seed, r->places), t, 1 + random_below(&r->seed, 3));
    }
    return net_builder_finish(builder, NULL);
}

/* Walks at random; after each step the packed state, its enabled transitions and its guards agree with the plain ones,
 * also across wider layouts. */
static void test_packed_markings(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_arcs random = {.seed = seed, .places = 5 + (uint32_t)seed * 3, .transitions = 12};
        struct net *net = random_net(&random);
        struct portolan_system *system;
        assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
        uint32_t *marking = calloc(net->places, sizeof *marking);
        uint64_t *packed = malloc(system->state_bytes), *next = malloc(system->state_bytes);
        uint32_t enabled[12];
        memcpy(marking, net->initial, net->places * sizeof *marking);
        system->initial(system->model, packed);
        for (int step = 0; step < 200; step++) {
            bool is_enabled[12] = {false};
            uint32_t count = system->enabled(system->model, packed, enabled);
            for (uint32_t i = 0; i < count; i++) {
                assert_false(is_enabled[enabled[i]]);
                is_enabled[enabled[i]] = true;
            }
            for (uint32_t t = 0; t < net->transitions; t++)
                assert_int_equal(is_enabled[t], plainly_enabled(net, marking, t));
            for (uint32_t p = 0; p < net->places; p++)
                assert_int_equal(system->value(system->model, packed, p), marking[p]);
            if (!count)
                break;
            uint32_t t = enabled[random_below(&random.seed, count)];
            enum portolan_fired fired;
            while ((fired = system->fire(system->model, packed, t, next)) == PORTOLAN_TOO_NARROW) {
                assert_int_equal(system->widen(system), PORTOLAN_OK);
                uint64_t *wider = malloc(system->state_bytes);
                system->convert(system->model, packed, wider);
                free(packed);
                packed = wider;
                next = realloc(next, system->state_bytes);
            }
            assert_int_equal(fired, PORTOLAN_FIRED);
            for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++)
                marking[net->arc[i].place] += net->arc[i].produce - net->arc[i].consume;
            memcpy(packed, next, system->state_bytes);
        }
        free(marking);
        free(packed);
        free(next);
        portolan_system_free(system);
    }
}

/* --- limits */

static void test_limits(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("unbounded", 1);
    struct portolan_result result;
    struct portolan_options options = {.reduction = "none", .state_limit = 5000};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_STATE_LIMIT);
    assert_true(result.unbounded);
    assert_true(result.growing[0] != '\0');
    result_clear(&result);
    options = (struct portolan_options){.reduction = "none", .memory_limit = 1 << 20};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_MEMORY_LIMIT);
    result_clear(&result);
    volatile sig_atomic_t interrupt = 1;
    options = (struct portolan_options){.reduction = "none", .interrupt = &interrupt};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_INTERRUPTED);
    result_clear(&result);
    options = (struct portolan_options){.reduction = "none", .search = "dfs", .time_limit = 0.05};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_TIME_LIMIT);
    result_clear(&result);
    portolan_system_free(system);
}

/* A count that doubles: an error, never a wrap-around. */
static void test_overflow(void **state)
{
    (void)state;
    struct net_builder *builder = net_builder_new("doubling");
    uint32_t p = net_builder_place(builder, "p", NULL, 1 << 30), t = net_builder_transition(builder, "t", NULL);
    net_builder_arc(builder, NET_READ, p, t, 1);
    net_builder_arc(builder, NET_PRODUCE, p, t, 1 << 30);
    struct portolan_system *system;
    struct portolan_error error;
    struct portolan_result result;
    struct portolan_options options = {.reduction = "none"};
    assert_int_equal(net_system_new(net_builder_finish(builder, NULL), &system, NULL), PORTOLAN_OK);
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OVERFLOW);
    assert_non_null(strstr(error.message, "'t'"));
    portolan_system_free(system);
}

/* --- answers */

static void test_known_counts(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("kanban", 3);
    assert_int_equal(explored(system, "none", "none", "bfs").states, 58400);
    assert_int_equal(explored(system, "none", "none", "dfs").states, 58400);
    assert_int_equal(explored(system, "none", "none", "dfs").transitions,
                     explored(system, "none", "none", "bfs").transitions);
    portolan_system_free(system);
}

static struct portolan_result checked(struct portolan_system *system, const struct portolan_property *property,
                                      const char *search, bool chains)
{
    struct portolan_options options = {.reduction = chains ? "stubborn" : "none",
                                       .search = search,
                                       .properties = &property,
                                       .property_count = 1,
                                       .chains = chains};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    return result;
}

static void test_shortest_trace(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("philosophers", 7);
    struct portolan_property *property;
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL), PORTOLAN_OK);
    struct portolan_result result = checked(system, property, "bfs", false);
    assert_int_equal(result.answers[0].verdict, PORTOLAN_VIOLATED);
    assert_int_equal(result.answers[0].trace_length, 7); /* each takes one fork */
    assert_int_equal(portolan_replay(system, result.answers[0].trace, 7, property, NULL), PORTOLAN_OK);
    result.answers[0].trace[6] = result.answers[0].trace[5];
    assert_int_equal(portolan_replay(system, result.answers[0].trace, 7, property, NULL), PORTOLAN_BAD_INPUT);
    assert_int_equal(portolan_replay(system, result.answers[0].trace, 6, property, NULL), PORTOLAN_BAD_INPUT);
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
}

/* Chains store less, visit as much, and their traces are whole. */
static void test_chains(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("filesystem", 15);
    struct portolan_property *property;
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL), PORTOLAN_OK);
    for (int order = 0; order < 2; order++) {
        struct portolan_result result = checked(system, property, order ? "dfs" : "bfs", true);
        assert_int_equal(result.answers[0].verdict, PORTOLAN_VIOLATED); /* the programs end */
        assert_true(result.answers[0].has_trace);
        assert_true(result.statistics.states < result.statistics.visited);
        result_clear(&result);
    }
    portolan_property_free(property);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed_markings), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_overflow),        cmocka_unit_test(test_known_counts),
                                       cmocka_unit_test(test_shortest_trace),  cmocka_unit_test(test_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
