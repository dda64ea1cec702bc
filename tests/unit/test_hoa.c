/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing the HOA format. */
#include "unit/ltl_random.h"

static struct automaton *read_text(const char *text)
{
    struct automaton *automaton = NULL;
    struct portolan_error error = {0};
    if (automaton_read_hoa("a.hoa", text, strlen(text), &automaton, &error) != PORTOLAN_OK)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    return automaton;
}

static void expect_same(const struct automaton *one, const struct automaton *other)
{
    assert_int_equal(one->states, other->states);
    assert_int_equal(one->initial, other->initial);
    assert_int_equal(one->sets, other->sets);
    assert_int_equal(one->strength, other->strength);
    assert_int_equal(one->atom_count, other->atom_count);
    for (uint32_t i = 0; i < one->atom_count; i++)
        assert_string_equal(one->atoms[i], other->atoms[i]);
    uint32_t count = one->first[one->states];
    assert_int_equal(count, other->first[other->states]);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(one->edges[i].source, other->edges[i].source);
        assert_int_equal(one->edges[i].target, other->edges[i].target);
        assert_int_equal(one->edges[i].positive, other->edges[i].positive);
        assert_int_equal(one->edges[i].negative, other->edges[i].negative);
        assert_int_equal(one->edges[i].acceptance, other->edges[i].acceptance);
    }
}

static void what_is_written_reads_back(void **state)
{
    uint64_t seed = 8;
    (void)state;
    for (int n = 0; n < 400; n++) {
        struct ltl ltl;
        struct automaton *automaton;
        char *text = NULL;
        size_t size = 0;
        ltl_with_atoms(&ltl, 3);
        uint32_t formula = random_formula(&ltl, &seed, 3, random_below(&seed, 9));
        struct automaton_options options = {.unreduced = n % 2, .degeneralise = n % 3 == 0};
        assert_int_equal(automaton_of_formula(&ltl, formula, &options, &automaton, NULL), PORTOLAN_OK);
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        automaton_write_hoa(automaton, n % 5 ? "a \"name\"" : NULL, out);
        fclose(out);
        struct automaton *again = read_text(text);
        expect_same(automaton, again);
        automaton_free(again);
        automaton_free(automaton);
        free(text);
        ltl_clear(&ltl);
    }
}

/* G F a in several ways: all accept the same words. */
static void many_ways_to_say_the_same(void **state)
{
    static const char *const texts[] = {
        /* acceptance on transitions */
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--",
        /* on states */
        "HOA: v1\nStart: 1 States: 2\nAP: 1 \"a\" acc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: state-acc x-y\n"
        "--BODY--\nState: 0 {0} [0] 0 [!0] 1\nState: 1 \"name\" [0] 0 [!0] 1\n--END--\n",
        /* implicit labels; an unused acceptance set; a tool of lower case */
        "HOA: v1 tool: \"x\" \"1.0\" States: 1 Start: 0 AP: 1 \"a\" Acceptance: 2 (Inf(1)) & t\n"
        "--BODY-- State: 0 0 {0} 0 {1 0} --END--",
        /* labels on states, aliases, no number of states; two initial states */
        "HOA: v1 Start: 0 Start: 1 AP: 2 \"a\" \"b\" Alias: @yes 0 Alias: @no !@yes Acceptance: 1 Inf(0) --BODY--\n"
        "State: [@yes & t | f] 0 {0} 0 1 State: [@no] 1 0 1 --END--",
        /* comments and a label that has to be worked out: !(!0 & (1 | !1)) is 0 */
        "HOA: v1 /* all\nof it */ States: 1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--\n"
        "State: 0 [!(!0 & (1 | !1))] 0 {0} [t] 0 --END--",
    };
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct automaton *automaton = read_text(texts[i]);
        assert_int_equal(automaton->sets, 1);
        assert_string_equal(automaton->atoms[0], "a");
        for (int n = 0; n < 100; n++) {
            struct lasso_word word = random_lasso(&seed, 2);
            bool expected = false;
            for (size_t p = word.loop; p < word.length; p++)
                expected |= word.letters[p] & 1;
            if (accepts(automaton, &word) != expected)
                fail_msg("way %zu", i);
        }
        automaton_free(automaton);
    }
}

static void implicit_labels_are_one_letter_each(void **state)
{
    /* F(!a && b): of the four letters, the third */
    struct automaton *automaton =
        read_text("HOA: v1 States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--\n"
                  "State: 0 0 0 1 0 State: 1 {0} 1 1 1 1 --END--");
    uint64_t seed = 4;
    (void)state;
    for (int n = 0; n < 100; n++) {
        struct lasso_word word = random_lasso(&seed, 2);
        bool expected = false;
        for (size_t p = 0; p < word.length; p++)
            expected |= word.letters[p] == 2;
        assert_int_equal(accepts(automaton, &word), expected);
    }
    automaton_free(automaton);
}

static void without_an_initial_state_nothing_is_accepted(void **state)
{
    bool empty;
    (void)state;
    struct automaton *automaton = read_text("HOA: v1 States: 1 AP: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--");
    assert_true(automaton_is_empty(automaton, &empty));
    assert_true(empty);
    automaton_free(automaton);
}

static void errors_point_at_the_place(void **state)
{
    static const struct {
        const char *text;
        unsigned line, column;
        const char *message;
    } wrong[] = {
        {"", 1, 1, "expected 'HOA:', found the end of the input"},
        {"HOA: v2", 1, 6, "expected version 'v1', found 'v2'"},
        {"HOA: v1\n--BODY--", 2, 1, "there is no 'Acceptance:' header"},
        {"HOA: v1\nAcceptance: 2 Fin(0)", 2, 15,
         "only Büchi and generalised Büchi acceptance is read: Inf(0)&Inf(1)&..."},
        {"HOA: v1 Acceptance: 2 Inf(0)|Inf(1)", 1, 29,
         "only Büchi and generalised Büchi acceptance is read: Inf(0)&Inf(1)&..."},
        {"HOA: v1 Acceptance: 1 Inf(!0)", 1, 27,
         "only Büchi and generalised Büchi acceptance is read: Inf(0)&Inf(1)&..."},
        {"HOA: v1 Acceptance: 1 Inf(1)", 1, 27, "an acceptance set is too large here: 1"},
        {"HOA: v1 Start: 0&1", 1, 16, "alternating automata are not read"},
        {"HOA: v1 Start: 4 States: 3", 1, 26, "an initial state is not below this number"},
        {"HOA: v1 AP: 2 \"a\" \"a\"", 1, 19, "the atomic proposition is listed twice"},
        {"HOA: v1 AP: 65", 1, 13, "the number of atomic propositions is too large here: 65"},
        {"HOA: v1 Strange: 3", 1, 16, "the header 'Strange:' is not known"},
        {"HOA: v1 Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--", 1, 44,
         "the number of an atomic proposition is too large here: 0"},
        {"HOA: v1 Acceptance: 0 t --BODY-- State: 0 State: 0 --END--", 1, 43, "the state is described twice"},
        {"HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 0 --END--", 1, 44,
         "the state has edges without a label, and not one for each letter"},
        {"HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0 State: [t] 1 [t] 0 --END--", 1, 62,
         "the state has a label, so its edges have none"},
        {"HOA: v1 Acceptance: 0 t --BODY-- State: 0 [@x] 0", 1, 45, "the alias is not declared before its use"},
        {"HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t 0", 1, 46, "expected ']', found '0'"},
        {"HOA: v1 Acceptance: 0 t --BODY-- --ABORT--", 1, 34,
         "the automaton was given up by the program that wrote it"},
        {"HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0", 1, 48,
         "expected an edge, 'State:' or '--END--', found the end of the input"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct automaton *automaton;
        struct portolan_error error = {0};
        assert_int_equal(automaton_read_hoa("a.hoa", wrong[i].text, strlen(wrong[i].text), &automaton, &error),
                         PORTOLAN_BAD_INPUT);
        assert_null(automaton);
        assert_string_equal(error.message, wrong[i].message);
        assert_string_equal(error.file, "a.hoa");
        assert_int_equal(error.line, wrong[i].line);
        assert_int_equal(error.column, wrong[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(many_ways_to_say_the_same),
        cmocka_unit_test(implicit_labels_are_one_letter_each),
        cmocka_unit_test(without_an_initial_state_nothing_is_accepted),
        cmocka_unit_test(errors_point_at_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
