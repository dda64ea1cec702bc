/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GLPK's simplex method finds a vertex in floating-point numbers.  The coordinates of a vertex are quotients of small
 * numbers as a rule, which their continued fractions give back; then everything is computed again in integers.
 */
#include "simplify/simplex.h"

#include "base/limits.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>

void simplex_clear(struct simplex_system *system)
{
    free(system->bounds.item);
    free(system->entries.item);
    *system = (struct simplex_system){0};
}

/* ----------------------------------------------------------- floating-point */

/* GLPK ends the process when something is wrong, unless a hook does not return. */
static _Thread_local jmp_buf *way_out;

static void leave(void *info)
{
    (void)info;
    longjmp(*way_out, 1);
}

static void load(glp_prob *problem, const struct simplex_system *system)
{
    size_t count = system->entries.count;
    int *row = calloc(count + 1, sizeof *row), *column = calloc(count + 1, sizeof *column);
    double *value = calloc(count + 1, sizeof *value);
    bool fine = row && column && value;
    for (size_t i = 0; fine && i < count; i++) {
        row[i + 1] = (int)system->entries.item[i].row + 1;
        column[i + 1] = (int)system->entries.item[i].column + 1;
        value[i + 1] = (double)system->entries.item[i].value;
    }
    if (fine)
        glp_load_matrix(problem, (int)count, row, column, value);
    free(row);
    free(column);
    free(value);
}

static glp_prob *make_problem(const struct simplex_system *system)
{
    glp_prob *problem = glp_create_prob();
    glp_set_obj_dir(problem, GLP_MIN);
    glp_add_rows(problem, (int)system->bounds.count);
    glp_add_cols(problem, (int)system->columns);
    for (size_t i = 0; i < system->bounds.count; i++)
        glp_set_row_bnds(problem, (int)i + 1, GLP_LO, (double)system->bounds.item[i], 0);
    for (uint32_t j = 0; j < system->columns; j++) {
        glp_set_col_bnds(problem, (int)j + 1, GLP_LO, 0, 0);
        glp_set_obj_coef(problem, (int)j + 1, 1);
    }
    load(problem, system);
    return problem;
}

/* A few hundred steps at a time, between which the limits are looked at. */
static enum simplex_answer run(glp_prob *problem)
{
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.it_lim = 300;
    int outcome = GLP_EITLIM;
    while (outcome == GLP_EITLIM && !limits_reached())
        outcome = glp_simplex(problem, &parameters);
    int status = glp_get_status(problem);
    if (outcome != 0)
        return SIMPLEX_GAVE_UP;
    return status == GLP_OPT ? SIMPLEX_SOLVED : status == GLP_NOFEAS ? SIMPLEX_NONE : SIMPLEX_GAVE_UP;
}

enum { MOST_ROWS = 1000000 };

enum simplex_answer simplex_guess(const struct simplex_system *system, double *values)
{
    jmp_buf here;
    if (system->bounds.count == 0 || system->columns == 0 || system->bounds.count > MOST_ROWS ||
        system->columns > MOST_ROWS || system->entries.count > INT32_MAX - 1)
        return SIMPLEX_GAVE_UP;
    way_out = &here;
    glp_term_out(GLP_OFF);
    glp_error_hook(leave, NULL);
    if (setjmp(here)) { /* what it had allocated goes with its environment */
        glp_error_hook(NULL, NULL);
        glp_free_env();
        return SIMPLEX_GAVE_UP;
    }
    glp_prob *problem = make_problem(system);
    enum simplex_answer answer = run(problem);
    for (uint32_t j = 0; answer == SIMPLEX_SOLVED && j < system->columns; j++)
        values[j] = glp_get_col_prim(problem, (int)j + 1);
    glp_delete_prob(problem);
    glp_error_hook(NULL, NULL);
    glp_free_env();
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
static bool is_solution(const struct simplex_system *system, const int64_t *values, int64_t scale)
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
    return fine && is_solution(system, values, *scale);
}
