/* SPDX-License-Identifier: Apache-2.0 */
/* What is still to be expanded beside a store that forgets states: nothing is lost or changed, and paths lead there. */
#include "support.h"

#include "search/frontier.h"

#include <string.h>

enum { KEY = 37, WORKERS = 3, LEVELS = 60, MOST = 3000 };

/* A path is a number that every action changes: the state tells whether the path leads to it. */
static uint64_t follow(uint64_t path, uint32_t action)
{
    return (path ^ action) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static void fill_key(unsigned char *key, uint64_t path, unsigned noise)
{
    memset(key, 0, KEY);
    memcpy(key + 3, &path, sizeof path);
    for (unsigned i = 0; i < noise; i++)
        key[(path >> (8 * i)) % (KEY - 11) + 11] = (unsigned char)(path >> i);
}

static uint64_t path_in(const unsigned char *key)
{
    uint64_t path;
    memcpy(&path, key + 3, sizeof path);
    return path;
}

static void check_path(const struct frontier *f, uint32_t worker, const unsigned char *key, size_t length)
{
    uint32_t *actions;
    uint64_t path = 0;
    assert_int_equal(frontier_path(f, worker, &actions), length);
    for (size_t i = 0; i < length; i++)
        path = follow(path, actions[i]);
    assert_true(path == path_in(key));
    free(actions);
}

/* Few states of a level lead on, so ancestors are left out again and again; the sum of what was added is that of what
 * is taken. */
static void expand_levels(uint32_t workers, unsigned children, uint32_t actions, unsigned noise)
{
    struct frontier *f = frontier_new(workers, KEY);
    unsigned char key[KEY];
    uint32_t count;
    uint64_t sum = 0, turn = 7;
    assert_non_null(f);
    fill_key(key, 0, noise);
    assert_true(frontier_add(f, 0, key, 0));
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint64_t next_sum = 0, taken_sum = 0;
        uint32_t added = 0, taken = 0, number;
        assert_true(frontier_turn(f, &count));
        for (const unsigned char *state;; taken++) {
            uint32_t worker = (uint32_t)(turn = follow(turn, level)) % workers;
            if (!(state = frontier_take(f, worker, &number)))
                break;
            assert_true(number < count);
            taken_sum += path_in(state);
            fill_key(key, path_in(state), noise);
            assert_memory_equal(state, key, KEY);
            if (taken % 97 == 0)
                check_path(f, worker, state, level);
            for (unsigned i = 0; i < children && added < MOST && (turn % 3 || taken < 9); i++, added++) {
                uint32_t action = (uint32_t)(turn >> 9) % actions + i;
                uint64_t path = follow(path_in(state), action);
                next_sum += path;
                fill_key(key, path, noise);
                assert_true(frontier_add(f, worker, key, action));
            }
        }
        for (uint32_t worker = 0; worker < workers; worker++) /* what others had begun with */
            for (const unsigned char *state; (state = frontier_take(f, worker, &number)); taken++)
                taken_sum += path_in(state);
        assert_int_equal(taken, count);
        assert_true(taken_sum == sum);
        sum = next_sum;
    }
    frontier_free(f);
}

static void test_states_and_paths(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= WORKERS; workers++)
        for (unsigned noise = 0; noise < 9; noise += 4) {
            expand_levels(workers, 3, 20, noise);
            expand_levels(workers, 1, 3, noise);
            expand_levels(workers, 2, UINT32_MAX - 8, noise);
        }
}

/* States that have nothing in common, larger than a block. */
static void test_large_states(void **state)
{
    enum { LARGE = 20000, STATES = 20 };
    struct frontier *f = frontier_new(1, LARGE);
    unsigned char *key = malloc(LARGE);
    uint32_t count, number;
    (void)state;
    assert_non_null(f);
    for (uint32_t i = 0; i < STATES; i++) {
        for (size_t j = 0; j < LARGE; j++)
            key[j] = (unsigned char)(i * 31 + (j % 200 == i ? j : j * i / 40));
        assert_true(frontier_add(f, 0, key, i));
    }
    assert_true(frontier_turn(f, &count));
    assert_int_equal(count, STATES);
    for (uint32_t i = 0; i < STATES; i++) {
        for (size_t j = 0; j < LARGE; j++)
            key[j] = (unsigned char)(i * 31 + (j % 200 == i ? j : j * i / 40));
        assert_memory_equal(frontier_take(f, 0, &number), key, LARGE);
        assert_int_equal(number, i);
    }
    assert_null(frontier_take(f, 0, &number));
    free(key);
    frontier_free(f);
}

/* Room that smaller levels do not need is given back. */
static void test_smaller_levels(void **state)
{
    enum { STATES = 100000 };
    unsigned char key[KEY];
    uint32_t count, number, left = STATES;
    size_t most = 0;
    struct frontier *f = frontier_new(1, KEY);
    (void)state;
    assert_non_null(f);
    for (uint32_t i = 0; i < STATES; i++) {
        fill_key(key, follow(0, i), 8);
        assert_true(frontier_add(f, 0, key, 0));
    }
    for (; left > 100; left /= 2) {
        assert_true(frontier_turn(f, &count));
        assert_int_equal(count, left);
        most = frontier_bytes(f) > most ? frontier_bytes(f) : most;
        for (uint32_t i = 0; frontier_take(f, 0, &number); i++)
            if (i < left / 2) {
                fill_key(key, follow(left, i), 8);
                assert_true(frontier_add(f, 0, key, 0));
            }
    }
    assert_true(frontier_turn(f, &count));
    assert_true(frontier_bytes(f) < most / 4);
    frontier_free(f);
}

/* Two bytes change, so far apart, by so much. */
static void test_every_distance(void **state)
{
    static const unsigned char changes[] = {1, 15, 16, 240, 255};
    enum { CHANGES = sizeof changes };
    unsigned char key[KEY] = {0};
    uint32_t count, number;
    struct frontier *f = frontier_new(1, KEY);
    (void)state;
    assert_non_null(f);
    for (uint32_t round = 0; round < 2; round++) {
        memset(key, 0, KEY);
        for (uint32_t i = 0; i + 1 < KEY; i++)
            for (uint32_t j = 0; j < CHANGES; j++) {
                key[0] ^= 1;
                key[i + 1] ^= changes[j];
                if (round == 0)
                    assert_true(frontier_add(f, 0, key, i));
                else
                    assert_memory_equal(frontier_take(f, 0, &number), key, KEY);
            }
        assert_true(round == 1 || frontier_turn(f, &count));
    }
    frontier_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_states_and_paths), cmocka_unit_test(test_every_distance),
                                       cmocka_unit_test(test_large_states), cmocka_unit_test(test_smaller_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
