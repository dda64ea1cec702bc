/* SPDX-License-Identifier: Apache-2.0 */
/* Systems of linear inequalities over numbers that are not negative. */
#ifndef SIMPLIFY_SIMPLEX_H
#define SIMPLIFY_SIMPLEX_H

#include "base/vector.h"

struct simplex_entry {
    uint32_t row, column;
    int64_t value;
};

/* For each row: the sum of value * unknown of the column is at least the bound. */
struct simplex_system {
    uint32_t columns;
    VECTOR(int64_t) bounds;               /* of the rows */
    VECTOR(struct simplex_entry) entries; /* at most one for each row and column */
};

void simplex_clear(struct simplex_system *system);

enum simplex_answer { SIMPLEX_NONE, SIMPLEX_SOLVED, SIMPLEX_GAVE_UP };

/*
 * Looks for a solution with a small sum, with floating-point numbers: neither answer can be relied on.  values has an
 * entry per column.
 */
enum simplex_answer simplex_guess(const struct simplex_system *system, double *values);

/*
 * Finds a solution in rational numbers, values[column] / *scale, and checks it with integers: when it returns true, it
 * is one.  When it returns false, there may be one all the same.
 */
bool simplex_solve(const struct simplex_system *system, int64_t *values, int64_t *scale);
/* The check: are values[column] / scale a solution? */
bool simplex_is_solution(const struct simplex_system *system, const int64_t *values, int64_t scale);

#endif
