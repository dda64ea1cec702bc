/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One net, explored by the naive explorer and by every combination of reduction, proviso and search: deadlocks,
 * verdicts, traces and the provisos' promises must agree with the full graph, refusals must be made.
 */
#ifndef TESTS_DIFFERENTIAL_CHECK_H
#define TESTS_DIFFERENTIAL_CHECK_H

#include "differential_formula.h"

struct check_case {
    const struct net *net;
    const struct formula *formulas;
    uint32_t formula_count; /* at most CHECK_FORMULAS */
    uint32_t rotation;      /* varies which property goes alone with which combination */
    uint32_t most_states;   /* larger nets are skipped */
};

enum { CHECK_FORMULAS = 32 };

enum check_outcome { CHECK_PASSED, CHECK_SKIPPED, CHECK_FAILED };

struct mismatch {
    char kind[32]; /* stays the same while a net is shrunk */
    char detail[1536];
};

enum check_outcome check_net(const struct check_case *check, struct mismatch *mismatch);

/* A second net that equals the first; NULL when out of memory. */
struct net *copy_net(const struct net *net);

#endif
