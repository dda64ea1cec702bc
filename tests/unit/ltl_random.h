/* SPDX-License-Identifier: Apache-2.0 */
/* Random formulas, words and automata for the tests of LTL. */
#ifndef TESTS_UNIT_LTL_RANDOM_H
#define TESTS_UNIT_LTL_RANDOM_H

#include "unit/support.h"

#include "ltl/automaton.h"

struct lasso_word {
    uint64_t letters[16];
    size_t length, loop;
};

static inline struct lasso_word random_lasso(uint64_t *seed, uint32_t atoms)
{
    struct lasso_word word = {.length = 1 + random_below(seed, 7)};
    word.loop = random_below(seed, (uint32_t)word.length);
    for (size_t i = 0; i < word.length; i++) {
        bool repeats = i && random_below(seed, 3) == 0;
        word.letters[i] = repeats ? word.letters[i - 1] : random_below(seed, UINT32_C(1) << atoms);
    }
    return word;
}

/* A formula with about `size` operators. */
static inline uint32_t random_formula(struct ltl *ltl, uint64_t *seed, uint32_t atoms, uint32_t size)
{
    if (size == 0) {
        if (random_below(seed, 12) == 0)
            return random_below(seed, 2) ? LTL_TRUE_NODE : LTL_FALSE_NODE;
        return ltl_make(ltl, LTL_ATOM, random_below(seed, atoms), 0);
    }
    enum ltl_operation operation = LTL_NOT + random_below(seed, LTL_STRONG_RELEASE - LTL_NOT + 1);
    if (ltl_is_unary(operation))
        return ltl_make(ltl, operation, random_formula(ltl, seed, atoms, size - 1), 0);
    uint32_t left = random_below(seed, size);
    uint32_t l = random_formula(ltl, seed, atoms, left);
    return ltl_make(ltl, operation, l, random_formula(ltl, seed, atoms, size - 1 - left));
}

/* An empty collection of formulas with the atoms a, b, c, ... */
static inline void ltl_with_atoms(struct ltl *ltl, uint32_t atoms)
{
    assert_true(ltl_init(ltl));
    for (uint32_t i = 0; i < atoms; i++) {
        uint32_t atom;
        assert_int_equal(ltl_add_atom(ltl, (char[]){(char)('a' + i), 0}, NULL, &atom, NULL), PORTOLAN_OK);
        assert_int_equal(atom, i);
    }
}

static inline bool truth(const struct ltl *ltl, uint32_t formula, const struct lasso_word *word)
{
    bool holds;
    assert_true(ltl_holds_on_lasso(ltl, formula, word->letters, word->length, word->loop, &holds));
    return holds;
}

static inline bool accepts(const struct automaton *automaton, const struct lasso_word *word)
{
    bool result;
    assert_true(automaton_accepts_lasso(automaton, word->letters, word->length, word->loop, &result));
    return result;
}

/* The formula as text, for messages; one at a time. */
static inline const char *text_of(const struct ltl *ltl, uint32_t formula)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    ltl_write(ltl, formula, out);
    fclose(out);
    return text;
}

#endif
