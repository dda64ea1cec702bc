/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random formulas on random words: the evaluator on lassos, which shares nothing with the translation, against
 * the rewritten formula and against the automaton after each step; then stutter invariance and safety against
 * what words show.
 */
#include "unit/ltl_random.h"

enum { ATOMS = 3, FORMULAS = 500, WORDS = 8, LARGEST = 8 };

struct case_of {
    struct ltl ltl;
    uint32_t formula;
    struct lasso_word words[WORDS];
    bool truths[WORDS];
};

static void make_case(struct case_of *c, uint64_t *seed)
{
    ltl_with_atoms(&c->ltl, ATOMS);
    c->formula = random_formula(&c->ltl, seed, ATOMS, random_below(seed, LARGEST + 1));
    for (size_t i = 0; i < WORDS; i++) {
        c->words[i] = random_lasso(seed, ATOMS);
        c->truths[i] = truth(&c->ltl, c->formula, &c->words[i]);
    }
}

static void expect_formula(const struct case_of *c, uint32_t formula, bool negated, const char *step)
{
    for (size_t i = 0; i < WORDS; i++)
        if (truth(&c->ltl, formula, &c->words[i]) != (c->truths[i] != negated)) {
            print_error("%s\n", text_of(&c->ltl, formula));
            fail_msg("%s changes '%s'", step, text_of(&c->ltl, c->formula));
        }
}

static void expect_automaton(const struct case_of *c, const struct automaton *automaton, bool negated, const char *step)
{
    for (size_t i = 0; i < WORDS; i++)
        if (accepts(automaton, &c->words[i]) != (c->truths[i] != negated)) {
            automaton_write_hoa(automaton, step, stderr);
            fail_msg("the automaton of '%s' is wrong: %s", text_of(&c->ltl, c->formula), step);
        }
}

static struct automaton *translated(struct case_of *c, struct automaton_options options)
{
    struct automaton *automaton;
    assert_int_equal(automaton_of_formula(&c->ltl, c->formula, &options, &automaton, NULL), PORTOLAN_OK);
    return automaton;
}

static void rewriting_keeps_the_truth(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int n = 0; n < 4 * FORMULAS; n++) {
        struct case_of c;
        make_case(&c, &seed);
        for (int negated = 0; negated < 2; negated++) {
            uint32_t normal = ltl_normal_form(&c.ltl, c.formula, negated);
            expect_formula(&c, normal, negated, "the normal form");
            uint32_t simple = ltl_simplify(&c.ltl, normal);
            expect_formula(&c, simple, negated, "simplification");
            expect_formula(&c, ltl_group(&c.ltl, simple), negated, "grouping");
        }
        assert_false(c.ltl.failed);
        ltl_clear(&c.ltl);
    }
}

/* A formula for each rule, at which random ones rarely arrive; their negations are for the dual rules. */
static void each_rule_keeps_the_truth(void **state)
{
    static const char *const formulas[] = {
        "(a U c) && (b U c)",
        "(a U b) || (a U c)",
        "(a W c) && (b W c)",
        "(a W b) || (a W c)",
        "G a && G b",
        "F a || F b",
        "GF a || GF b",
        "X a && X b",
        "a && X G a",
        "X G a && a && b",
        "a || X F a",
        "X(a && GF b)",
        "X(a || GF b)",
        "X GF a",
        "F F a",
        "F(a || F b)",
        "F(a || G b)",
        "F(a && GF b)",
        "F X a",
        "F(a U b)",
        "F(a M b)",
        "F(a W b)",
        "F(a R b)",
        "GF(a && F b)",
        "GF(a && X F b)",
        "GF X a",
        "GF(a || X b)",
        "GF(a || G b)",
        "GF(a || X b || G c)",
        "G(a && X F b)",
        "a U F b",
        "a U G b",
        "G a U b",
        "F a U b",
        "a U (a || b)",
        "a U !a",
        "(a U b) U b",
        "a U (a U b)",
        "(a && b) U (a U c)",
        "a U (b && GF c)",
        "a U (b || GF c)",
        "(a || b) U b",
        "X a U X b",
        "X a U b",
        "a W F b",
        "a W G b",
        "G a W b",
        "F a W b",
        "X a W X b",
        "a W (a W b)",
        "a W (a || b)",
        "a W !a",
        "a U true",
        "a U false",
        "true U a",
        "false U a",
        "a W true",
        "a W false",
        "true W a",
        "false W a",
        "(a W b) W b",
        "(a && b) W (a W c)",
        "a U a",
        "a W a",
        "F a && GF b",
        "FG a && GF b",
        "F a || GF b",
        "FG a || GF b",
        "FG a || FG b || F c",
        "FG a && FG b && F c",
        "(FG a && GF b) || (FG c && GF a)",
        "F a || (b U F c)",
        "F a && F b && GF c",
        "a && (b || !a)",
        "(a U b) && !(a U b)",
        "(a U b) || !(a U b)",
        "a U b && F b",
        "G a && (b R a)",
        "G a || (a W b)",
    };
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        struct ltl ltl;
        uint32_t formula;
        ltl_with_atoms(&ltl, ATOMS);
        assert_int_equal(ltl_parse(&ltl, NULL, "rule", formulas[i], &formula, NULL), PORTOLAN_OK);
        for (int negated = 0; negated < 2; negated++) {
            uint32_t simple = ltl_simplify(&ltl, ltl_normal_form(&ltl, formula, negated));
            uint32_t grouped = ltl_group(&ltl, simple);
            for (int n = 0; n < 60; n++) {
                struct lasso_word word = random_lasso(&seed, ATOMS);
                bool expected = truth(&ltl, formula, &word) != (bool)negated;
                if (truth(&ltl, simple, &word) != expected || truth(&ltl, grouped, &word) != expected)
                    fail_msg("%s'%s' became '%s'", negated ? "!" : "", formulas[i], text_of(&ltl, grouped));
            }
        }
        ltl_clear(&ltl);
    }
}

static void eventualities_and_universalities_are_what_they_are_called(void **state)
{
    uint64_t seed = 12;
    (void)state;
    for (int n = 0; n < 10 * FORMULAS; n++) {
        struct ltl ltl;
        ltl_with_atoms(&ltl, 2);
        uint32_t formula = random_formula(&ltl, &seed, 2, random_below(&seed, 5));
        struct lasso_word word = random_lasso(&seed, 2), rest = word;
        if (word.loop == 0) /* one round, then the loop again */
            rest = (struct lasso_word){.length = 2 * word.length, .loop = word.length};
        for (size_t i = 0; i < rest.length; i++)
            rest.letters[i] = word.letters[i % word.length];
        word = rest;
        rest.length--;
        rest.loop--;
        memmove(rest.letters, rest.letters + 1, rest.length * sizeof *rest.letters);
        bool whole = truth(&ltl, formula, &word), suffix = truth(&ltl, formula, &rest);
        if ((ltl.nodes.item[formula].is_universal && whole && !suffix) ||
            (ltl.nodes.item[formula].is_eventual && suffix && !whole))
            fail_msg("'%s' is neither", text_of(&ltl, formula));
        ltl_clear(&ltl);
    }
}

static void implication_is_never_wrong(void **state)
{
    uint64_t seed = 5;
    uint32_t implied = 0;
    (void)state;
    for (int n = 0; n < 20 * FORMULAS; n++) {
        struct ltl ltl;
        ltl_with_atoms(&ltl, 2);
        uint32_t left = ltl_normal_form(&ltl, random_formula(&ltl, &seed, 2, random_below(&seed, 4)), false);
        uint32_t right = ltl_normal_form(&ltl, random_formula(&ltl, &seed, 2, random_below(&seed, 4)), false);
        bool claim = left != LTL_FALSE_NODE && right != LTL_TRUE_NODE && ltl_implies(&ltl, left, right);
        implied += claim;
        for (int i = 0; i < 2 * WORDS && claim; i++) {
            struct lasso_word word = random_lasso(&seed, 2);
            if (truth(&ltl, left, &word) && !truth(&ltl, right, &word)) {
                print_error("%s\n", text_of(&ltl, left));
                fail_msg("does not imply %s", text_of(&ltl, right));
            }
        }
        ltl_clear(&ltl);
    }
    assert_true(implied > FORMULAS);
}

static void each_step_keeps_the_language(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int n = 0; n < FORMULAS; n++) {
        struct case_of c;
        make_case(&c, &seed);
        bool negated = n % 2;
        struct automaton *automaton = translated(&c, (struct automaton_options){.negated = negated, .unreduced = true});
        expect_automaton(&c, automaton, negated, "translation");
        assert_true(automaton_prune(automaton));
        expect_automaton(&c, automaton, negated, "pruning");
        assert_true(automaton_simplify_acceptance(automaton));
        expect_automaton(&c, automaton, negated, "acceptance");
        assert_true(automaton_simulate(automaton, n % 3 == 0));
        expect_automaton(&c, automaton, negated, "the first simulation");
        assert_true(automaton_simulate(automaton, n % 3 != 0));
        expect_automaton(&c, automaton, negated, "the second simulation");
        assert_true(automaton_sharpen(automaton));
        expect_automaton(&c, automaton, negated, "sharpening");
        assert_true(automaton_degeneralise(automaton));
        assert_true(automaton->sets <= 1);
        expect_automaton(&c, automaton, negated, "degeneralisation");
        assert_true(automaton_reduce(automaton));
        expect_automaton(&c, automaton, negated, "reduction");
        automaton_free(automaton);
        ltl_clear(&c.ltl);
    }
}

/* A terminal automaton accepts whatever follows once an accepting component is reached; a weak one is not mixed. */
static void expect_strength(const struct automaton *automaton)
{
    struct components components;
    assert_true(components_find(automaton, &components));
    for (uint32_t i = 0; i < components.reached; i++) {
        uint32_t s = components.order[i];
        bool accepting = component_accepts(automaton, &components, components.of[s]);
        for (uint64_t letter = 0; letter < UINT64_C(1) << ATOMS; letter++) {
            bool goes_on = false;
            for_edges(edge, automaton, s)
            {
                bool inside = components.of[edge->target] == components.of[s];
                if (automaton->strength != AUTOMATON_STRONG && accepting && inside)
                    assert_int_equal(edge->acceptance, automaton_all_sets(automaton));
                goes_on |= automaton_edge_takes(edge, letter) &&
                           component_accepts(automaton, &components, components.of[edge->target]);
            }
            assert_true(automaton->strength != AUTOMATON_TERMINAL || !accepting || goes_on);
        }
    }
    components_clear(&components);
}

static void formula_and_negation_share_no_word(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int n = 0; n < FORMULAS; n++) {
        struct case_of c;
        bool empty;
        make_case(&c, &seed);
        struct automaton *positive = translated(&c, (struct automaton_options){.degeneralise = n % 2});
        struct automaton *negative = translated(&c, (struct automaton_options){.negated = true});
        expect_automaton(&c, positive, false, "the whole");
        expect_automaton(&c, negative, true, "the whole of the negation");
        expect_strength(positive);
        struct automaton *both = automaton_product(positive, negative);
        assert_non_null(both);
        assert_true(automaton_is_empty(both, &empty));
        assert_true(empty);
        automaton_free(both);
        automaton_free(positive);
        automaton_free(negative);
        ltl_clear(&c.ltl);
    }
}

static void weak_automata_are_minimised(void **state)
{
    uint64_t seed = 3;
    uint32_t found = 0;
    (void)state;
    for (int n = 0; n < FORMULAS / 2; n++) {
        struct case_of c;
        make_case(&c, &seed);
        struct automaton *positive = translated(&c, (struct automaton_options){.unreduced = true});
        struct automaton *negative = translated(&c, (struct automaton_options){.unreduced = true, .negated = true});
        struct automaton *minimal = NULL;
        assert_true(automaton_minimise_weak(positive, negative, &minimal));
        if (minimal) {
            expect_automaton(&c, minimal, false, "minimisation");
            assert_true(automaton_is_deterministic(minimal));
            assert_true(automaton_classify(minimal));
            assert_int_not_equal(minimal->strength, AUTOMATON_STRONG);
            found++;
        }
        automaton_free(minimal);
        automaton_free(positive);
        automaton_free(negative);
        ltl_clear(&c.ltl);
    }
    assert_true(found > FORMULAS / 4);
}

/* ------------------------------------------------------------- stuttering */

static struct lasso_word stuttered(const struct lasso_word *word, size_t position)
{
    struct lasso_word longer = {.length = word->length + 1, .loop = word->loop + (position < word->loop)};
    for (size_t i = 0; i < longer.length; i++)
        longer.letters[i] = word->letters[i - (i > position)];
    return longer;
}

/* Whether repeating one letter of a word of at most `longest` letters changes the truth. */
static bool stuttering_matters(const struct ltl *ltl, uint32_t formula, uint32_t atoms, size_t longest)
{
    for (size_t length = 1; length <= longest; length++)
        for (uint64_t code = 0; code < UINT64_C(1) << (atoms * length); code++) {
            struct lasso_word word = {.length = length};
            for (size_t i = 0; i < length; i++)
                word.letters[i] = code >> (atoms * i) & ((UINT64_C(1) << atoms) - 1);
            for (word.loop = 0; word.loop < length; word.loop++)
                for (size_t i = 0; i < length; i++) {
                    struct lasso_word longer = stuttered(&word, i);
                    if (truth(ltl, formula, &word) != truth(ltl, formula, &longer))
                        return true;
                }
        }
    return false;
}

static void stuttering_is_decided_as_words_show(void **state)
{
    uint64_t seed = 4;
    uint32_t invariant_with_next = 0, sensitive = 0;
    (void)state;
    for (int n = 0; n < FORMULAS; n++) {
        struct ltl ltl;
        enum ltl_answer answer;
        ltl_with_atoms(&ltl, 1);
        uint32_t formula = random_formula(&ltl, &seed, 1, 1 + random_below(&seed, 5));
        assert_int_equal(ltl_stutter_invariant(&ltl, formula, &answer, NULL), PORTOLAN_OK);
        bool matters = stuttering_matters(&ltl, formula, 1, 5);
        if ((answer == LTL_NO) != matters)
            fail_msg("'%s': words say that stuttering %s", text_of(&ltl, formula), matters ? "matters" : "is nothing");
        sensitive += matters;
        invariant_with_next += !matters && ltl.nodes.item[formula].has_next;
        ltl_clear(&ltl);
    }
    assert_true(sensitive > 30 && invariant_with_next > 30);
}

/* ------------------------------------------------------------------ safety */

/* Whether the first letters of a word, with some other ending, make the formula true. */
static bool can_be_saved(const struct ltl *ltl, uint32_t formula, const struct lasso_word *word, size_t kept)
{
    for (uint64_t code = 0; code < 64; code++)
        for (size_t loop = 0; loop < 3; loop++) {
            struct lasso_word other = {.length = kept + 3, .loop = kept + loop};
            for (size_t i = 0; i < kept; i++)
                other.letters[i] =
                    word->letters[i < word->length ? i : word->loop + (i - word->loop) % (word->length - word->loop)];
            for (size_t i = 0; i < 3; i++)
                other.letters[kept + i] = code >> 2 * i & 3;
            if (truth(ltl, formula, &other))
                return true;
        }
    return false;
}

static void safety_is_decided_as_words_show(void **state)
{
    enum { KEPT = 9 };
    uint64_t seed = 6;
    uint32_t safe = 0, unsafe = 0;
    (void)state;
    for (int n = 0; n < FORMULAS; n++) {
        struct ltl ltl;
        enum ltl_answer answer;
        bool shown = false;
        ltl_with_atoms(&ltl, 2);
        uint32_t formula = random_formula(&ltl, &seed, 2, random_below(&seed, 5));
        assert_int_equal(ltl_safety(&ltl, formula, &answer, NULL), PORTOLAN_OK);
        for (int i = 0; i < 40 && !shown; i++) {
            struct lasso_word word = random_lasso(&seed, 2);
            word.length = word.length > 3 ? 3 : word.length;
            word.loop = word.loop % word.length;
            shown = !truth(&ltl, formula, &word) && can_be_saved(&ltl, formula, &word, KEPT);
        }
        if (shown && answer != LTL_NO)
            fail_msg("'%s' is no safety property", text_of(&ltl, formula));
        safe += answer == LTL_YES;
        unsafe += shown;
        ltl_clear(&ltl);
    }
    assert_true(safe > FORMULAS / 4 && unsafe > FORMULAS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewriting_keeps_the_truth),
        cmocka_unit_test(each_rule_keeps_the_truth),
        cmocka_unit_test(eventualities_and_universalities_are_what_they_are_called),
        cmocka_unit_test(implication_is_never_wrong),
        cmocka_unit_test(each_step_keeps_the_language),
        cmocka_unit_test(formula_and_negation_share_no_word),
        cmocka_unit_test(weak_automata_are_minimised),
        cmocka_unit_test(stuttering_is_decided_as_words_show),
        cmocka_unit_test(safety_is_decided_as_words_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
