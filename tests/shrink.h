/* SPDX-License-Identifier: Apache-2.0 */
/* Making a failing net smaller. */
#ifndef TESTS_SHRINK_H
#define TESTS_SHRINK_H

#include "differential_formula.h"

/* A draft with the properties it was checked with. */
struct sample {
    struct draft draft;
    struct formula *formulas;
    uint32_t formula_count;
};

/* Does the failure still occur? */
typedef bool sample_fails(void *user, const struct sample *sample);

/*
 * Drops transitions, places, arcs, units, formulas and atoms and lowers weights and tokens, one change at a time, as
 * long as the sample fails (greedy delta debugging, after Zeller and Hildebrandt 2002).  Formula 0 stays.
 */
void shrink(struct sample *sample, sample_fails *fails, void *user);

#endif
