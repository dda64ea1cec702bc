/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of every width, sign and kind of overflow, against wide integers and the words of the documentation.
 */
#include "expression/arithmetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

typedef __int128 wide;

/* The number of the type that is the same modulo 2^bits. */
static wide wrap(const struct integer_type *type, wide value)
{
    wide modulus = (wide)1 << type->bits, low = type->low;
    wide offset = (value - low) % modulus;
    return low + (offset < 0 ? offset + modulus : offset);
}

static wide power_of_two(wide exponent)
{
    wide power = 1;
    while (exponent-- > 0)
        power *= 2;
    return power;
}

/* Rounds down, as a shift to the right does. */
static wide floor_divide(wide a, wide b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* False where the operation has no value. */
static bool naive(enum operation operation, const struct integer_type *type, wide a, wide b, wide *result)
{
    bool shifts = operation == OPERATION_SHIFT_LEFT || operation == OPERATION_SHIFT_RIGHT;
    bool divides = operation == OPERATION_DIVIDE || operation == OPERATION_REMAINDER;
    if ((divides && b == 0) || (shifts && (b < 0 || b >= type->bits)))
        return false;
    switch (operation) {
    case OPERATION_NEGATE: *result = -b; break;
    case OPERATION_NOT: *result = !b; return true;
    case OPERATION_COMPLEMENT: *result = -b - 1; break;
    case OPERATION_ADD: *result = a + b; break;
    case OPERATION_SUBTRACT: *result = a - b; break;
    case OPERATION_MULTIPLY: *result = a * b; break;
    case OPERATION_DIVIDE: *result = a / b; break;
    case OPERATION_REMAINDER: *result = a % b; break;
    case OPERATION_SHIFT_LEFT: *result = a * power_of_two(b); break;
    case OPERATION_SHIFT_RIGHT: *result = floor_divide(a, power_of_two(b)); break;
    case OPERATION_EQUAL: *result = a == b; return true;
    case OPERATION_NOT_EQUAL: *result = a != b; return true;
    case OPERATION_LESS: *result = a < b; return true;
    case OPERATION_LESS_EQUAL: *result = a <= b; return true;
    case OPERATION_GREATER: *result = a > b; return true;
    case OPERATION_GREATER_EQUAL: *result = a >= b; return true;
    default: return false;
    }
    if (operation == OPERATION_SHIFT_LEFT && a < 0 && !type->wraps)
        return false;
    if (type->wraps)
        *result = wrap(type, *result);
    return *result >= type->low && *result <= type->high;
}

static struct integer_type make_type(uint8_t bits, bool is_signed, bool wraps)
{
    struct integer_type type = {.bits = bits, .wraps = wraps};
    type.low = is_signed ? INT64_MIN >> (64 - bits) : 0;
    type.high = is_signed ? INT64_MAX >> (64 - bits) : INT64_MAX >> (63 - bits);
    return type;
}

static void check(enum operation operation, const struct integer_type *type, int64_t a, int64_t b)
{
    int64_t result = 0;
    wide expected = 0;
    bool has_value = naive(operation, type, a, b, &expected);
    enum arithmetic given = arithmetic(operation, type, a, b, &result);
    if (has_value != (given == ARITHMETIC_FITS) || (has_value && result != expected))
        fail_msg("%u bits, %s, %s: %lld operation %d %lld is %lld (%d), not %lld", type->bits,
                 type->low ? "signed" : "unsigned", type->wraps ? "wraps" : "fails", (long long)a, (int)operation,
                 (long long)b, (long long)result, (int)given, (long long)expected);
}

static const enum operation operations[] = {
    OPERATION_NEGATE,   OPERATION_NOT,       OPERATION_COMPLEMENT, OPERATION_ADD,
    OPERATION_SUBTRACT, OPERATION_MULTIPLY,  OPERATION_DIVIDE,     OPERATION_REMAINDER,
    OPERATION_EQUAL,    OPERATION_NOT_EQUAL, OPERATION_SHIFT_LEFT, OPERATION_SHIFT_RIGHT,
    OPERATION_LESS,     OPERATION_GREATER,   OPERATION_LESS_EQUAL, OPERATION_GREATER_EQUAL};

enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Every pair of values of every type of up to six bits. */
static void small_types_are_exact(void **unused)
{
    (void)unused;
    for (uint8_t bits = 1; bits <= 6; bits++)
        for (int kind = 0; kind < 4; kind++) {
            struct integer_type type = make_type(bits, kind & 1, kind & 2);
            for (int64_t a = type.low; a <= type.high; a++)
                for (int64_t b = type.low; b <= type.high; b++)
                    for (int i = 0; i < OPERATIONS; i++)
                        check(operations[i], &type, a, b);
        }
}

/* The values at the ends of each type, with one another. */
static void the_ends_of_wide_types_are_exact(void **unused)
{
    (void)unused;
    for (uint8_t bits = 7; bits <= 64; bits++)
        for (int kind = 0; kind < 4; kind++) {
            bool is_signed = kind & 1;
            if (bits == 64 && !is_signed)
                continue;
            struct integer_type type = make_type(bits, is_signed, kind & 2);
            int64_t values[] = {
                type.low,           type.low + 1,      0, 1, 2, 3, bits - 1, type.high / 2, type.high, type.high - 1,
                is_signed ? -1 : 4, is_signed ? -7 : 7};
            enum { VALUES = sizeof values / sizeof *values };
            for (int i = 0; i < VALUES * VALUES * OPERATIONS; i++)
                check(operations[i / (VALUES * VALUES)], &type, values[i / VALUES % VALUES], values[i % VALUES]);
        }
}

static void a_failure_says_what_it_is(void **unused)
{
    (void)unused;
    struct integer_type type = INTEGER_64;
    int64_t result;
    assert_int_equal(arithmetic(OPERATION_DIVIDE, &type, 6, 0, &result), ARITHMETIC_DIVIDES_BY_ZERO);
    assert_string_equal(arithmetic_words(ARITHMETIC_DIVIDES_BY_ZERO), "division by zero");
    assert_int_equal(arithmetic(OPERATION_DIVIDE, &type, INT64_MIN, -1, &result), ARITHMETIC_OVERFLOWS);
    assert_int_equal(arithmetic(OPERATION_REMAINDER, &type, INT64_MIN, -1, &result), ARITHMETIC_FITS);
    assert_int_equal(result, 0);
    assert_int_equal(arithmetic(OPERATION_SHIFT_LEFT, &type, 1, 64, &result), ARITHMETIC_BAD_SHIFT);
    assert_null(arithmetic_words(ARITHMETIC_FITS));
}

static void comparisons_have_opposites(void **unused)
{
    (void)unused;
    struct integer_type type = INTEGER_64;
    for (enum operation o = OPERATION_EQUAL; o <= OPERATION_GREATER_EQUAL; o++)
        for (int64_t a = -1; a <= 1; a++) {
            int64_t one, other;
            arithmetic(o, &type, a, 0, &one);
            arithmetic(opposite(o), &type, a, 0, &other);
            assert_int_equal(one, !other);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_types_are_exact), cmocka_unit_test(the_ends_of_wide_types_are_exact),
        cmocka_unit_test(a_failure_says_what_it_is), cmocka_unit_test(comparisons_have_opposites)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
