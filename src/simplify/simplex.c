/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lp_solve's simplex method finds a vertex in floating-point numbers.  The coordinates of a vertex are quotients of
 * small numbers as a rule, which their continued fractions give back; then everything is computed again in integers.
 */
#include "simplify/simplex.h"

#include "base/limits.h"

#include <lpsolve/lp_lib.h>
#include <math.h>

void simplex_clear(struct simplex_system *system)
{
    free(system->bounds.item);
    free(system->entries.item);
    *system = (struct simplex_system){0};
}

/* ----------------------------------------------------------- floating-point */

/* The entries by column, as lp_solve wants them: rows count from 1, row 0 is what is to be small. */
struct columns {
    int *first; /* of each column */
    int *row;
    REAL *value;
};

static void columns_clear(struct columns *columns)
{
    free(columns->first);
    free(columns->row);
    free(columns->value);
}

static bool columns_make(struct columns *columns, const struct simplex_system *system)
{
    size_t count = system->entries.count + system->columns;
    *columns = (struct columns){.first = calloc((size_t)system->columns + 2, sizeof *columns->first),
                                .row = calloc(count + 1, sizeof *columns->row),
                                .value = calloc(count + 1, sizeof *columns->value)};
    if (!columns->first || !columns->row || !columns->value)
        return false;
    for (size_t i = 0; i < system->entries.count; i++)
        columns->first[system->entries.item[i].column + 2]++;
    for (uint32_t j = 0; j < system->columns; j++) {
        columns->first[j + 2] += columns->first[j + 1] + 1;
        columns->value[columns->first[j + 1]++] = 1;
    }
    for (size_t i = 0; i < system->entries.count; i++) {
        const struct simplex_entry *entry = &system->entries.item[i];
        int at = columns->first[entry->column + 1]++;
        columns->row[at] = (int)entry->row + 1;
        columns->value[at] = (REAL)entry->value;
    }
    return true;
}

static bool load(lprec *problem, const struct simplex_system *system)
{
    struct columns columns;
    bool fine = columns_make(&columns, system) && resize_lp(problem, (int)system->bounds.count, (int)system->columns);
    for (uint32_t j = 0; fine && j < system->columns; j++) {
        int first = columns.first[j];
        fine = add_columnex(problem, columns.first[j + 1] - first, columns.value + first, columns.row + first) &&
               !limits_reached();
    }
    for (size_t i = 0; fine && i < system->bounds.count; i++)
        fine = set_constr_type(problem, (int)i + 1, GE) && set_rh(problem, (int)i + 1, (REAL)system->bounds.item[i]);
    columns_clear(&columns);
    return fine;
}

static int __WINAPI shall_stop(lprec *problem, void *nothing)
{
    (void)problem;
    (void)nothing;
    return limits_reached();
}

enum { MOST_ROWS = 1000000 };

enum simplex_answer simplex_guess(const struct simplex_system *system, double *values)
{
    if (system->bounds.count == 0 || system->columns == 0 || system->bounds.count > MOST_ROWS ||
        system->columns > MOST_ROWS || system->entries.count > INT32_MAX - MOST_ROWS)
        return SIMPLEX_GAVE_UP;
    lprec *problem = make_lp((int)system->bounds.count, 0);
    enum simplex_answer answer = SIMPLEX_GAVE_UP;
    if (problem)
        set_verbose(problem, NEUTRAL);
    if (problem && load(problem, system)) {
        put_abortfunc(problem, shall_stop, NULL);
        int outcome = solve(problem);
        answer = outcome == OPTIMAL ? SIMPLEX_SOLVED : outcome == INFEASIBLE ? SIMPLEX_NONE : SIMPLEX_GAVE_UP;
    }
    if (answer == SIMPLEX_SOLVED && !get_variables(problem, values))
        answer = SIMPLEX_GAVE_UP;
    if (problem)
        delete_lp(problem);
    return answer;
}

/* ------------------------------------------------------------------- exactly */

static const int64_t most_denominator = 1000000, most_scale = INT64_C(1) << 40;

/* The denominator of the simplest fraction that is this number, as far as a double tells; 0 when there is none. */
static int64_t denominator_of(double value)
{
    double rest = value;
    int64_t before = 0, denominator = 1;
    while (fabs(value * (double)denominator - nearbyint(value * (double)denominator)) > 1e-7 * (double)denominator) {
        rest = rest - floor(rest);
        if (rest < 1e-9)
            return 0;
        rest = 1 / rest;
        if (rest > (double)most_denominator)
            return 0;
        int64_t next = (int64_t)floor(rest) * denominator + before;
        before = denominator;
        denominator = next;
        if (denominator > most_denominator)
            return 0;
    }
    return denominator;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t common_scale(const double *guess, uint32_t columns)
{
    int64_t scale = 1;
    for (uint32_t j = 0; j < columns && scale; j++) {
        int64_t denominator = denominator_of(guess[j]);
        if (!denominator)
            return 0;
        scale *= denominator / common_divisor(denominator, scale);
        if (scale > most_scale)
            return 0;
    }
    return scale;
}

/* Values are below 2^62, numbers of the system below 2^40, entries of a row below 2^24: sums fit into 128 bits. */
bool simplex_is_solution(const struct simplex_system *system, const int64_t *values, int64_t scale)
{
    size_t rows = system->bounds.count;
    __int128 *sum = calloc(rows + 1, sizeof *sum);
    bool fine = sum != NULL;
    for (size_t i = 0; fine && i < system->entries.count; i++) {
        const struct simplex_entry *entry = &system->entries.item[i];
        fine = entry->value < most_scale && entry->value > -most_scale;
        sum[entry->row] += (__int128)entry->value * values[entry->column];
    }
    for (size_t i = 0; fine && i < rows; i++)
        fine = sum[i] >= (__int128)system->bounds.item[i] * scale;
    for (uint32_t j = 0; fine && j < system->columns; j++)
        fine = values[j] >= 0;
    free(sum);
    return fine;
}

bool simplex_solve(const struct simplex_system *system, int64_t *values, int64_t *scale)
{
    double *guess = calloc((size_t)system->columns + 1, sizeof *guess);
    bool fine = guess && simplex_guess(system, guess) == SIMPLEX_SOLVED;
    *scale = fine ? common_scale(guess, system->columns) : 0;
    for (uint32_t j = 0; fine && j < system->columns; j++) {
        double value = guess[j] * (double)*scale;
        fine = *scale && fabs(value) < 4e18;
        values[j] = fine ? (int64_t)nearbyint(value) : 0;
    }
    free(guess);
    return fine && simplex_is_solution(system, values, *scale);
}
