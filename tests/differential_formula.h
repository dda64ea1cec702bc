/* SPDX-License-Identifier: Apache-2.0 */
/* Random properties: as a text for the engine, and evaluated on the naive explorer's markings. */
#ifndef TESTS_DIFFERENTIAL_FORMULA_H
#define TESTS_DIFFERENTIAL_FORMULA_H

#include "differential_naive.h"
#include "random_net.h"

enum { FORMULA_ATOMS = 3, ATOM_PLACES = 3, FORMULA_TEXT = 1024 };

enum atom_kind { ATOM_COMPARES, ATOM_FIREABLE };

struct atom {
    enum atom_kind kind;
    bool negated;
    uint32_t place[ATOM_PLACES]; /* the sum of `places` of them is compared with the constant */
    uint32_t places;
    uint32_t comparison; /* index into the operators */
    uint32_t constant;
    uint32_t transition;
};

enum formula_frame { FRAME_NONE, FRAME_IN_DEADLOCKS, FRAME_AND_DEADLOCK, FRAME_OR_DEADLOCK, FRAME_AND_LIVE };

/* A conjunction or disjunction of atoms; the frame says what `deadlock` has to do with it. */
struct formula {
    enum portolan_kind kind;
    enum formula_frame frame;
    bool disjunction;
    uint32_t atoms;
    struct atom atom[FORMULA_ATOMS];
};

void formula_random(struct formula *formula, struct random *random, uint32_t places, uint32_t transitions);
/* The expression in the language of properties; empty for PORTOLAN_NO_DEADLOCK. */
void formula_text(const struct formula *formula, const struct net *net, char *text, size_t size);
/* Does this marking alone settle the property? */
bool formula_is_decided_by(const struct formula *formula, const struct naive *naive, uint32_t state);

#endif
