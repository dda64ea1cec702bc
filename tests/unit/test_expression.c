/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and properties, on a small system of bounded counters. */
#include "base/diagnostic.h"
#include "property/distance.h"
#include "property/expression.h"
#include "property/property.h"
#include "property/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Variables x, y, "place 1" and deadlock (a name that is a keyword).  Action inc.x adds to x below 3, "dec-x"
 * takes from x above 0, move takes from x and adds to y, idle changes nothing and is always enabled while y < 2.
 */
enum { VARIABLES = 4, ACTIONS = 4 };
enum { X, Y, PLACE, DEADLOCK };
enum { INC, DEC, MOVE, IDLE };
enum { X_BELOW_3, X_ABOVE_0, Y_BELOW_2, GUARDS };

static const char *const variable_names[VARIABLES] = {"x", "y", "place 1", "deadlock"};
static const char *const action_names[ACTIONS] = {"inc.x", "dec-x", "move", "idle"};

static const char *variable_name(const void *model, uint32_t variable)
{
    (void)model;
    return variable_names[variable];
}

static const char *action_name(const void *model, uint32_t action)
{
    (void)model;
    return action_names[action];
}

static bool find_in(const char *const *names, uint32_t count, const char *name, uint32_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], name) == 0)
            return true;
    return false;
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    (void)model;
    return find_in(variable_names, VARIABLES, name, variable);
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    (void)model;
    return find_in(action_names, ACTIONS, name, action);
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return ((const int64_t *)state)[variable];
}

static bool guard_holds(const void *model, const void *state, uint32_t guard)
{
    (void)model;
    const int64_t *v = state;
    return guard == X_BELOW_3 ? v[X] < 3 : guard == X_ABOVE_0 ? v[X] > 0 : v[Y] < 2;
}

static const uint32_t guards_offset[] = {0, 1, 2, 4, 5};
static const uint32_t guards_item[] = {X_BELOW_3, X_ABOVE_0, X_ABOVE_0, Y_BELOW_2, Y_BELOW_2};
static const uint32_t enablers_offset[] = {0, 2, 3, 3};
static const uint32_t enablers_item[] = {DEC, MOVE, INC};
static const uint32_t disablers_offset[] = {0, 1, 3, 4};
static const uint32_t disablers_item[] = {INC, DEC, MOVE, MOVE};
static const uint32_t changers_offset[] = {0, 3, 4, 4, 4};
static const uint32_t changers_item[] = {INC, DEC, MOVE, MOVE};

static const struct portolan_relations relations = {
    .transitions = ACTIONS,
    .guards = GUARDS,
    .guards_of = {guards_offset, guards_item},
    .enablers = {enablers_offset, enablers_item},
    .disablers = {disablers_offset, disablers_item},
    .holds = guard_holds,
};

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t action = 0; action < ACTIONS; action++) {
        bool all = true;
        for (uint32_t i = guards_offset[action]; i < guards_offset[action + 1]; i++)
            all = all && guard_holds(model, state, guards_item[i]);
        if (all)
            out[count++] = action;
    }
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    (void)model;
    int64_t *v = successor;
    memcpy(v, state, VARIABLES * sizeof *v);
    v[X] += action == INC ? 1 : action == DEC || action == MOVE ? -1 : 0;
    v[Y] += action == MOVE;
    return PORTOLAN_FIRED;
}

static struct portolan_system make_system(void)
{
    return (struct portolan_system){
        .name = "counters",
        .format = "test",
        .state_bytes = VARIABLES * sizeof(int64_t),
        .key_bytes = VARIABLES * sizeof(int64_t),
        .actions = ACTIONS,
        .enabled = enabled,
        .fire = fire,
        .action_name = action_name,
        .find_action = find_action,
        .variables = VARIABLES,
        .variable_name = variable_name,
        .find_variable = find_variable,
        .value = value,
        .changers = {changers_offset, changers_item},
        .relations = &relations,
    };
}

static const int64_t some_state[VARIABLES] = {2, -5, 7, 1};

static struct expression *parse(const struct portolan_system *system, const char *text)
{
    struct expression *expression;
    struct portolan_error error = {0};
    if (expression_parse(system, text, &expression, &error))
        fail_msg("'%.100s': %s (column %u)", text, error.message, error.column);
    return expression;
}

static bool holds_in(const struct portolan_system *system, const char *text, const int64_t *state, bool is_deadlock)
{
    struct expression *expression = parse(system, text);
    bool result = expression_holds(expression, system, state, is_deadlock);
    expression_free(expression);
    return result;
}

static bool holds(const char *text)
{
    struct portolan_system system = make_system();
    return holds_in(&system, text, some_state, false);
}

static void assert_holds(const char *const *texts, size_t count, bool expected)
{
    for (size_t i = 0; i < count; i++)
        if (holds(texts[i]) != expected)
            fail_msg("%s should be %s", texts[i], expected ? "true" : "false");
}

#define ASSERT_TRUE(texts) assert_holds(texts, sizeof(texts) / sizeof *(texts), true)
#define ASSERT_FALSE(texts) assert_holds(texts, sizeof(texts) / sizeof *(texts), false)

/* ------------------------------------------------------------------ values */

static void test_values_of_variables_and_constants(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"x = 2",
                                        "y = -5",
                                        "\"place 1\" = 7",
                                        "'place 1' = 7",
                                        "'deadlock' = 1",
                                        "tokens(x) = 2",
                                        "tokens(x, y, 'place 1') = 4",
                                        "9223372036854775807 > 9223372036854775806",
                                        "true",
                                        "!false"};
    ASSERT_TRUE(texts);
}

static void test_comparisons(void **unused)
{
    (void)unused;
    static const char *const true_ones[] = {"x = 2",  "x == 2", "x != 3", "x < 3",  "x <= 2", "x > 1",  "x >= 2",
                                            "2 = x",  "3 > x",  "y < x",  "x > y",  "x >= y", "y <= x", "x != y",
                                            "x<-y+1", "x>-1",   "!(x=3)", "!(x<2)", "!(x>2)", "!(x>=3)"};
    static const char *const false_ones[] = {"x = 3",  "x == y", "x != 2", "x < 2", "x <= 1", "x > 2",
                                             "x >= 3", "y >= x", "x < y",  "x = y", "x <= y", "y > x"};
    ASSERT_TRUE(true_ones);
    ASSERT_FALSE(false_ones);
}

static void test_precedence_and_grouping(void **unused)
{
    (void)unused;
    static const char *const true_ones[] = {"2 + 3 * 4 = 14",
                                            "x + 3 * y = -13",
                                            "10 - 4 - 3 = 3",
                                            "10 - x - 3 = 5",
                                            "100 / 5 / x = 10",
                                            "-x * 3 = -6",
                                            "--x = 2",
                                            "x - -x = 4",
                                            "17 % 5 * 2 = 4",
                                            "(2 + 3) * 4 = 20",
                                            "true || false && false",
                                            "x=2 or x=3 and x=4",
                                            "x=3 -> x=4 -> x=5",
                                            "x=2 -> x=3 -> x=4",
                                            "x=9 <-> x=2 -> x=9"};
    static const char *const false_ones[] = {"(x=2 or x=3) and x=4", "!true || false", "(x=3 -> x=4) -> x=5",
                                             "x=2 <-> x=3 <-> x=2"};
    ASSERT_TRUE(true_ones);
    ASSERT_FALSE(false_ones);
}

static void test_words_mean_what_symbols_mean(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"not (x = 3) and true", "x = 3 implies x = 9", "(x = 2) iff (y = -5)",
                                        "x = 9 or x = 2"};
    ASSERT_TRUE(texts);
}

#define MAX "9223372036854775807"
#define MIN "(-9223372036854775807 - 1)"

/* With constants, which are folded, and with variables, which are not. */
static void test_arithmetic_is_that_of_64_bits(void **unused)
{
    (void)unused;
    static const char *const texts[] = {MAX "- 1 + 1 = " MAX, MIN "+ 1 - 1 = " MIN, MIN "% -1 = 0", "-7 / 2 = -3",
                                        "-7 % 2 = -1",        "y / 2 = -2",         "y % 2 = -1",   "7 / -2 = -3",
                                        "7 % -2 = 1",         "(y + 5) / -1 = 0",   "y / -1 = 5",   "y % -1 = 0",
                                        "2 + 3 * 4 = 14",     "10 - 4 - 3 = 3",     "-x * 3 = -6"};
    ASSERT_TRUE(texts);
}

/* What has no value is not true, and neither is its negation. */
static void test_what_has_no_value_is_not_true(void **unused)
{
    (void)unused;
    static const char *const texts[] = {MAX "+ 1 = ",          MIN "- 1 = ",     "-" MIN " = ",
                                        MAX "* 2 = ",          MIN "* -1 = ",    MIN "/ -1 = ",
                                        MAX "/ 0 = ",          MAX "% 0 = ",     MAX "+ x = ",
                                        "x / (x - x) = ",      "x % (x - x) = ", "(" MIN "+ x - 2) / (x - 3) = ",
                                        "-(" MIN "+ x - 2) = "};
    static const char *const values[] = {MAX, MIN, "0"};
    struct portolan_system system = make_system();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t v = 0; v < 3; v++)
            for (int negated = 0; negated < 2; negated++) {
                char text[200];
                snprintf(text, sizeof text, "%s(%s%s)", negated ? "!" : "", texts[i], values[v]);
                struct expression *expression = parse(&system, text);
                if (expression_value(expression, &system, some_state, false) != EXPRESSION_NO_VALUE)
                    fail_msg("%s has a value", text);
                expression_free(expression);
            }
    assert_true(holds("x = 2 || 1 / 0 = 1"));
    assert_false(holds("1 / 0 = 1 || x = 2"));
    assert_false(holds("1 / 0 = 1 || true"));
    assert_false(holds("!(1 / 0 = 1 && false)"));
    assert_true(holds("!(false && 1 / 0 = 1)"));
    assert_true(holds("x = 3 -> 1 / 0 = 1"));
}

static void test_comments_and_spaces(void **unused)
{
    (void)unused;
    assert_true(holds("x /* the\nplace */ = // here\n\t2 # there"));
    assert_true(holds("\r\n x=2\r\n"));
}

static void test_fireable_with_and_without_relations(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    static const int64_t full[VARIABLES] = {3, 2, 0, 0};
    for (int with = 1; with >= 0; with--) {
        system.relations = with ? &relations : NULL;
        assert_true(holds_in(&system, "fireable(inc.x)", some_state, false));
        assert_false(holds_in(&system, "fireable(inc.x)", full, false));
        assert_true(holds_in(&system, "fireable(\"dec-x\")", full, false));
        assert_false(holds_in(&system, "fireable(move, idle, inc.x)", full, false));
        assert_true(holds_in(&system, "fireable(move, 'dec-x')", full, false));
        assert_true(holds_in(&system, "fireable(move) && fireable(idle) && fireable(inc.x)", some_state, false));
    }
}

static void test_deadlock_is_what_the_caller_says(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    assert_true(holds_in(&system, "deadlock", some_state, true));
    assert_false(holds_in(&system, "deadlock", some_state, false));
    assert_true(holds_in(&system, "deadlock -> x = 2", some_state, true));
    assert_false(holds_in(&system, "deadlock -> x = 3", some_state, true));
    assert_true(holds_in(&system, "deadlock -> x = 3", some_state, false));
}

static uint32_t calls_of_value;

static int64_t counting_value(const void *model, const void *state, uint32_t variable)
{
    calls_of_value++;
    return value(model, state, variable);
}

static void test_the_right_operand_is_skipped(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    system.value = counting_value;
    static const char *const decided_by_x[] = {"x = 3 && y = 1 && y = 2", "x = 2 || y = 1 || y = 2",
                                               "x = 3 -> y = 1 && y = 2", "!(x = 2 || y = 1)"};
    for (size_t i = 0; i < sizeof decided_by_x / sizeof *decided_by_x; i++) {
        calls_of_value = 0;
        holds_in(&system, decided_by_x[i], some_state, false);
        assert_int_equal(calls_of_value, 1);
    }
}

/* ------------------------------------------------------------------ errors */

static void assert_error(const struct portolan_system *system, const char *text, unsigned line, unsigned column,
                         const char *message, const char *hint_part)
{
    struct expression *expression = (struct expression *)&calls_of_value;
    struct portolan_error error = {0};
    assert_int_equal(expression_parse(system, text, &expression, &error), PORTOLAN_BAD_INPUT);
    assert_null(expression);
    assert_int_equal(error.status, PORTOLAN_BAD_INPUT);
    assert_string_equal(error.file, "<expression>");
    if (!strstr(error.message, message) || (hint_part && !strstr(error.hint, hint_part)))
        fail_msg("'%s': message '%s', hint '%s'", text, error.message, error.hint);
    if (error.line != line || error.column != column)
        fail_msg("'%s': %u:%u, not %u:%u", text, error.line, error.column, line, column);
    assert_int_equal(expression_parse(system, text, &expression, NULL), PORTOLAN_BAD_INPUT);
}

static void test_errors_point_at_the_place(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    static const struct {
        const char *text;
        unsigned line, column;
        const char *message, *hint;
    } cases[] = {
        {"", 1, 1, "expected a value, found the end of the input", NULL},
        {"x", 1, 1, "expected a boolean, found an integer", "x > 0"},
        {"x && true", 1, 1, "expected a boolean, found an integer", "comparison"},
        {"true && (x + 1)", 1, 9, "expected a boolean, found an integer", NULL},
        {"true + 1 = 2", 1, 1, "expected an integer, found a boolean", "arithmetic"},
        {"1 < x < 3", 1, 7, "comparisons do not chain", "a < b && b < c"},
        {"(1 < x) < 3", 1, 1, "expected an integer, found a boolean", "ordered"},
        {"x = true", 1, 5, "expected an integer, found a boolean", "<->"},
        {"!x = 2", 1, 2, "expected a boolean, found an integer", "binds tighter"},
        {"-true = 1", 1, 2, "expected an integer, found a boolean", "!"},
        {"x -> true", 1, 1, "expected a boolean, found an integer", NULL},
        {"x = 2\n  && yy = 3", 2, 6, "unknown variable 'yy'", "did you mean y?"},
        {"plac > 1", 1, 1, "unknown variable 'plac'", "quoted"},
        {"place1 > 1", 1, 1, "unknown variable 'place1'", "did you mean \"place 1\"?"},
        {"'deadlok' > 1", 1, 1, "unknown variable 'deadlok'", "did you mean \"deadlock\"?"},
        {"move = 1", 1, 1, "unknown variable 'move'", "fireable"},
        {"fireable(mvoe)", 1, 10, "unknown action 'mvoe'", "did you mean move?"},
        {"fireable(dec_x)", 1, 10, "unknown action 'dec_x'", "did you mean \"dec-x\"?"},
        {"fireable(x)", 1, 10, "unknown action 'x'", "variable"},
        {"fireable()", 1, 10, "expected the name of an action, found ')'", NULL},
        {"fireable(move", 1, 14, "expected ')', found the end of the input", NULL},
        {"fireable(move,)", 1, 15, "expected the name of an action", NULL},
        {"fireable = 1", 1, 10, "expected '(', found '='", "\"fireable\""},
        {"tokens(true) = 1", 1, 8, "expected the name of a variable, found 'true'", "\"true\""},
        {"tokens(x) ", 1, 1, "expected a boolean, found an integer", NULL},
        {"(x = 2", 1, 7, "expected ')', found the end of the input", NULL},
        {"x = 2)", 1, 6, "expected an operator, found ')'", NULL},
        {"x = 2 y = 3", 1, 7, "expected an operator, found 'y'", NULL},
        {"x = 2 'y'", 1, 7, "expected an operator, found 'y'", NULL},
        {"x = && 1", 1, 5, "expected a value, found '&&'", NULL},
        {"x = 2 & y = 3", 1, 7, "unexpected character '&'", NULL},
        {"x = \x01", 1, 5, "unexpected byte 0x01", NULL},
        {"\xc3\xa9 = 1", 1, 1, "unexpected byte 0xc3", NULL},
        {"x = 9223372036854775808", 1, 5, "larger than 9223372036854775807", NULL},
        {"x = 99999999999999999999999999", 1, 5, "larger than 9223372036854775807", NULL},
        {"x = 12ab", 1, 5, "'12ab' is neither", "\"12ab\""},
        {"'x = 2", 1, 1, "no closing '", NULL},
        {"\"x\n\" = 2", 1, 1, "no closing \"", NULL},
        {"'a\\q' = 2", 1, 3, "escape", "twice"},
        {"'a\\", 1, 3, "escape", NULL},
        {"x = 2 /* no end", 1, 7, "the comment has no end", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_error(&system, cases[i].text, cases[i].line, cases[i].column, cases[i].message, cases[i].hint);
}

static void test_the_error_shows_the_line(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    struct expression *expression;
    struct portolan_error error;
    assert_int_equal(expression_parse_named(&system, "props.txt", "x = 2 &&\r\n\tz = 3\r\n", &expression, &error),
                     PORTOLAN_BAD_INPUT);
    assert_string_equal(error.file, "props.txt");
    assert_string_equal(error.source, "\tz = 3");
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 2);
}

static void test_a_far_column_shows_no_wrong_caret(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    struct expression *expression;
    struct portolan_error error;
    char text[400];
    memset(text, ' ', sizeof text);
    strcpy(text + 300, "zz = 1");
    assert_int_equal(expression_parse(&system, text, &expression, &error), PORTOLAN_BAD_INPUT);
    assert_int_equal(error.column, 301);
    assert_string_equal(error.source, "");
}

static void test_deep_nesting_is_refused_not_fatal(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    enum { LENGTH = 200000 };
    static const char *const openings[] = {"(", "!", "-", "!(", "true->", "1+(2*("};
    char *text = calloc(LENGTH + 10, 1);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        size_t step = strlen(openings[i]);
        for (size_t at = 0; at < LENGTH; at += step)
            memcpy(text + at, openings[i], step);
        struct expression *expression;
        struct portolan_error error;
        assert_int_equal(expression_parse(&system, text, &expression, &error), PORTOLAN_BAD_INPUT);
        assert_string_equal(error.message, "this is nested too deeply (more than 1000 levels)");
    }
    free(text);
}

static void test_nesting_within_the_limit_and_long_chains(void **unused)
{
    (void)unused;
    enum { DEEP = 900, LONG = 50000 };
    struct portolan_system system = make_system();
    char *text = calloc(LONG * 12 + 100, 1);
    assert_non_null(text);
    memset(text, '(', DEEP);
    strcpy(text + DEEP, "x = 2");
    memset(text + strlen(text), ')', DEEP);
    assert_true(holds(text));
    char *end = text;
    for (int i = 0; i < DEEP / 2; i++)
        end += sprintf(end, "x+(");
    end += sprintf(end, "0");
    memset(end, ')', DEEP / 2);
    strcpy(end + DEEP / 2, " = 900");
    assert_true(holds(text));
    static const char *const joins[] = {"x != %d && ", "x != %d || ", "x != %d <-> "};
    for (size_t j = 0; j < 3; j++) {
        end = text;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        for (int i = 0; i < LONG; i++)
            end += sprintf(end, joins[j], i % 90 + 3);
#pragma GCC diagnostic pop
        strcpy(end, "y = -5");
        assert_true(holds_in(&system, text, some_state, false));
    }
    free(text);
}

/* ------------------------------------------------- systems that know less */

static void test_missing_names_are_tolerated(void **unused)
{
    (void)unused;
    struct portolan_system bare = {.actions = 2, .enabled = enabled};
    assert_error(&bare, "x = 1", 1, 1, "unknown variable 'x'", "no named variables");
    assert_error(&bare, "fireable(t)", 1, 10, "unknown action 't'", "no named actions");
    assert_true(holds_in(&bare, "1 < 2", some_state, false));

    struct portolan_system no_find = make_system();
    no_find.find_variable = NULL;
    no_find.find_action = NULL;
    assert_true(holds_in(&no_find, "x = 2 && fireable(move)", some_state, false));
    assert_error(&no_find, "'plac 1' = 1", 1, 1, "unknown variable", "did you mean \"place 1\"?");

    struct portolan_system no_list = make_system();
    no_list.variable_name = NULL;
    no_list.action_name = NULL;
    assert_true(holds_in(&no_list, "x = 2 && fireable(move)", some_state, false));
    assert_error(&no_list, "xy = 1", 1, 1, "unknown variable 'xy'", "quoted");

    struct portolan_system no_value = make_system();
    no_value.value = NULL;
    assert_error(&no_value, "x = 1", 1, 1, "unknown variable 'x'", "no named variables");
}

/* -------------------------------------------------------------- visibility */

static void assert_visible(const struct portolan_system *system, const char *text, const char *expected)
{
    bool visible[ACTIONS] = {false};
    struct expression *expression = parse(system, text);
    expression_mark_visible(expression, system, visible);
    expression_free(expression);
    for (uint32_t a = 0; a < ACTIONS; a++)
        if (visible[a] != (expected[a] == '1'))
            fail_msg("%s: visibility of %s", text, action_names[a]);
}

static void test_visible_are_those_that_may_change_it(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    assert_visible(&system, "x = 1", "1110");
    assert_visible(&system, "y = 1", "0010");
    assert_visible(&system, "'place 1' = 1", "0000");
    assert_visible(&system, "tokens(y, 'place 1') = 1", "0010");
    assert_visible(&system, "fireable(inc.x)", "1110");
    assert_visible(&system, "fireable(idle)", "0010");
    assert_visible(&system, "fireable(move)", "1110");
    assert_visible(&system, "deadlock", "0000");
    assert_visible(&system, "true", "0000");
    assert_visible(&system, "x = 1 && false || y = 1", "0010");

    system.changers.offset = NULL;
    assert_visible(&system, "y = 1", "1111");
    assert_visible(&system, "fireable(idle)", "0010");
    assert_visible(&system, "deadlock", "0000");
    system = make_system();
    system.relations = NULL;
    assert_visible(&system, "fireable(idle)", "1111");
    assert_visible(&system, "y = 1", "0010");
}

/* -------------------------------------------------------- deadlock analyses */

static void assert_deadlock(const char *const *texts, size_t count, bool mentions, bool only_in, bool only_fails_in)
{
    struct portolan_system system = make_system();
    for (size_t i = 0; i < count; i++) {
        struct expression *expression = parse(&system, texts[i]);
        if (expression_mentions_deadlock(expression) != mentions ||
            expression_only_in_deadlocks(expression) != only_in ||
            expression_only_fails_in_deadlocks(expression) != only_fails_in)
            fail_msg("%s", texts[i]);
        expression_free(expression);
    }
}

static void test_deadlock_analyses(void **unused)
{
    (void)unused;
    static const char *const only_in[] = {"deadlock",
                                          "deadlock && x > 3",
                                          "x > 3 && deadlock",
                                          "x > 3 && (y = 1 && deadlock)",
                                          "deadlock && true",
                                          "deadlock && x = 1 || y = 2 && deadlock",
                                          "!(deadlock -> x = 1)",
                                          "deadlock <-> !deadlock"};
    static const char *const only_fails_in[] = {"!deadlock",          "!deadlock || x = 1",
                                                "deadlock -> x = 1",  "x > 0 -> !deadlock",
                                                "deadlock <-> false", "false <-> deadlock && x = 1"};
    static const char *const neither[] = {"deadlock || x = 1", "deadlock && x = 1 || x = 2", "deadlock <-> x = 1",
                                          "x = 1 -> deadlock"};
    static const char *const never_true[] = {"false", "deadlock && false", "false && (x = 1 || deadlock)"};
    static const char *const always_true[] = {"true", "true || deadlock", "x = 1 || true"};
    static const char *const plain[] = {"x = 1", "fireable(move)", "(deadlock && false) || x = 1"};
    assert_deadlock(only_in, sizeof only_in / sizeof *only_in, true, true, false);
    assert_deadlock(only_fails_in, sizeof only_fails_in / sizeof *only_fails_in, true, false, true);
    assert_deadlock(neither, sizeof neither / sizeof *neither, true, false, false);
    assert_deadlock(never_true, sizeof never_true / sizeof *never_true, false, true, false);
    assert_deadlock(always_true, sizeof always_true / sizeof *always_true, false, false, true);
    assert_deadlock(plain, sizeof plain / sizeof *plain, false, false, false);
}

/* ------------------------------------------------- against a naive evaluator */

/* A random tree, printed with only the parentheses it needs, and evaluated as the documentation says. */
struct tree {
    const struct form *form;
    struct tree *left, *right;
    int64_t number; /* of a leaf: a constant, a variable or an action */
};

struct form {
    char code;
    const char *text;
    int precedence; /* as in the documentation; the higher binds the tighter */
};

enum { UNARY = 8, LEAF = 9 };

static const struct form integer_forms[] = {{'+', "+", 6}, {'-', "-", 6}, {'*', "*", 7}, {'/', "/", 7}, {'%', "%", 7}};
static const struct form comparison_forms[] = {{'=', "=", 5},  {'#', "!=", 5}, {'<', "<", 5},
                                               {'l', "<=", 5}, {'>', ">", 5},  {'g', ">=", 5}};
static const struct form boolean_forms[] = {{'&', "&&", 4}, {'|', "or", 3}, {'i', "->", 2}, {'e', "<->", 1}};
static const struct form negate = {'n', "-", UNARY}, not = {'!', "!", UNARY}, constant = {'c', "", LEAF},
                         variable = {'v', "", LEAF}, boolean = {'c', "", LEAF}, fireable = {'f', "", LEAF},
                         deadlock = {'d', "", LEAF};

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % limit;
}

static struct tree *new_tree(const struct form *form, struct tree *left, struct tree *right, int64_t number)
{
    struct tree *tree = calloc(1, sizeof *tree);
    assert_non_null(tree);
    *tree = (struct tree){form, left, right, number};
    return tree;
}

static void free_tree(struct tree *tree)
{
    if (!tree)
        return;
    free_tree(tree->left);
    free_tree(tree->right);
    free(tree);
}

static struct tree *random_integer(unsigned depth)
{
    static const int64_t constants[] = {0, 1, 2, 3, 7, INT64_MAX, INT64_MAX - 1, 3037000500, 5};
    if (!depth || random_below(4) == 0)
        return random_below(2) ? new_tree(&constant, NULL, NULL, constants[random_below(9)])
                               : new_tree(&variable, NULL, NULL, random_below(VARIABLES));
    if (random_below(6) == 0)
        return new_tree(&negate, random_integer(depth - 1), NULL, 0);
    struct tree *left = random_integer(depth - 1);
    return new_tree(&integer_forms[random_below(5)], left, random_integer(depth - 1), 0);
}

static struct tree *random_boolean(unsigned depth, bool with_deadlock)
{
    uint32_t choice = random_below(depth ? 12 : 4);
    if (choice == 0)
        return new_tree(&boolean, NULL, NULL, random_below(2));
    if (choice == 1)
        return new_tree(&fireable, NULL, NULL, random_below(ACTIONS));
    if (choice == 2 && with_deadlock)
        return new_tree(&deadlock, NULL, NULL, 0);
    if (choice <= 5) {
        struct tree *left = random_integer(depth < 2 ? depth : 2);
        return new_tree(&comparison_forms[random_below(6)], left, random_integer(depth < 2 ? depth : 2), 0);
    }
    if (choice == 6)
        return new_tree(&not, random_boolean(depth - 1, with_deadlock), NULL, 0);
    struct tree *left = random_boolean(depth - 1, with_deadlock);
    return new_tree(&boolean_forms[random_below(4)], left, random_boolean(depth - 1, with_deadlock), 0);
}

static void print_leaf(const struct tree *tree, FILE *out)
{
    if (tree->form == &constant)
        fprintf(out, "%lld", (long long)tree->number);
    else if (tree->form == &variable)
        fprintf(out, "\"%s\"", variable_names[tree->number]);
    else if (tree->form == &boolean)
        fprintf(out, "%s", tree->number ? "true" : "false");
    else if (tree->form == &fireable)
        fprintf(out, "fireable('%s')", action_names[tree->number]);
    else
        fprintf(out, "deadlock");
}

static void print_tree(const struct tree *tree, int minimum, FILE *out)
{
    int precedence = tree->form->precedence;
    bool groups_right = tree->form->code == 'i';
    fprintf(out, "%s", precedence < minimum ? "(" : "");
    if (precedence == LEAF) {
        print_leaf(tree, out);
    } else if (precedence == UNARY) {
        fprintf(out, "%s", tree->form->text);
        print_tree(tree->left, UNARY, out);
    } else {
        print_tree(tree->left, precedence + groups_right, out);
        fprintf(out, " %s ", tree->form->text);
        print_tree(tree->right, precedence + !groups_right, out);
    }
    fprintf(out, "%s", precedence < minimum ? ")" : "");
}

/* Set when the naive evaluator meets something without a value. */
static bool naive_failed;

static int64_t fit(__int128 wide)
{
    naive_failed |= wide > INT64_MAX || wide < INT64_MIN;
    return (int64_t)wide;
}

static bool is_zero(__int128 divisor)
{
    naive_failed |= divisor == 0;
    return divisor == 0;
}

static bool naive_fireable(int64_t action, const int64_t *state)
{
    uint32_t out[ACTIONS], count = enabled(NULL, state, out);
    for (uint32_t i = 0; i < count; i++)
        if (out[i] == action)
            return true;
    return false;
}

static int64_t naive(const struct tree *tree, const int64_t *state, bool is_deadlock)
{
    char code = tree->form->code;
    __int128 a = tree->left ? naive(tree->left, state, is_deadlock) : 0;
    if (naive_failed || (code == '&' && !a) || (code == '|' && a) || (code == 'i' && !a))
        return code == '|' || code == 'i';
    __int128 b = tree->right ? naive(tree->right, state, is_deadlock) : 0;
    switch (tree->form->code) {
    case 'c': return tree->number;
    case 'v': return state[tree->number];
    case 'f': return naive_fireable(tree->number, state);
    case 'd': return is_deadlock;
    case 'n': return fit(-a);
    case '!': return !a;
    case '+': return fit(a + b);
    case '-': return fit(a - b);
    case '*': return fit(a * b);
    case '/': return is_zero(b) ? 0 : fit(a / b);
    case '%': return is_zero(b) ? 0 : (int64_t)(a % b);
    case '=': return a == b;
    case '#': return a != b;
    case '<': return a < b;
    case 'l': return a <= b;
    case '>': return a > b;
    case 'g': return a >= b;
    case '&': return a && b;
    case '|': return a || b;
    case 'i': return !a || b;
    default: return a == b; /* <-> */
    }
}

static void random_fill(int64_t *state)
{
    static const int64_t values[] = {-1, 0, 1, 2, 3, INT64_MAX, INT64_MIN, 4000000000};
    for (int i = 0; i < VARIABLES; i++)
        state[i] = values[random_below(random_below(4) ? 5 : 8)];
}

static struct expression *parse_tree(const struct portolan_system *system, const struct tree *tree, char **text)
{
    size_t length;
    FILE *out = open_memstream(text, &length);
    assert_non_null(out);
    print_tree(tree, 0, out);
    fclose(out);
    return parse(system, *text);
}

static uint32_t distance_in(struct expression *expression, enum portolan_kind kind,
                            const struct portolan_system *system, const int64_t *state, uint32_t enabled_count)
{
    struct portolan_property asked = {.kind = kind, .expression = expression};
    struct distance *scratch = distance_make(&asked);
    assert_non_null(scratch);
    uint32_t distance = property_distance(&asked, scratch, system, state, enabled_count);
    free(scratch);
    return distance;
}

static void test_random_trees_agree_with_a_naive_evaluator(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    uint32_t without_value = 0;
    for (int round = 0; round < 20000; round++) {
        system.relations = random_below(2) ? &relations : NULL;
        struct tree *tree = random_boolean(random_below(7), true);
        char *text;
        struct expression *expression = parse_tree(&system, tree, &text);
        for (int i = 0; i < 8; i++) {
            int64_t state[VARIABLES];
            random_fill(state);
            bool is_deadlock = i % 2;
            naive_failed = false;
            bool expected = naive(tree, state, is_deadlock) && !naive_failed;
            enum expression_value wanted = naive_failed ? EXPRESSION_NO_VALUE
                                           : expected   ? EXPRESSION_TRUE
                                                        : EXPRESSION_FALSE;
            without_value += naive_failed;
            if (expression_value(expression, &system, state, is_deadlock) != wanted)
                fail_msg("%s: not %d", text, wanted);
            if (!is_deadlock && ((expression_only_in_deadlocks(expression) && expected) ||
                                 (expression_only_fails_in_deadlocks(expression) && !expected)))
                fail_msg("%s: wrong about deadlocks", text);
            if (!naive_failed &&
                ((distance_in(expression, PORTOLAN_REACH, &system, state, !is_deadlock) == 0) != expected ||
                 (distance_in(expression, PORTOLAN_INVARIANT, &system, state, !is_deadlock) == 0) == expected))
                fail_msg("%s: wrong about the distance", text);
        }
        expression_free(expression);
        free(text);
        free_tree(tree);
    }
    assert_true(without_value > 1000);
}

static void test_distances(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t to_true, to_false;
    } cases[] = {
        /* x is 2, y is -5, "place 1" is 7 */
        {"x == 2", 0, 1},
        {"x == 9", 7, 0},
        {"y > 0", 6, 0},
        {"y >= 0", 5, 0},
        {"x < 1", 2, 0},
        {"x <= 1", 1, 0},
        {"x != 2", 1, 0},
        {"x + 3 * y > 1", 15, 0},
        {"x > 5 && y > 0", 10, 0},
        {"x > 5 || y > 0", 4, 0},
        {"x == 2 && y == -5", 0, 1},
        {"x == 2 || y == -5", 0, 2},
        {"x == 2 -> y > 0", 1, 0},
        {"x > 5 <-> y == -5", 1, 0},
        {"!(x > 5)", 0, 4},
        {"-x > 0", 3, 0},
        {"fireable(inc.x)", 0, 1},
        {"x == 9223372036854775807", FARTHEST, 0},
        {"y == 9223372036854775807", FARTHEST, 0},
        {"deadlock", 3, 0},
    };
    struct portolan_system system = make_system();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct expression *expression = parse(&system, cases[i].text);
        uint32_t to_true = distance_in(expression, PORTOLAN_REACH, &system, some_state, 3);
        uint32_t to_false = distance_in(expression, PORTOLAN_INVARIANT, &system, some_state, 3);
        if (to_true != cases[i].to_true || to_false != cases[i].to_false)
            fail_msg("'%s': %u and %u", cases[i].text, to_true, to_false);
        expression_free(expression);
    }
}

static void test_invisible_actions_never_change_the_value(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    uint32_t invisible = 0;
    for (int round = 0; round < 20000; round++) {
        bool visible[ACTIONS] = {false};
        struct tree *tree = random_boolean(random_below(4), false);
        char *text;
        struct expression *expression = parse_tree(&system, tree, &text);
        expression_mark_visible(expression, &system, visible);
        int64_t state[VARIABLES] = {random_below(4), random_below(3), random_below(9), random_below(2)};
        int64_t successor[VARIABLES];
        for (uint32_t a = 0; a < ACTIONS; a++) {
            if (visible[a] || !naive_fireable(a, state))
                continue;
            invisible++;
            fire(NULL, state, a, successor);
            if (expression_holds(expression, &system, state, false) !=
                expression_holds(expression, &system, successor, false))
                fail_msg("%s: %s changes it", text, action_names[a]);
        }
        expression_free(expression);
        free(text);
        free_tree(tree);
    }
    assert_true(invisible > 1000);
}

/* -------------------------------------------------------------- properties */

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
        cmocka_unit_test(test_values_of_variables_and_constants),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_precedence_and_grouping),
        cmocka_unit_test(test_words_mean_what_symbols_mean),
        cmocka_unit_test(test_arithmetic_is_that_of_64_bits),
        cmocka_unit_test(test_what_has_no_value_is_not_true),
        cmocka_unit_test(test_comments_and_spaces),
        cmocka_unit_test(test_fireable_with_and_without_relations),
        cmocka_unit_test(test_deadlock_is_what_the_caller_says),
        cmocka_unit_test(test_the_right_operand_is_skipped),
        cmocka_unit_test(test_errors_point_at_the_place),
        cmocka_unit_test(test_the_error_shows_the_line),
        cmocka_unit_test(test_a_far_column_shows_no_wrong_caret),
        cmocka_unit_test(test_deep_nesting_is_refused_not_fatal),
        cmocka_unit_test(test_nesting_within_the_limit_and_long_chains),
        cmocka_unit_test(test_missing_names_are_tolerated),
        cmocka_unit_test(test_visible_are_those_that_may_change_it),
        cmocka_unit_test(test_deadlock_analyses),
        cmocka_unit_test(test_random_trees_agree_with_a_naive_evaluator),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_invisible_actions_never_change_the_value),
        cmocka_unit_test(test_property_text),
        cmocka_unit_test(test_property_errors),
        cmocka_unit_test(test_deciding_states),
        cmocka_unit_test(test_what_a_reduction_must_keep),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
