/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of linear temporal logic; docs/ltl.md is the language.
 *
 * A formula is a number, the index of a node.  Nodes are made once: equal
 * numbers are equal formulas, and children have smaller numbers than parents.
 * One struct ltl owns the nodes and the atomic propositions (at most 64) of
 * what was parsed into it.
 */
#ifndef LTL_FORMULA_H
#define LTL_FORMULA_H

#include "base/vector.h"
#include "portolan/portolan.h"
#include "property/expression.h"

#include <stdio.h>

enum { LTL_ATOMS = 64, LTL_DEPTH = 1000 };

enum ltl_operation {
    LTL_FALSE,
    LTL_TRUE,
    LTL_ATOM, /* left is the atom */
    LTL_NOT,  /* one child, left, from here on */
    LTL_NEXT,
    LTL_FINALLY,
    LTL_GLOBALLY,
    LTL_AND, /* two children from here on */
    LTL_OR,
    LTL_IMPLIES,
    LTL_IFF,
    LTL_XOR,
    LTL_UNTIL,
    LTL_RELEASE,
    LTL_WEAK_UNTIL,
    LTL_STRONG_RELEASE
};

struct ltl_node {
    enum ltl_operation operation;
    uint32_t left, right;
    uint32_t depth;
    bool is_boolean;   /* without temporal operators */
    bool has_next;     /* contains X */
    bool is_eventual;  /* true of a suffix, it is true of the word */
    bool is_universal; /* true of a word, it is true of every suffix */
    /* what ltl_normal_form, ltl_simplify and ltl_group found, + 1; 0 is not known */
    uint32_t normal[2], simple, grouped;
};

struct ltl_atom {
    char *text;                    /* as it is written in a formula */
    struct expression *expression; /* NULL without a model */
};

struct ltl {
    VECTOR(struct ltl_node) nodes;
    uint32_t *table; /* hashed nodes, + 1 */
    size_t table_size;
    VECTOR(struct ltl_atom) atoms;
    uint32_t resting; /* the atom that is true in states to be overlooked, + 1; 0: there are none */
    uint32_t stated;  /* the formula as it was parsed, + 1; 0 when there is none, and the atoms stand for themselves */
    bool failed;      /* an allocation failed: the numbers made since mean nothing */
};

/* The constants have the same numbers everywhere. */
enum { LTL_FALSE_NODE = 0, LTL_TRUE_NODE = 1 };

/* False when memory ran out. */
bool ltl_init(struct ltl *ltl);
void ltl_clear(struct ltl *ltl);

/* The formula with this operator; right is 0 where there is only one child.  Sets `failed` when memory runs out. */
uint32_t ltl_make(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right);
/* The number of the atom with this text, which is copied; takes over the expression, also on failure. */
enum portolan_status ltl_add_atom(struct ltl *ltl, const char *text, struct expression *expression, uint32_t *atom,
                                  struct portolan_error *error);

/*
 * Parses a formula.  Atomic propositions are expressions over the variables of the system; without one (NULL) they
 * are plain names.  file stands for the text in errors.
 */
enum portolan_status ltl_parse(struct ltl *ltl, const struct portolan_system *system, const char *file,
                               const char *text, uint32_t *formula, struct portolan_error *error);
/* Whether the word is an operator or a constant of formulas, so that a name like it is quoted. */
bool ltl_is_keyword(const char *word);

/* Writes the formula so that ltl_parse reads it as an equivalent one. */
void ltl_write(const struct ltl *ltl, uint32_t formula, FILE *out);

/* The formula, or its negation, with negations only before atoms and without ->, <-> and xor. */
uint32_t ltl_normal_form(struct ltl *ltl, uint32_t formula, bool negated);
/* An equivalent formula for which the automaton is smaller; takes and gives normal forms. */
uint32_t ltl_simplify(struct ltl *ltl, uint32_t formula);
/* The same, with F and G pulled over && and || where that gives fewer states: the last step before translation. */
uint32_t ltl_group(struct ltl *ltl, uint32_t formula);
/* A sufficient test of "left implies right", on normal forms. */
bool ltl_implies(struct ltl *ltl, uint32_t left, uint32_t right);

/* Normal forms whose conjunctions (disjunctions) are ordered chains without repeats. */
uint32_t ltl_join(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right);

/* Without F, U and M, a normal form is a safety property: a sufficient test. */
bool ltl_is_syntactic_safety(const struct ltl *ltl, uint32_t normal_form);

/*
 * The truth of a formula on the infinite word letters[0] ... letters[length - 1], which goes on with letters[loop]
 * after its end (loop < length).  Bit i of a letter is the value of atom i.  By definition of the operators: no
 * automaton, no normal form.  False when memory ran out.
 */
bool ltl_holds_on_lasso(const struct ltl *ltl, uint32_t formula, const uint64_t *letters, size_t length, size_t loop,
                        bool *holds);

static inline bool ltl_is_unary(enum ltl_operation operation)
{
    return operation >= LTL_NOT && operation <= LTL_GLOBALLY;
}

static inline bool ltl_is_binary(enum ltl_operation operation)
{
    return operation >= LTL_AND;
}

#endif
