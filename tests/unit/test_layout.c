/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of states: what is put in comes out, whatever the widths, and widening loses nothing. */
#include "codec/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS = 40 };

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 20) % below;
}

static struct range draw_range(void)
{
    int64_t low = (int64_t)draw(2000) - 1000;
    return (struct range){low, low + (int64_t)(draw(3) ? draw(40) : draw(3) ? 0 : draw(UINT64_C(1) << 40))};
}

static void fields_hold_their_values(void **unused)
{
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        struct range ranges[FIELDS], wanted[FIELDS];
        int64_t value[FIELDS];
        struct layout layout;
        for (int i = 0; i < FIELDS; i++)
            wanted[i] = ranges[i] = draw_range();
        assert_true(layout_make(&layout, ranges, FIELDS, NULL));
        uint64_t state[FIELDS] = {0};
        assert_true(layout.words <= FIELDS && layout.bytes <= layout.words * 8);
        for (int i = 0; i < FIELDS; i++) {
            const struct field *field = &layout.field[i];
            assert_true(field->bits == 0 || field->shift + field->bits <= 64);
            assert_true(ranges[i].low == wanted[i].low && ranges[i].high >= wanted[i].high);
            value[i] = wanted[i].low + (int64_t)draw((uint64_t)(wanted[i].high - wanted[i].low) + 1);
            assert_true(field_fits(field, value[i]));
            assert_false(field_fits(field, ranges[i].low - 1));
            assert_false(field_fits(field, ranges[i].high + 1));
            field_put(field, state, (int64_t)draw((uint64_t)(wanted[i].high - wanted[i].low) + 1) + wanted[i].low);
            field_put(field, state, value[i]);
        }
        for (int i = 0; i < FIELDS; i++)
            assert_int_equal(field_get(&layout.field[i], state), value[i]);
        const unsigned char *bytes = (const unsigned char *)state;
        for (size_t k = layout.bytes; k < sizeof state; k++)
            assert_int_equal(bytes[k], 0); /* the key is all there is */
        layout_clear(&layout);
    }
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void widening_keeps_values(void **unused)
{
    (void)unused;
    struct range limits[FIELDS], ranges[FIELDS];
    uint64_t alike[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        limits[i] = (struct range){-100000, 100000};
        ranges[i] = (struct range){i % 3, i % 3};
        alike[i] = (uint64_t)i % 5;
    }
    struct layout layout, wider;
    uint32_t order[FIELDS];
    for (uint32_t i = 0; i < FIELDS; i++)
        order[i] = i;
    assert_true(layout_make(&layout, ranges, FIELDS, order));
    uint64_t state[FIELDS] = {0}, moved[FIELDS], converted[FIELDS];
    assert_int_equal(layout.bytes, 1); /* what never changes needs no bits */
    for (uint32_t times = 0; times < 600; times++) {
        uint32_t narrow = (uint32_t)draw(FIELDS);
        int64_t value = (int64_t)draw(2000) - 1000;
        ranges_widen(ranges, limits, FIELDS, narrow, value, times, alike);
        assert_true(ranges[narrow].low <= value && value <= ranges[narrow].high);
        swap(&order[draw(FIELDS)], &order[draw(FIELDS)]);
        assert_true(layout_make(&wider, ranges, FIELDS, order));
        struct conversion conversion;
        assert_true(conversion_make(&conversion, &layout, &wider, order));
        memset(moved, 0, sizeof moved);
        memset(converted, 0, sizeof converted);
        conversion_run(&conversion, state, moved);
        layout_convert(&layout, state, &wider, converted);
        assert_memory_equal(moved, converted, sizeof moved);
        for (int i = 0; i < FIELDS; i++)
            assert_int_equal(field_get(&wider.field[i], moved), field_get(&layout.field[i], state));
        memcpy(state, moved, sizeof state);
        field_put(&wider.field[narrow], state, value);
        conversion_clear(&conversion);
        layout_clear(&layout);
        layout = wider;
    }
    layout_clear(&layout);
}

/* The first times one field is widened, then those that are alike, at last all that are as wide. */
static void more_are_widened_in_time(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t times, wider;
    } cases[] = {{0, 1}, {WIDEN_ONE_TIMES, 2}, {WIDEN_ALIKE_TIMES, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct range ranges[4], limits[4];
        const uint64_t alike[] = {1, 2, 1, 3};
        for (int i = 0; i < 4; i++) {
            ranges[i] = (struct range){0, 1};
            limits[i] = (struct range){0, 100};
        }
        ranges_widen(ranges, limits, 4, 0, 2, cases[k].times, alike);
        uint32_t wider = 0;
        for (int i = 0; i < 4; i++)
            wider += ranges[i].high > 1;
        assert_int_equal(wider, cases[k].wider);
    }
}

/* Many parts that are alike grow one after the other: the first of them tell what the others need. */
static void parts_that_are_alike_are_widened_together(void **unused)
{
    (void)unused;
    enum { PARTS = 100, KINDS = 4, COUNT = PARTS * KINDS, MOST = 7 };
    struct range ranges[COUNT], limits[COUNT];
    uint64_t alike[COUNT];
    uint32_t times = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        ranges[i] = (struct range){0, 1};
        limits[i] = (struct range){0, 1000};
        alike[i] = i % KINDS;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        for (int64_t value = 2; value <= MOST; value++)
            if (bits_for((uint64_t)value) > bits_for((uint64_t)ranges[i].high))
                ranges_widen(ranges, limits, COUNT, i, value, times++, alike);
    assert_true(times <= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_hold_their_values), cmocka_unit_test(widening_keeps_values),
        cmocka_unit_test(more_are_widened_in_time), cmocka_unit_test(parts_that_are_alike_are_widened_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
