/* SPDX-License-Identifier: Apache-2.0 */
/* The language of formulas, the evaluator, and the sizes of automata of the usual formulas. */
#include "unit/ltl_formulas.h"
#include "unit/ltl_random.h"

static struct ltl ltl;

static int fresh(void **state)
{
    (void)state;
    return ltl_init(&ltl) ? 0 : -1;
}

static int clear(void **state)
{
    (void)state;
    ltl_clear(&ltl);
    return 0;
}

static uint32_t parsed(const struct portolan_system *system, const char *text)
{
    uint32_t formula = 0;
    struct portolan_error error = {0};
    if (ltl_parse(&ltl, system, "<formula>", text, &formula, &error) != PORTOLAN_OK)
        fail_msg("'%s': %s", text, error.message);
    return formula;
}

/* ------------------------------------------------------------------ parsing */

static void spellings_mean_the_same(void **state)
{
    static const char *const same[][6] = {
        {"G F a", "[]<>a", "GF a", "G<> a", "always eventually a", "[](<>(a))"},
        {"a U b", "a until b", "(a) U (b)", "a stronguntil b"},
        {"a R b", "a V b", "a release b"},
        {"a W b", "a weakuntil b"},
        {"!a && b", "~a & b", "not a and b", "!a /\\ b", "(!a) && (b)"},
        {"a || b && c", "a | b & c", "a \\/ b /\\ c", "a or b and c", "a || (b && c)"},
        {"a -> b -> c", "a => b => c", "a implies b implies c", "a -> (b -> c)"},
        {"a <-> b", "a <=> b", "a iff b", "a equivalent b"},
        {"a xor b", "a ^ b"},
        {"X a U b && c", "((X a) U b) && c", "next a U b && c"},
        {"a U b U c", "a U (b U c)"},
        {"a R b U c W d M a", "a R (b U (c W (d M a)))"},
        {"a -> b <-> c", "(a -> b) <-> c"},
        {"a || b xor c", "(a || b) xor c"},
        {"a xor b -> c", "(a xor b) -> c"},
        {"! a U b", "(!a) U b"},
        {"G a -> b", "(G a) -> b"},
        {"XXX a", "X X X a"},
        {"\"a\" && 'b'", "a && b"},
        {"true U a # comment", "true /* all */ U a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (size_t j = 1; j < 6 && same[i][j]; j++)
            if (parsed(NULL, same[i][j]) != parsed(NULL, same[i][0]))
                fail_msg("'%s' is not read as '%s'", same[i][j], same[i][0]);
}

static void written_formulas_read_back(void **state)
{
    static const char *const texts[] = {"(a U b) U c",
                                        "a U b U c",
                                        "!(a && b) || c -> d",
                                        "(a -> b) -> c",
                                        "G (a <-> X b)",
                                        "(a <-> b) <-> c",
                                        "!!a",
                                        "F \"G\"",
                                        "(a xor b) && c",
                                        "a && b && c || d",
                                        "(a R b) U (c M d)",
                                        "\"x y\" W \"q\\\"\""};
    uint64_t seed = 9;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t formula = parsed(NULL, texts[i]);
        assert_int_equal(parsed(NULL, text_of(&ltl, formula)), formula);
    }
    for (int i = 0; i < 600; i++) {
        uint32_t formula = random_formula(&ltl, &seed, 3, random_below(&seed, 15));
        char first[4096];
        snprintf(first, sizeof first, "%s", text_of(&ltl, formula));
        uint32_t again = parsed(NULL, first);
        assert_string_equal(text_of(&ltl, again), first);
        for (int word = 0; word < 3; word++) { /* && and || may group differently */
            struct lasso_word lasso = random_lasso(&seed, 3);
            assert_int_equal(truth(&ltl, formula, &lasso), truth(&ltl, again, &lasso));
        }
    }
}

static void errors_point_at_the_place(void **state)
{
    static const struct {
        const char *text;
        unsigned column;
        const char *message, *hint;
    } wrong[] = {
        {"", 1, "expected a formula, found the end of the input", ""},
        {"a U", 4, "expected a formula, found the end of the input", ""},
        {"a U R b", 5, "expected a formula, found 'R'", "a name that is an operator is quoted: \"R\""},
        {"(a && b", 8, "expected an operator or ')', found the end of the input", ""},
        {"a b", 3, "expected an operator, found 'b'", ""},
        {"a && 3", 6, "expected a formula, found '3'", ""},
        {"a ) b", 3, "expected an operator, found ')'", ""},
        {"G a $ b", 5, "unexpected character '$'", ""},
        {"<> = 3", 4, "expected a formula, found '='", ""},
        {"\"a", 1, "the quoted name has no closing \" on this line", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct portolan_error error = {0};
        uint32_t formula;
        assert_int_equal(ltl_parse(&ltl, NULL, "f", wrong[i].text, &formula, &error), PORTOLAN_BAD_INPUT);
        assert_string_equal(error.message, wrong[i].message);
        assert_string_equal(error.hint, wrong[i].hint);
        assert_int_equal(error.line, 1);
        assert_int_equal(error.column, wrong[i].column);
    }
}

static void limits_are_errors(void **state)
{
    struct portolan_error error = {0};
    uint32_t formula;
    char text[8192];
    (void)state;
    memset(text, '!', 5000);
    strcpy(text + 5000, "a");
    assert_int_equal(ltl_parse(&ltl, NULL, "f", text, &formula, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.message, "the formula is nested too deeply");
    memset(text, '(', 5000);
    assert_int_equal(ltl_parse(&ltl, NULL, "f", text, &formula, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.message, "the formula is nested too deeply");
    size_t used = 0;
    for (int i = 0; i < 65; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sx%d", i ? " && " : "", i);
    assert_int_equal(ltl_parse(&ltl, NULL, "f", text, &formula, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.message, "the formula has more than 64 different atomic propositions");
    assert_int_equal(error.column, used - 2);
}

static void atoms_are_expressions_of_the_model(void **state)
{
    struct portolan_system *system = system_of_family("token-ring", 3);
    uint64_t *bytes = calloc(1, system->state_bytes);
    (void)state;
    uint32_t one = parsed(system, "critical_1 <= 1 U critical_2 > 2");
    assert_int_equal(ltl.nodes.item[one].operation, LTL_UNTIL);
    assert_int_equal(ltl.atoms.count, 2);
    assert_string_equal(ltl.atoms.item[0].text, "critical_1 <= 1");
    assert_int_equal(parsed(system, "critical_1<=1 until (critical_2>2)"), one);
    uint32_t two = parsed(system, "G((critical_1 + critical_2) * 2 < 3 && !(deadlock || 1 = critical_3))");
    assert_string_equal(text_of(&ltl, two), "G ((critical_1 + critical_2) * 2 < 3 && !(deadlock || 1 = critical_3))");
    assert_int_equal(parsed(system, text_of(&ltl, two)), two);
    uint32_t three = parsed(system, "!critical_1 = 0 -> GF tokens(critical_1,critical_2) >= 1");
    assert_string_equal(text_of(&ltl, three), "!(critical_1 = 0) -> G F (tokens(critical_1, critical_2) >= 1)");
    system->initial(system->model, bytes);
    assert_int_equal(ltl_valuation(&ltl, system, bytes, false, NULL),
                     1 | 4 | 32); /* the others need a token, or a deadlock */
    assert_int_equal(ltl_valuation(&ltl, system, bytes, true, NULL), 1 | 4 | 8 | 32);
    struct portolan_error error = {0};
    uint32_t formula;
    assert_int_equal(ltl_parse(&ltl, system, "f", "G (critcal_1 = 0)", &formula, &error), PORTOLAN_BAD_INPUT);
    assert_int_equal(error.column, 4);
    assert_string_equal(error.hint, "did you mean critical_1?");
    assert_int_equal(ltl_parse(&ltl, system, "f", "critical_1 U true", &formula, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.message, "expected a boolean, found an integer");
    free(bytes);
    ltl_clear(&ltl); /* its expressions belong to the system */
    portolan_system_free(system);
    assert_true(ltl_init(&ltl));
}

/* --------------------------------------------------------------- evaluation */

static void truth_on_words_is_as_defined(void **state)
{
    static const struct {
        const char *formula, *prefix, *cycle; /* one letter each: . nothing, a, b, * both */
        bool holds;
    } cases[] = {
        {"a U b", "aa", "b", true},        {"a U b", "aa", "a", false},       {"a U b", "", ".", false},
        {"a U b", "", "b.", true},         {"a W b", "aa", "a", true},        {"a W b", "a.", "b", false},
        {"b R a", "aa", "a", true},        {"b R a", "a*", ".", true},        {"b R a", "ab", "*", false},
        {"b M a", "aa", "a", false},       {"b M a", "a*", ".", true},        {"X a", ".", "a", true},
        {"X a", "", "a.", false},          {"X a", "", ".a", true},           {"GF a", "", ".a", true},
        {"GF a", "a", ".", false},         {"FG a", "..", "a", true},         {"FG a", "", "a.", false},
        {"G(a -> F b)", "ab", "a", false}, {"G(a -> F b)", "", "ab", true},   {"a xor b", "*", ".", false},
        {"a <-> b", "*", ".", true},       {"a -> b", "a", ".", false},       {"F(a && X a)", "", "a.", false},
        {"F(a && X a)", "a", "a..", true}, {"F(a && X a)", "", "a..a", true},
    };
    (void)state;
    parsed(NULL, "a && b"); /* atoms 0 and 1 */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lasso_word word = {.loop = strlen(cases[i].prefix)};
        char letters[32];
        snprintf(letters, sizeof letters, "%s%s", cases[i].prefix, cases[i].cycle);
        for (; letters[word.length]; word.length++)
            word.letters[word.length] = (uint64_t)(strchr(".ab*", letters[word.length]) - ".ab*" + 0) % 4;
        if (truth(&ltl, parsed(NULL, cases[i].formula), &word) != cases[i].holds)
            fail_msg("'%s' on %s(%s)", cases[i].formula, cases[i].prefix, cases[i].cycle);
    }
}

/* -------------------------------------------------------------------- sizes */

static unsigned size_of(uint32_t formula, bool negated, bool degeneralise)
{
    struct automaton_options options = {.negated = negated, .degeneralise = degeneralise};
    struct automaton *automaton;
    assert_int_equal(automaton_of_formula(&ltl, formula, &options, &automaton, NULL), PORTOLAN_OK);
    unsigned states = automaton->states;
    automaton_free(automaton);
    return states;
}

static void automata_are_as_small_as_published_ones(void **state)
{
    unsigned ours[2] = {0}, published[2] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof known_formulas / sizeof *known_formulas; i++) {
        const struct known_formula *known = &known_formulas[i];
        uint32_t formula = parsed(NULL, known->formula);
        for (int negated = 0; negated < 2; negated++)
            for (int kind = GENERALISED; kind <= BUCHI; kind++) {
                unsigned size = size_of(formula, negated, kind == BUCHI);
                unsigned ceiling =
                    known->known[negated][kind] ? known->known[negated][kind] : known->published[negated][kind];
                if (size > ceiling)
                    fail_msg("%s'%s': %u states, not %u", negated ? "!" : "", known->formula, size, ceiling);
                ours[kind] += size;
                published[kind] += known->published[negated][kind];
            }
        ltl_clear(&ltl);
        assert_true(ltl_init(&ltl));
    }
    for (int kind = GENERALISED; kind <= BUCHI; kind++)
        assert_true(ours[kind] * 20 <= published[kind] * 21);
}

static void kinds_of_formulas(void **state)
{
    static const struct {
        const char *formula;
        enum automaton_strength strength; /* of the negation */
        enum ltl_answer stutter, safety;
    } cases[] = {
        {"G a", AUTOMATON_TERMINAL, LTL_YES, LTL_YES},
        {"G(a -> X b)", AUTOMATON_TERMINAL, LTL_NO, LTL_YES},
        {"F a", AUTOMATON_WEAK, LTL_YES, LTL_NO},
        {"G(a -> F b)", AUTOMATON_WEAK, LTL_YES, LTL_NO},
        {"FG a", AUTOMATON_STRONG, LTL_YES, LTL_NO},
        {"GF a -> GF b", AUTOMATON_STRONG, LTL_YES, LTL_NO},
        {"a W b", AUTOMATON_TERMINAL, LTL_YES, LTL_YES},
        {"(a U b) || G a", AUTOMATON_TERMINAL, LTL_YES, LTL_YES}, /* safety, but not by its syntax */
        {"a && X(a W b)", AUTOMATON_TERMINAL, LTL_NO, LTL_YES},
        {"F(a && X(!a && b))", AUTOMATON_WEAK, LTL_YES, LTL_NO},
        {"F(a && X F b)", AUTOMATON_WEAK, LTL_NO, LTL_NO},
        {"G(a -> a U (b && X b)) && X true", AUTOMATON_WEAK, LTL_NO, LTL_NO},
        {"!a && F(!a && X a)", AUTOMATON_WEAK, LTL_YES, LTL_NO}, /* X, and yet invariant: !a && F a */
        {"true", AUTOMATON_TERMINAL, LTL_YES, LTL_YES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct automaton *automaton;
        enum ltl_answer answer;
        uint32_t formula = parsed(NULL, cases[i].formula);
        assert_int_equal(
            automaton_of_formula(&ltl, formula, &(struct automaton_options){.negated = true}, &automaton, NULL),
            PORTOLAN_OK);
        if (automaton->strength != cases[i].strength)
            fail_msg("'%s': strength %d", cases[i].formula, automaton->strength);
        automaton_free(automaton);
        assert_int_equal(ltl_stutter_invariant(&ltl, formula, &answer, NULL), PORTOLAN_OK);
        if (answer != cases[i].stutter)
            fail_msg("'%s': stutter invariance %d", cases[i].formula, answer);
        assert_int_equal(ltl_safety(&ltl, formula, &answer, NULL), PORTOLAN_OK);
        if (answer != cases[i].safety)
            fail_msg("'%s': safety %d", cases[i].formula, answer);
    }
}

static void what_is_too_large_is_an_error(void **state)
{
    struct automaton *automaton;
    struct portolan_error error = {0};
    char text[4096];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s(p%d U q%d)", i ? " && " : "", i % 30, i % 31);
    uint32_t formula = parsed(NULL, text);
    assert_int_equal(automaton_of_formula(&ltl, formula, &(struct automaton_options){0}, &automaton, &error),
                     PORTOLAN_OVERFLOW);
    assert_null(automaton);
    assert_string_equal(error.message, "the automaton of the formula would be too large");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(spellings_mean_the_same),
        TEST(written_formulas_read_back),
        TEST(errors_point_at_the_place),
        TEST(limits_are_errors),
        TEST(atoms_are_expressions_of_the_model),
        TEST(truth_on_words_is_as_defined),
        TEST(automata_are_as_small_as_published_ones),
        TEST(kinds_of_formulas),
        TEST(what_is_too_large_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
