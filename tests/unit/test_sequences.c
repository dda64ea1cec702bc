/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "base/sequences.h"

static void test_equal_sequences_have_equal_numbers(void **state)
{
    (void)state;
    struct sequences set = {0};
    uint32_t items[8];
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 3000; i++) {
            bool is_new;
            size_t length = i % 7;
            for (size_t j = 0; j < length; j++)
                items[j] = i / 7 + (uint32_t)j;
            uint32_t number = sequence_insert(&set, items, length, &is_new);
            uint32_t expected = length == 0 ? 0 : i - (i / 7 > 0 ? i / 7 : 0);
            assert_int_equal(number, expected);
            assert_int_equal(is_new, round == 0 && (length > 0 || i == 0));
        }
    assert_int_equal(set.count, 3000 - 3000 / 7);
    sequences_clear(&set);
}

static void test_sequences_are_kept(void **state)
{
    (void)state;
    struct sequences set = {0};
    bool is_new;
    size_t length;
    uint32_t first[] = {5, 0, 5}, second[] = {5, 0};
    assert_int_equal(sequence_insert(&set, first, 3, &is_new), 0);
    assert_int_equal(sequence_insert(&set, second, 2, &is_new), 1);
    assert_memory_equal(sequence_get(&set, 0, &length), first, sizeof first);
    assert_int_equal(length, 3);
    assert_memory_equal(sequence_get(&set, 1, &length), second, sizeof second);
    assert_int_equal(length, 2);
    sequences_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_sequences_have_equal_numbers),
        cmocka_unit_test(test_sequences_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
