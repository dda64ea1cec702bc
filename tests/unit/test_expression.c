/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions, on a small system of bounded counters. */
#include "counters.h"

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
        {"'a\\q' = 2", 1, 3, "escape", "for a backslash"},
        {"'a\\", 1, 3, "escape", NULL},
        {"x = 2 /* no end", 1, 7, "the comment is not closed", NULL},
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
