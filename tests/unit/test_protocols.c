/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols: what the language means, and what is wrong with bad texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/protocols/protocols.h"
#include "search/search_system.h"

static struct portolan_system *opened_with(const char *text, const char *definition)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (protocols_open_text("test.mp", text, strlen(text), &definition, definition != NULL, &system, &error) !=
        PORTOLAN_OK)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    return system;
}

static struct portolan_system *opened(const char *text)
{
    return opened_with(text, NULL);
}

/* How many states, transitions and deadlocks full exploration finds. */
static void assert_explored_with(const char *text, const char *opening, uint64_t states, uint64_t transitions,
                                 uint64_t deadlocks)
{
    struct portolan_system *system = opened_with(text, opening);
    struct portolan_property *property = NULL;
    struct portolan_result result;
    struct portolan_error error = {0};
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, &error), PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {
        .reduction = "none", .properties = properties, .property_count = 1, .all = true, .check_relations = true};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", text, error.message);
    assert_int_equal(result.statistics.states, states);
    assert_int_equal(result.statistics.transitions, transitions);
    assert_int_equal(result.statistics.deadlocks, deadlocks);
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
}

/* With every message that is on its way, whether somebody can still take it or not. */
static void assert_explored(const char *text, uint64_t states, uint64_t transitions, uint64_t deadlocks)
{
    assert_explored_with(text, "keep-dead=1", states, transitions, deadlocks);
}

static void assert_explored_without_dead(const char *text, uint64_t states, uint64_t transitions, uint64_t deadlocks)
{
    assert_explored_with(text, NULL, states, transitions, deadlocks);
}

#define TO_ONE                                                                                                         \
    "message m(v: 0..1) process A { var n: 0..2 rule go any v in 0..1 when n < 2 { n = n + 1 send m(v) to B } } "

static void channels_have_their_orders(void **unused)
{
    (void)unused;
    /* a multiset: 1 + 2 + 3 states of what was sent, none is taken */
    assert_explored(TO_ONE "process B { }", 6, 6, 3);
    /* a queue: 1 + 2 + 4 */
    assert_explored("channels fifo 2 " TO_ONE "process B { }", 7, 6, 4);
}

static void messages_that_nobody_can_take_are_no_part_of_a_state(void **unused)
{
    (void)unused;
    /* nobody takes any: only how many were sent counts; queues keep them */
    assert_explored_without_dead(TO_ONE "process B { }", 3, 4, 1);
    assert_explored_without_dead("channels fifo 2 " TO_ONE "process B { }", 7, 6, 4);
    assert_explored_without_dead("channels unordered lossy " TO_ONE "process B { }", 10, 16, 1);
    /* B takes a single 1: no 0 ever, and then no 1 */
    const char *first = TO_ONE "process B { var b: bool rule take on m(v) when v == 1 and not b { b = true } }";
    assert_explored(first, 9, 11, 3);
    assert_explored_without_dead(first, 8, 11, 2);
    /* m(0) is for a phase that may come, m(1) for one that may be over */
    const char *phases =
        "message m(v: 0..1) process A { var d: bool rule go any v in 0..1 when not d { d = true send m(v) "
        "to B } } process B { var n: 0..2 rule next when n < 2 { n = n + 1 }"
        "rule early on m(1) when n == 0 { n = 2 } rule late on m(0) when n == 2 { } }";
    assert_explored(phases, 10, 14, 2);
    assert_explored_without_dead(phases, 9, 14, 1);
    /* who has crashed takes nothing */
    const char *crashed = "message m crashes 1 of B process A { var n: 0..1 rule go when n < 1 { n = 1 send m to B } }"
                          "process B { rule take on m { } }";
    assert_explored(crashed, 6, 6, 2);
    assert_explored_without_dead(crashed, 5, 6, 1);
}

static enum portolan_verdict verdict(const char *text, const char *invariant, const char *reduction, bool checks,
                                     uint64_t *states)
{
    struct portolan_system *system = opened(text);
    struct portolan_property *properties[2] = {NULL, NULL};
    struct portolan_result result;
    struct portolan_error error = {0};
    assert_int_equal(portolan_property_new(system, PORTOLAN_INVARIANT, invariant, &properties[0], &error), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &properties[1], &error), PORTOLAN_OK);
    struct portolan_options options = {.reduction = reduction,
                                       .properties = (const struct portolan_property *const *)properties,
                                       .property_count = 2,
                                       .all = true,
                                       .check_relations = checks};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", text, error.message);
    enum portolan_verdict verdict = result.answers[0].verdict;
    *states = result.statistics.states;
    if (result.answers[1].verdict == PORTOLAN_VIOLATED)
        *states = 0;
    result_clear(&result);
    portolan_property_free(properties[0]);
    portolan_property_free(properties[1]);
    portolan_system_free(system);
    return verdict;
}

/* Where every end is a proper one, a crash brings about nothing that would not come without it. */
static void crashes_that_no_property_sees_are_left_out(void **unused)
{
    (void)unused;
#define A_AND_B                                                                                                        \
    "message m crashes 1 of A, B process A { var n: 0..1 rule go when n < 1 { n = 1 send m to B } }"                   \
    "process B { var n: 0..1 rule take on m { n = 1 } } "
    uint64_t states = 0;
    static const char *const reductions[] = {"stubborn", "lpor", "lpor:plain"};
    assert_int_equal(verdict(A_AND_B "final true", "B.n <= A.n", "none", true, &states), PORTOLAN_HOLDS);
    assert_int_equal(states, 9);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(verdict(A_AND_B "final true", "B.n <= A.n", reductions[i], true, &states), PORTOLAN_HOLDS);
        assert_int_equal(states, 3);
        /* who asks is told */
        assert_int_equal(verdict(A_AND_B "final true", "A.crashed == 0", reductions[i], true, &states),
                         PORTOLAN_VIOLATED);
        assert_int_equal(verdict(A_AND_B "final true invariant up: A.n == 0 or not B.crashed", "up == 1", reductions[i],
                                 true, &states),
                         PORTOLAN_VIOLATED);
        /* a crash may end things too early */
        assert_int_equal(verdict(A_AND_B "final B.n == 1", "B.n <= A.n", reductions[i], true, &states), PORTOLAN_HOLDS);
        assert_int_equal(states, 0);
        assert_int_equal(verdict(A_AND_B "final true final B.n == 1", "B.n <= A.n", reductions[i], true, &states),
                         PORTOLAN_HOLDS);
        assert_int_equal(states, 0);
    }
}

/* Each process goes on by itself: whether both are in the middle at once depends on the order. */
static void dynamic_reductions_see_states_on_the_way(void **unused)
{
    (void)unused;
    static const char text[] = "process A { var x: 0..2 rule go when x < 2 { x = x + 1 } }"
                               "process B { var x: 0..2 rule go when x < 2 { x = x + 1 } } final true";
    static const char *const reductions[] = {"dpor", "source", "lazy", "optimal", "stubborn", "lpor"};
    uint64_t states;
    for (size_t i = 0; i < 6; i++) {
        bool checks = i > 3;
        assert_int_equal(verdict(text, "A.x != 1 || B.x != 1", reductions[i], checks, &states), PORTOLAN_VIOLATED);
        assert_int_equal(verdict(text, "A.x != 2 || B.x != 0", reductions[i], checks, &states), PORTOLAN_VIOLATED);
        assert_int_equal(verdict(text, "A.x != 0 || B.x != 2", reductions[i], checks, &states), PORTOLAN_VIOLATED);
        assert_int_equal(verdict(text, "A.x != 0", reductions[i], checks, &states), PORTOLAN_VIOLATED);
        assert_int_equal(verdict(text, "A.x + B.x < 5", reductions[i], checks, &states), PORTOLAN_HOLDS);
    }
}

static void faults_are_actions(void **unused)
{
    (void)unused;
    const char *text = "message m process A { var done: bool rule go when not done { done = true send m to B } }"
                       "process B { var got: 0..2 rule take on m when got < 2 { got = got + 1 } }";
    char faulty[400];
    assert_explored(text, 3, 2, 1);
    snprintf(faulty, sizeof faulty, "channels unordered lossy %s", text);
    assert_explored(faulty, 4, 3, 2); /* taken, or lost */
    snprintf(faulty, sizeof faulty, "channels unordered duplicating %s", text);
    assert_explored(faulty, 6, 5, 3); /* taken once or twice, with a copy left or not; a copy stays after the second */
    snprintf(faulty, sizeof faulty, "crashes 1 of B %s", text);
    assert_explored(faulty, 6, 6, 2); /* before, between, after */
}

static void a_byzantine_process_sends_each_message_once(void **unused)
{
    (void)unused;
    /* each of two messages: kept back, on its way, taken */
    assert_explored("message m(v: 0..1) byzantine process Z { may send m(0..1) to B }"
                    "process B { var s: set of 0..1 rule take on m(v) { add v to s } }",
                    9, 12, 1);
}

static void a_quorum_is_any_set_of_that_size(void **unused)
{
    (void)unused;
    const char *text =
        "message m(v: 0..3) process A[i: 1..3] { var d: bool rule go when not d { d = true send m(i) to B } }"
        "process B { var most: 0..3 rule take on 2 of m(v) from A when most == 0 { most = max(v) } }"
        "invariant ends: B.most != 1";
    /* 8 states of sending; from {1,2}, {1,3}, {2,3} the one choice, from {1,2,3} three; each pair with the third
     * unsent, or left over */
    assert_explored(text, 8 + 6, 12 + 6 + 3, 3);
}

static void a_failing_step_is_seen(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("process A { var x: 0..1 rule up { x = x + 1 } }");
    uint32_t failed;
    assert_int_equal(system->stated_count, 1);
    assert_string_equal(system->stated[0].text, "failed == 0");
    assert_true(system->find_variable(system->model, "failed", &failed));
    unsigned char state[64], next[64], last[64];
    assert_true(system->state_bytes <= sizeof state);
    system->initial(system->model, state);
    assert_int_equal(system->fire(system->model, state, 0, next), PORTOLAN_FIRED);
    assert_int_equal(system->value(system->model, next, failed), 0);
    assert_int_equal(system->fire(system->model, next, 0, last), PORTOLAN_FIRED);
    assert_int_equal(system->value(system->model, last, failed), 1);
    uint32_t enabled[4];
    assert_int_equal(system->enabled(system->model, last, enabled), 0);
    portolan_system_free(system);
}

/* A step that only raises a stamp does not enable one that waits for a larger one. */
static void stamps_that_grow_enable_nothing(void **unused)
{
    (void)unused;
    struct portolan_system *system =
        opened("message m(s: 0..2) byzantine process Z { may send m(0..2) to B }"
               "process B { var stamp: 0..2 rule newer on m(s) when s > stamp { stamp = s } }");
    const struct portolan_relations *r = system->relations;
    uint32_t newer;
    assert_true(system->find_action(system->model, "B newer: m(1) from Z", &newer));
    for (uint32_t g = 0; g < r->guards; g++)
        for (uint32_t i = r->enablers.offset[g]; i < r->enablers.offset[g + 1]; i++)
            assert_int_not_equal(r->enablers.item[i], newer);
    portolan_system_free(system);
}

static const struct bad {
    const char *text;
    unsigned line, column;
    const char *message, *hint;
} bad[] = {
    {"", 1, 1, "expected a process, found the end", "a protocol has at least one: process Name[1..3] { ... }"},
    {"proces A { }", 1, 1, "expected a declaration, found 'proces'", "did you mean 'process'?"},
    {"process A {\n  var total: 0..3\n  rule r { toatl = 1 }\n}", 3, 12, "there is no variable 'toatl'",
     "did you mean 'total'?"},
    {"process A { rule r { send m to A } }", 1, 27, "there is no message 'm'", ""},
    {"message m(v: 0..1) process A { rule r { send m to A } }", 1, 46, "'m' has 1 field, not 0", ""},
    {"message m process A { rule r on m { send m to B } }", 1, 47, "there is no process 'B'", ""},
    {"message m process A { rule r { send m to sender } }", 1, 42, "there is no message, so there is no sender", ""},
    {"message m process A { rule r on majority of m { } }", 1, 45, "a majority of whom?",
     "say from which process: 'on majority of m(...) from Process'"},
    {"message m(v: 0..1) process A[1..2] { var x: 0..1 rule r on 2 of m(v) from A { x = v } }", 1, 83,
     "'v' has a value for each message of the quorum", "write max(v), min, sum, count, all, some, or best(e by k)"},
    {"message m process A { rule r on 2 of m from A { } }", 1, 38, "there are not that many senders of 'm'", ""},
    {"process A { var s: set of 0..1 rule r when s == 1 { } }", 1, 44, "'s' is a set",
     "ask 'e in s' or 'size(...)'; change it by add, remove and clear"},
    {"process A { may send m to A }", 1, 13, "only a Byzantine process may send at will",
     "write 'byzantine process A'"},
    {"process A { var x: 1..0 }", 1, 20, "the range is empty", ""},
    {"process A { var x: 0..1 = 2 }", 1, 27, "the initial value of 'x' is not in its range", ""},
    {"process A { var x: 0..1 var x: bool }", 1, 29, "'x' is declared twice", ""},
    {"const a = b, b = a process A { }", 1, 7, "the value of 'a' depends on itself", ""},
    {"type T = T process A { }", 1, 10, "the type 'T' depends on itself", ""},
    {"process A { rule r when B.x == 1 { } } process B { var x: bool }", 1, 25,
     "a process cannot read the variables of 'B'", ""},
    {"process A[1..2] { var x: bool } invariant i: A.x", 1, 46, "there are several 'A': which one?", ""},
    {"process A { rule var { } }", 1, 18, "'var' is a word of the language and cannot be a name", ""},
    {"channels fast process A { }", 1, 10, "expected 'unordered' or 'fifo', found 'fast'",
     "channels unordered|fifo CAPACITY, then lossy, duplicating or both"},
    {"process A { var a: array[0..1] of bool rule r { a = true } }", 1, 49, "'a' is an array and needs an index", ""}};

static void errors_name_their_place(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct portolan_system *system = NULL;
        struct portolan_error error = {0};
        assert_int_equal(protocols_open_text("bad.mp", bad[i].text, strlen(bad[i].text), NULL, 0, &system, &error),
                         PORTOLAN_BAD_INPUT);
        if (strncmp(error.message, bad[i].message, strlen(bad[i].message)) != 0 || error.line != bad[i].line ||
            error.column != bad[i].column || strcmp(error.hint, bad[i].hint) != 0)
            fail_msg("%s\n%u:%u: %s (%s)", bad[i].text, error.line, error.column, error.message, error.hint);
        assert_int_equal(protocols_open_text("bad.mp", bad[i].text, strlen(bad[i].text), NULL, 0, &system, NULL),
                         PORTOLAN_BAD_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(channels_have_their_orders),
                                       cmocka_unit_test(messages_that_nobody_can_take_are_no_part_of_a_state),
                                       cmocka_unit_test(crashes_that_no_property_sees_are_left_out),
                                       cmocka_unit_test(dynamic_reductions_see_states_on_the_way),
                                       cmocka_unit_test(faults_are_actions),
                                       cmocka_unit_test(a_byzantine_process_sends_each_message_once),
                                       cmocka_unit_test(a_quorum_is_any_set_of_that_size),
                                       cmocka_unit_test(a_failing_step_is_seen),
                                       cmocka_unit_test(stamps_that_grow_enable_nothing),
                                       cmocka_unit_test(errors_name_their_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
