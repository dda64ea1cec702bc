/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is true of a formula on the whole graph of a net, found in the plainest way: the fixpoint of Emerson and Lei on
 * the product with an automaton that nothing was simplified in, and short lassos judged by definition.  It shares the
 * translation with the engine, nothing else.
 */
#ifndef TESTS_LTL_ORACLE_H
#define TESTS_LTL_ORACLE_H

#include "differential_naive.h"
#include "ltl/automaton.h"
#include "random_net.h"

enum { ORACLE_ATOMS = 3 };

struct oracle_atom {
    enum { ATOM_TOKENS, ATOM_CAN_FIRE, ATOM_DEADLOCK } kind;
    uint32_t index;  /* of a place or transition */
    uint32_t tokens; /* at least so many */
};

/* Atoms are written a0, a1, a2 in the text. */
struct oracle_formula {
    struct oracle_atom atoms[ORACLE_ATOMS];
    char text[256];
};

/* with_next: X may occur. */
void oracle_formula_random(struct oracle_formula *formula, struct random *random, uint32_t places, uint32_t transitions,
                           bool with_next);
/* The text with the atoms written out for the engine. */
void oracle_formula_write(const struct oracle_formula *formula, char *text, size_t size);

struct oracle {
    const struct naive *naive;
    const struct oracle_formula *formula;
    struct ltl ltl;
    uint32_t root;
    struct automaton *automaton; /* of the negation */
    uint64_t *letters;           /* per marking */
};

/* False when the automaton is too large or memory ran out; there is nothing to clear then. */
bool oracle_make(struct oracle *oracle, const struct naive *naive, const struct oracle_formula *formula);
void oracle_clear(struct oracle *oracle);

/* Is there a run on which the formula is false?  With fair, one that neglects no transition. */
bool oracle_violated(const struct oracle *oracle, bool fair);
/* Looks for one among the runs whose prefix and cycle are at most so long together. */
bool oracle_short_violation(const struct oracle *oracle, size_t longest);
/* Is the formula false of this run?  false also when it is none.  cycle_start as in struct portolan_answer. */
bool oracle_refutes(const struct oracle *oracle, const uint32_t *trace, size_t length, size_t cycle_start);

#endif
