/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/values.h"

#include "expression/arithmetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct value truth(bool is_true)
{
    return (struct value){.sort = SORT_BOOL, .integer = is_true};
}

static bool of_comparison(enum operator_kind kind, int order)
{
    switch (kind) {
    case OPERATOR_EQ: return order == 0;
    case OPERATOR_NEQ: return order != 0;
    case OPERATOR_LT: return order < 0;
    case OPERATOR_LE: return order <= 0;
    case OPERATOR_GT: return order > 0;
    default: return order >= 0;
    }
}

static int order_of(const struct value *a, const struct value *b)
{
    if (a->sort == SORT_STRING)
        return strcmp(a->string, b->string);
    if (a->sort == SORT_REAL)
        return (a->real > b->real) - (a->real < b->real);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

/* False when there is no result. */
static bool of_integers(enum operator_kind kind, int64_t a, int64_t b, int64_t *result)
{
    static const enum operation of[] = {[OPERATOR_ADD] = OPERATION_ADD,
                                        [OPERATOR_SUB] = OPERATION_SUBTRACT,
                                        [OPERATOR_MUL] = OPERATION_MULTIPLY,
                                        [OPERATOR_DIV] = OPERATION_DIVIDE,
                                        [OPERATOR_MOD] = OPERATION_REMAINDER};
    const struct integer_type type = INTEGER_32;
    switch (kind) {
    case OPERATOR_MIN: *result = a < b ? a : b; return true;
    case OPERATOR_MAX: *result = a > b ? a : b; return true;
    case OPERATOR_NEG: return arithmetic(OPERATION_NEGATE, &type, 0, a, result) == ARITHMETIC_FITS;
    case OPERATOR_ABS:
        *result = a;
        return a >= 0 || arithmetic(OPERATION_NEGATE, &type, 0, a, result) == ARITHMETIC_FITS;
    default: return arithmetic(of[kind], &type, a, b, result) == ARITHMETIC_FITS;
    }
}

static double of_reals(enum operator_kind kind, double a, double b)
{
    switch (kind) {
    case OPERATOR_ADD: return a + b;
    case OPERATOR_SUB: return a - b;
    case OPERATOR_MUL: return a * b;
    case OPERATOR_DIV: return a / b;
    case OPERATOR_MOD: return fmod(a, b);
    case OPERATOR_MIN: return a < b ? a : b;
    case OPERATOR_MAX: return a > b ? a : b;
    case OPERATOR_NEG: return -a;
    default: return fabs(a);
    }
}

static bool of_numbers(enum operator_kind kind, const struct value *a, const struct value *b, struct value *result)
{
    result->sort = a->sort;
    if (a->sort != SORT_REAL)
        return of_integers(kind, a->integer, b->integer, &result->integer);
    result->real = of_reals(kind, a->real, b->real);
    return isfinite(result->real);
}

static bool convert_value(enum operator_kind kind, const struct value *a, struct value *result)
{
    const double as_real = a->sort == SORT_REAL     ? a->real
                           : a->sort == SORT_STRING ? strtod(a->string, NULL)
                                                    : (double)a->integer;
    result->sort = kind == OPERATOR_TO_INT ? SORT_INT : SORT_REAL;
    if (kind == OPERATOR_TO_REAL) {
        result->real = as_real;
        return true;
    }
    if (!(as_real >= INT32_MIN && as_real <= INT32_MAX))
        return false;
    result->integer = (int64_t)as_real;
    return true;
}

static enum operated keep(struct grammar *g, struct value value, uint32_t *result)
{
    *result = grammar_value(g, value);
    return *result == NO_NUMBER ? OPERATION_NO_MEMORY : OPERATED;
}

static enum operated keep_text(struct grammar *g, const char *text, uint32_t *result)
{
    return keep(g, (struct value){.sort = SORT_STRING, .string = text}, result);
}

static enum operated concatenate(struct grammar *g, const char *a, const char *b, uint32_t *result)
{
    char *text = malloc(strlen(a) + strlen(b) + 1);
    if (!text)
        return OPERATION_NO_MEMORY;
    strcpy(text, a);
    strcat(text, b);
    enum operated how = keep_text(g, text, result);
    free(text);
    return how;
}

static enum operated to_string(struct grammar *g, const struct value *a, uint32_t *result)
{
    char text[64];
    switch (a->sort) {
    case SORT_INT: snprintf(text, sizeof text, "%" PRId64, a->integer); break;
    case SORT_BOOL: return keep_text(g, a->integer ? "true" : "false", result);
    case SORT_REAL: snprintf(text, sizeof text, "%.17g", a->real); break;
    default: return keep_text(g, a->string, result);
    }
    return keep_text(g, text, result);
}

enum operated operate(struct grammar *g, enum operator_kind kind, const uint32_t *operands, uint32_t count,
                      uint32_t *result)
{
    struct value v[MOST_OPERANDS] = {0}, made = {0};
    for (uint32_t i = 0; i < count; i++)
        v[i] = g->values.item[operands[i]];
    switch (kind) {
    case OPERATOR_EQ:
    case OPERATOR_NEQ:
    case OPERATOR_LT:
    case OPERATOR_LE:
    case OPERATOR_GT:
    case OPERATOR_GE: return keep(g, truth(of_comparison(kind, order_of(&v[0], &v[1]))), result);
    case OPERATOR_AND: return keep(g, truth(v[0].integer && v[1].integer), result);
    case OPERATOR_OR: return keep(g, truth(v[0].integer || v[1].integer), result);
    case OPERATOR_NOT: return keep(g, truth(!v[0].integer), result);
    case OPERATOR_IMPLIES: return keep(g, truth(!v[0].integer || v[1].integer), result);
    case OPERATOR_CONCAT: return concatenate(g, v[0].string, v[1].string, result);
    case OPERATOR_LENGTH:
        return keep(g, (struct value){.sort = SORT_INT, .integer = (int64_t)strlen(v[0].string)}, result);
    case OPERATOR_ITE: *result = operands[v[0].integer ? 1 : 2]; return OPERATED;
    case OPERATOR_TO_STRING: return to_string(g, &v[0], result);
    case OPERATOR_TO_INT:
    case OPERATOR_TO_REAL: return convert_value(kind, &v[0], &made) ? keep(g, made, result) : OPERATION_FAILED;
    case OPERATOR_ADD:
        if (v[0].sort == SORT_STRING)
            return concatenate(g, v[0].string, v[1].string, result);
    /* fallthrough */
    default: return of_numbers(kind, &v[0], &v[1], &made) ? keep(g, made, result) : OPERATION_FAILED;
    }
}
