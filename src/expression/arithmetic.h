/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of all languages: an operation on numbers of a type gives a result or fails.  What happens when a
 * result does not fit belongs to the type: it wraps round, or the operation fails.
 */
#ifndef EXPRESSION_ARITHMETIC_H
#define EXPRESSION_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation {
    OPERATION_NONE,
    OPERATION_NEGATE, /* one operand */
    OPERATION_NOT,
    OPERATION_COMPLEMENT,
    OPERATION_ADD, /* two operands */
    OPERATION_SUBTRACT,
    OPERATION_MULTIPLY,
    OPERATION_DIVIDE, /* towards zero */
    OPERATION_REMAINDER,
    OPERATION_SHIFT_LEFT,
    OPERATION_SHIFT_RIGHT,
    OPERATION_BIT_AND,
    OPERATION_BIT_OR,
    OPERATION_BIT_XOR,
    OPERATION_EQUAL,
    OPERATION_NOT_EQUAL,
    OPERATION_LESS,
    OPERATION_LESS_EQUAL,
    OPERATION_GREATER,
    OPERATION_GREATER_EQUAL,
    OPERATION_AND, /* both operands are evaluated: whoever wants less jumps */
    OPERATION_OR,
    OPERATION_IMPLIES,
    OPERATION_IFF
};

struct integer_type {
    int64_t low, high; /* its values */
    uint8_t bits;      /* shifts by as many or more fail */
    bool wraps;        /* a result that does not fit is taken modulo 2^bits; else the operation fails */
};

#define INTEGER_32 ((struct integer_type){INT32_MIN, INT32_MAX, 32, false})
#define INTEGER_64 ((struct integer_type){INT64_MIN, INT64_MAX, 64, false})
#define BYTE_WRAPPING ((struct integer_type){0, UINT8_MAX, 8, true})

enum arithmetic { /* 0 when there is a result */
                  ARITHMETIC_FITS,
                  ARITHMETIC_OVERFLOWS,
                  ARITHMETIC_DIVIDES_BY_ZERO,
                  ARITHMETIC_BAD_SHIFT
};

static inline bool type_has(const struct integer_type *type, int64_t value)
{
    return type->low <= value && value <= type->high;
}

/* The value as one of the type: itself, or wrapped round. */
static inline enum arithmetic arithmetic_convert(const struct integer_type *type, int64_t value, int64_t *result)
{
    *result = value;
    if (type_has(type, value))
        return ARITHMETIC_FITS;
    if (!type->wraps)
        return ARITHMETIC_OVERFLOWS;
    if (type->bits < 64) {
        uint64_t low = (uint64_t)value & ((UINT64_C(1) << type->bits) - 1);
        bool negative = type->low < 0 && low >> (type->bits - 1) & 1;
        *result = (int64_t)(negative ? low | UINT64_MAX << type->bits : low);
    }
    return ARITHMETIC_FITS;
}

/* A sum of which only the low 64 bits are known. */
static inline enum arithmetic arithmetic_beyond(const struct integer_type *type, int64_t low_bits, int64_t *result)
{
    return type->wraps ? arithmetic_convert(type, low_bits, result) : ARITHMETIC_OVERFLOWS;
}

static inline enum arithmetic arithmetic(enum operation operation, const struct integer_type *type, int64_t a,
                                         int64_t b, int64_t *result);

static inline enum arithmetic arithmetic_divide(enum operation operation, const struct integer_type *type, int64_t a,
                                                int64_t b, int64_t *result)
{
    if (b == 0)
        return ARITHMETIC_DIVIDES_BY_ZERO;
    if (b == -1) /* what divides the lowest value by it traps */
        return operation == OPERATION_DIVIDE ? arithmetic(OPERATION_NEGATE, type, 0, a, result)
                                             : arithmetic_convert(type, 0, result);
    return arithmetic_convert(type, operation == OPERATION_DIVIDE ? a / b : a % b, result);
}

static inline enum arithmetic arithmetic_shift(enum operation operation, const struct integer_type *type, int64_t a,
                                               int64_t b, int64_t *result)
{
    if (b < 0 || b >= type->bits)
        return ARITHMETIC_BAD_SHIFT;
    if (operation == OPERATION_SHIFT_RIGHT)
        return arithmetic_convert(type, a >> b, result);
    if (a < 0 && !type->wraps)
        return ARITHMETIC_BAD_SHIFT;
    int64_t shifted = (int64_t)((uint64_t)a << b);
    return shifted >> b == a ? arithmetic_convert(type, shifted, result) : arithmetic_beyond(type, shifted, result);
}

/* An operation on two values of the type; with one operand it is b.  Comparisons give 0 or 1 and never fail. */
static inline __attribute__((always_inline)) enum arithmetic
arithmetic(enum operation operation, const struct integer_type *type, int64_t a, int64_t b, int64_t *result)
{
    int64_t wide;
    switch (operation) {
    case OPERATION_NEGATE:
        return __builtin_sub_overflow(0, b, &wide) ? arithmetic_beyond(type, wide, result)
                                                   : arithmetic_convert(type, wide, result);
    case OPERATION_COMPLEMENT: return arithmetic_convert(type, ~b, result);
    case OPERATION_ADD:
        return __builtin_add_overflow(a, b, &wide) ? arithmetic_beyond(type, wide, result)
                                                   : arithmetic_convert(type, wide, result);
    case OPERATION_SUBTRACT:
        return __builtin_sub_overflow(a, b, &wide) ? arithmetic_beyond(type, wide, result)
                                                   : arithmetic_convert(type, wide, result);
    case OPERATION_MULTIPLY:
        return __builtin_mul_overflow(a, b, &wide) ? arithmetic_beyond(type, wide, result)
                                                   : arithmetic_convert(type, wide, result);
    case OPERATION_DIVIDE:
    case OPERATION_REMAINDER: return arithmetic_divide(operation, type, a, b, result);
    case OPERATION_SHIFT_LEFT:
    case OPERATION_SHIFT_RIGHT: return arithmetic_shift(operation, type, a, b, result);
    case OPERATION_BIT_AND: return arithmetic_convert(type, a & b, result);
    case OPERATION_BIT_OR: return arithmetic_convert(type, a | b, result);
    case OPERATION_BIT_XOR: return arithmetic_convert(type, a ^ b, result);
    case OPERATION_NOT: *result = b == 0; return ARITHMETIC_FITS;
    case OPERATION_IFF:
    case OPERATION_EQUAL: *result = a == b; return ARITHMETIC_FITS;
    case OPERATION_NOT_EQUAL: *result = a != b; return ARITHMETIC_FITS;
    case OPERATION_LESS: *result = a < b; return ARITHMETIC_FITS;
    case OPERATION_LESS_EQUAL: *result = a <= b; return ARITHMETIC_FITS;
    case OPERATION_GREATER: *result = a > b; return ARITHMETIC_FITS;
    case OPERATION_GREATER_EQUAL: *result = a >= b; return ARITHMETIC_FITS;
    case OPERATION_AND: *result = a && b; return ARITHMETIC_FITS;
    case OPERATION_OR: *result = a || b; return ARITHMETIC_FITS;
    case OPERATION_IMPLIES: *result = !a || b; return ARITHMETIC_FITS;
    case OPERATION_NONE: break;
    }
    return ARITHMETIC_OVERFLOWS;
}

/* Comparisons, and nothing else, are told by two numbers alone. */
static inline bool compares(enum operation operation)
{
    return operation >= OPERATION_EQUAL && operation <= OPERATION_GREATER_EQUAL;
}

static inline bool is_logical(enum operation operation)
{
    return operation >= OPERATION_AND && operation <= OPERATION_IFF;
}

/* Are there operands for which it fails? */
static inline bool operation_may_fail(enum operation operation)
{
    return operation == OPERATION_NEGATE || (operation >= OPERATION_ADD && operation <= OPERATION_SHIFT_RIGHT);
}

/* a < b becomes a >= b. */
static inline enum operation opposite(enum operation comparison)
{
    static const enum operation of[] = {OPERATION_NOT_EQUAL, OPERATION_EQUAL,      OPERATION_GREATER_EQUAL,
                                        OPERATION_GREATER,   OPERATION_LESS_EQUAL, OPERATION_LESS};
    return of[comparison - OPERATION_EQUAL];
}

/* NULL when there is a result. */
static inline const char *arithmetic_words(enum arithmetic failure)
{
    static const char *const words[] = {NULL, "a number is too large", "division by zero", "a shift by too many bits"};
    return words[failure];
}

/* A comparison, or whether two truths are equal. */
static inline bool compare(enum operation operation, int64_t a, int64_t b)
{
    switch (operation) {
    case OPERATION_NOT_EQUAL: return a != b;
    case OPERATION_LESS: return a < b;
    case OPERATION_LESS_EQUAL: return a <= b;
    case OPERATION_GREATER: return a > b;
    case OPERATION_GREATER_EQUAL: return a >= b;
    default: return a == b;
    }
}

#endif
