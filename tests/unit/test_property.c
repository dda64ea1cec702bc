/* SPDX-License-Identifier: Apache-2.0 */
/* Properties, on a small system of bounded counters. */
#include "base/diagnostic.h"
#include "counters.h"
#include "property/property.h"
#include "property/verdict.h"

static struct portolan_property *property(const struct portolan_system *system, enum portolan_kind kind,
                                          const char *text)
{
    struct portolan_property *made;
    struct portolan_error error = {0};
    if (portolan_property_new(system, kind, text, &made, &error))
        fail_msg("%s", error.message);
    return made;
}

static void test_property_text(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    struct portolan_property *p = property(&system, PORTOLAN_NO_DEADLOCK, NULL);
    assert_string_equal(portolan_property_text(p), "no deadlock");
    portolan_property_free(p);
    p = property(&system, PORTOLAN_INVARIANT, "x < 3");
    assert_string_equal(portolan_property_text(p), "invariant x < 3");
    portolan_property_free(p);
    p = property(&system, PORTOLAN_REACH, "x = 3");
    assert_string_equal(portolan_property_text(p), "reach x = 3");
    portolan_property_free(p);
    portolan_property_free(NULL);
}

static void test_property_errors(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    struct portolan_property *p;
    struct portolan_error error;
    assert_int_equal(portolan_property_new(&system, PORTOLAN_INVARIANT, NULL, &p, &error), PORTOLAN_BAD_INPUT);
    assert_null(p);
    assert_int_equal(portolan_property_new(&system, PORTOLAN_REACH, "x", &p, &error), PORTOLAN_BAD_INPUT);
    assert_null(p);
    assert_int_equal(error.column, 1);
    assert_int_equal(portolan_property_new(&system, (enum portolan_kind)9, "x", &p, NULL), PORTOLAN_BAD_OPTION);
}

static void test_deciding_states(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    static const struct {
        enum portolan_kind kind;
        const char *text;
        bool alive, dead; /* whether some_state decides it when it is no deadlock, when it is one */
    } cases[] = {
        {PORTOLAN_NO_DEADLOCK, NULL, false, true},
        {PORTOLAN_INVARIANT, "x = 2", false, false},
        {PORTOLAN_INVARIANT, "x = 3", true, true},
        {PORTOLAN_REACH, "x = 2", true, true},
        {PORTOLAN_REACH, "x = 3", false, false},
        {PORTOLAN_REACH, "deadlock && x = 2", false, true},
        {PORTOLAN_INVARIANT, "deadlock -> x = 3", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_property *p = property(&system, cases[i].kind, cases[i].text);
        assert_int_equal(property_is_decided_by(p, &system, some_state, false), cases[i].alive);
        assert_int_equal(property_is_decided_by(p, &system, some_state, true), cases[i].dead);
        portolan_property_free(p);
    }
}

static void test_what_a_reduction_must_keep(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    static const struct {
        enum portolan_kind kind;
        const char *text;
        bool only_deadlocks, every_state;
        const char *visible;
    } cases[] = {
        {PORTOLAN_NO_DEADLOCK, NULL, true, false, "0000"},
        {PORTOLAN_INVARIANT, "y < 3", false, false, "0010"},
        {PORTOLAN_INVARIANT, "deadlock -> y = 2", true, false, "0000"},
        {PORTOLAN_REACH, "deadlock -> y = 2", false, true, "1111"},
        {PORTOLAN_REACH, "deadlock && y = 2", true, false, "0000"},
        {PORTOLAN_INVARIANT, "deadlock && y = 2", false, true, "1111"},
        {PORTOLAN_INVARIANT, "!deadlock", true, false, "0000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool visible[ACTIONS] = {false};
        struct portolan_property *p = property(&system, cases[i].kind, cases[i].text);
        assert_int_equal(property_needs_only_deadlocks(p), cases[i].only_deadlocks);
        assert_int_equal(property_needs_every_state(p), cases[i].every_state);
        property_mark_visible(p, &system, visible);
        for (uint32_t a = 0; a < ACTIONS; a++)
            assert_int_equal(visible[a], cases[i].visible[a] == '1');
        portolan_property_free(p);
    }
}

/* Every kind of property x with a trace or without x every way a search can end. */
static void test_verdicts(void **unused)
{
    (void)unused;
    static const int status[] = {[PORTOLAN_HOLDS] = 0, [PORTOLAN_VIOLATED] = 1, [PORTOLAN_UNKNOWN] = 3};
    for (int kind = PORTOLAN_NO_DEADLOCK; kind <= PORTOLAN_AUTOMATON; kind++)
        for (int stop = PORTOLAN_COMPLETE; stop <= PORTOLAN_PARTIAL; stop++) {
            bool reach = kind == PORTOLAN_REACH;
            enum portolan_verdict traced = verdict_of(kind, true, stop), untraced = verdict_of(kind, false, stop);
            assert_int_equal(traced, reach ? PORTOLAN_HOLDS : PORTOLAN_VIOLATED);
            if (stop == PORTOLAN_COMPLETE)
                assert_int_equal(untraced, reach ? PORTOLAN_VIOLATED : PORTOLAN_HOLDS);
            else
                assert_int_equal(untraced, PORTOLAN_UNKNOWN);
            assert_int_equal(stop_is_complete(stop), stop == PORTOLAN_COMPLETE);
            assert_int_equal(verdict_status(traced), status[traced]);
            assert_int_equal(verdict_status(untraced), status[untraced]);
            assert_true(strlen(stop_word(stop)) > 0 && strlen(verdict_word(traced)) > 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_property_text),   cmocka_unit_test(test_property_errors),
        cmocka_unit_test(test_deciding_states), cmocka_unit_test(test_what_a_reduction_must_keep),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
