/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas of the contest as trees: between read.c, which makes them, and question.c, which finds out what they ask. */
#ifndef FRONT_CONTEST_FORMULA_H
#define FRONT_CONTEST_FORMULA_H

#include "property/question.h"

enum formula_kind {
    FORMULA_STATE, /* text, true or false of a state */
    FORMULA_BOUND, /* text, a number */
    FORMULA_NOT,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_XOR,
    FORMULA_IMPLIES,
    FORMULA_IFF,
    FORMULA_EXISTS, /* on some path */
    FORMULA_ALL,
    FORMULA_FINALLY,
    FORMULA_GLOBALLY,
    FORMULA_NEXT,
    FORMULA_UNTIL
};

struct formula {
    enum formula_kind kind;
    const char *text;
    struct formula *operands, *next; /* a list */
    bool is_temporal;                /* it, or something in it, speaks of later states */
    bool has_paths;                  /* it is, or has in it, a quantifier over paths */
};

/* Finds out what the formula asks: properties of the model, or a refusal.  False when memory is exhausted. */
bool question_of_formula(const struct formula *formula, struct arena *arena, struct question *question);

#endif
