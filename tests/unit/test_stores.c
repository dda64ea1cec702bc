/* SPDX-License-Identifier: Apache-2.0 */
/* Other ways to keep states than as they are: trees, fingerprints, bits, in a file; and several threads at once. */
#include "support.h"

#include "base/limits.h"
#include "sanitized.h"
#include "store/prints.h"
#include "store/spill.h"
#include "store/store.h"

#include <pthread.h>
#include <sys/resource.h>

enum { KEY = 40, STATES = 200000, THREADS = 3 };

/* Few bytes change from one state to the next, as in a search; `noise` in all of them. */
static void fill_key(unsigned char *key, uint32_t number, bool noise)
{
    uint64_t bits = number;
    memset(key, 0, KEY);
    for (size_t i = 0; noise && i < KEY; i++) {
        bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407 + i;
        key[i] = (unsigned char)(bits >> 40);
    }
    for (size_t i = 0; !noise && i < 6; i++)
        key[i * 7] = (unsigned char)(number >> (4 * i)) & 15;
}

static void fill_and_look(struct store *store, bool noise)
{
    unsigned char key[KEY], copy[KEY];
    for (uint32_t i = 0; i < STATES; i++) {
        fill_key(key, i, noise);
        assert_int_equal(store_insert(store, key, store_hash(key, KEY)), i);
    }
    for (uint32_t i = 0; i < STATES; i += 3) {
        fill_key(key, i, noise);
        store_copy(store, i, copy);
        assert_memory_equal(key, copy, KEY);
        assert_int_equal(store_insert(store, key, store_hash(key, KEY)), i);
        assert_int_equal(store_find(store, key, store_hash(key, KEY)), i);
    }
    assert_int_equal(store_count(store), STATES);
}

static void test_trees(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        struct store store;
        assert_true(store_make_tree(&store, KEY));
        fill_and_look(&store, noise);
        if (!noise)
            assert_true(store_bytes(&store) < STATES * 16);
        store_clear(&store);
    }
}

/* Two things that change on their own, their bytes in turn: what belongs together is found. */
static void test_bytes_are_put_in_order(void **state)
{
    enum { EACH = 400, BYTES = 16 };
    (void)state;
    struct store store;
    assert_true(store_make_tree(&store, BYTES));
    for (uint32_t i = 0; i < EACH * EACH; i++) {
        uint64_t half[2] = {store_hash(&(uint64_t){i % EACH}, 8), store_hash(&(uint64_t){i / EACH}, 8)};
        unsigned char key[BYTES], read[BYTES];
        for (int byte = 0; byte < BYTES; byte++)
            key[byte] = (unsigned char)(half[byte % 2] >> byte / 2 * 8);
        assert_int_equal(store_insert(&store, key, store_hash(key, BYTES)), i);
        store_copy(&store, i, read);
        assert_memory_equal(key, read, BYTES);
        assert_int_equal(store_find(&store, key, store_hash(key, BYTES)), i);
    }
    assert_true(store_bytes(&store) < (size_t)EACH * EACH * 9);
    store_clear(&store);
}

/* The store that is asked for by nobody becomes a tree where that is worth it, and only there. */
static void test_a_sample_decides(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        struct store store;
        assert_true(store_make(&store, KEY));
        store.tree_at = 1 << 20;
        fill_and_look(&store, noise);
        assert_int_equal(store.tree != NULL, !noise);
        store_clear(&store);
    }
}

static void widen_key(void *user, const unsigned char *old_key, unsigned char *new_key)
{
    (void)user;
    memset(new_key, 0xee, KEY + 8);
    memcpy(new_key, old_key, KEY);
}

static void test_trees_are_rewritten(void **state)
{
    struct store store;
    unsigned char key[KEY + 8], copy[KEY + 8];
    (void)state;
    assert_true(store_make_tree(&store, KEY));
    fill_and_look(&store, false);
    assert_true(store_rewrite(&store, KEY + 8, widen_key, NULL));
    for (uint32_t i = 0; i < STATES; i++) {
        memset(key, 0xee, sizeof key);
        fill_key(key, i, false);
        store_copy(&store, i, copy);
        assert_memory_equal(key, copy, sizeof key);
        assert_int_equal(store_find(&store, key, store_hash(key, sizeof key)), i);
    }
    store_clear(&store);
}

/* --- in a file */

static void test_spilling(void **state)
{
    (void)state;
    for (int tree = 0; tree < 2; tree++) {
        struct store store;
        struct spill *spill;
        struct portolan_error error;
        assert_int_equal(spill_open(".", &spill, &error), PORTOLAN_OK);
        assert_true(tree ? store_make_tree(&store, KEY) : store_make(&store, KEY));
        store_spill(&store, spill);
        fill_and_look(&store, false);
        assert_true(spill_bytes(spill) >= (tree ? STATES : STATES * KEY));
        spill_relieve(spill);
        unsigned char key[KEY];
        fill_key(key, 7, false);
        assert_int_equal(store_find(&store, key, store_hash(key, KEY)), 7);
        assert_true(tree || store_rewrite(&store, KEY + 8, widen_key, NULL));
        store_clear(&store);
        assert_int_equal(spill_bytes(spill), 0);
        spill_close(spill);
    }
}

static void test_spilling_without_a_directory(void **state)
{
    struct spill *spill;
    struct portolan_error error;
    (void)state;
    assert_int_equal(spill_open("./nowhere", &spill, &error), PORTOLAN_BAD_OPTION);
    assert_null(spill);
}

/* What is stored by then stays readable, and the reason is told. */
static void test_the_disk_is_full(void **state)
{
    struct store store;
    struct spill *spill;
    struct portolan_error error;
    struct portolan_limits limits;
    struct rlimit before, now;
    unsigned char key[KEY], copy[KEY];
    uint32_t number = 0;
    (void)state;
    assert_int_equal(spill_open(".", &spill, &error), PORTOLAN_OK);
    assert_true(store_make(&store, KEY));
    store_spill(&store, spill);
    getrlimit(RLIMIT_FSIZE, &before);
    now = before;
    now.rlim_cur = KEY << 17;
    setrlimit(RLIMIT_FSIZE, &now);
    limits_begin(&limits, 0, 0, NULL);
    for (uint32_t i = 0; i < STATES && number != STORE_NONE; i++) {
        fill_key(key, i, false);
        number = store_insert(&store, key, store_hash(key, KEY));
    }
    assert_int_equal(number, STORE_NONE);
    assert_int_equal(limits_stop(), PORTOLAN_DISK_FULL);
    limits_end(&limits);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(store_count(&store), 1 << 17);
    for (uint32_t i = 0; i < store_count(&store); i++) {
        fill_key(key, i, false);
        store_copy(&store, i, copy);
        assert_memory_equal(key, copy, KEY);
    }
    store_clear(&store);
    spill_close(spill);
}

/* The limit of memory asks for relief before it counts. */
static void test_relief(void **state)
{
    enum { BYTES = 64 << 20 };
    struct spill *spill;
    struct portolan_error error;
    struct portolan_limits limits;
    (void)state;
#ifdef THREADS_SANITIZED
    skip(); /* its shadow memory is part of the process, and is not given back with the pages that it shadows */
#endif
    assert_int_equal(spill_open(".", &spill, &error), PORTOLAN_OK);
    limits_begin(&limits, 0, resident_bytes() + BYTES / 2, NULL);
    limits_relieve(spill_relieve, spill);
    unsigned char *memory = spill_map(spill, BYTES);
    assert_non_null(memory);
    memset(memory, 1, BYTES);
    assert_true(limits_allow(BYTES / 8));
    assert_int_equal(memory[BYTES - 1], 1);
    limits_relieve(NULL, NULL);
    memset(memory, 1, BYTES);
    assert_false(limits_allow(BYTES / 8));
    limits_end(&limits);
    spill_unmap(spill, memory, BYTES);
    spill_close(spill);
}

/* --- several threads */

struct shared {
    struct store store;
    uint32_t own[THREADS]; /* states that each of them has put in */
};

struct thread {
    struct shared *shared;
    uint32_t number;
    pthread_t id;
};

/* Each inserts all states, beginning elsewhere. */
static void *insert_all(void *argument)
{
    const struct thread *t = argument;
    struct shared *s = t->shared;
    for (uint32_t i = 0; i < STATES; i++) {
        unsigned char key[KEY];
        bool is_new;
        fill_key(key, (i + t->number * 100) % STATES, false);
        uint64_t hash = store_hash(key, KEY);
        uint32_t number = store_insert_shared(&s->store, key, hash, t->number, &is_new);
        assert_true(number < STATES || s->store.prints || s->store.blocks);
        s->own[t->number] += is_new;
        assert_true(s->store.prints || store_find_shared(&s->store, key, hash) == number);
    }
    return NULL;
}

/* A table that is large enough from the start: the threads of this test cannot stop each other as a crew can. */
static void grow_first(struct store *store)
{
    unsigned char key[KEY];
    for (uint32_t i = 0; i < STATES; i++) {
        fill_key(key, i, false);
        store_insert(store, key, store_hash(key, KEY));
    }
    store->count = 0;
    memset(store->slot, 0, (size_t)store->slots * sizeof *store->slot);
}

static void test_threads_agree(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        int kind = round % 3;
        struct shared s = {0};
        struct thread threads[THREADS];
        assert_true(kind == 0   ? store_make(&s.store, KEY)
                    : kind == 1 ? store_make_tree(&s.store, KEY)
                                : store_make_prints(&s.store, KEY, 0));
        if (kind < 2)
            grow_first(&s.store);
        assert_true(round < 3 || store_number_in_blocks(&s.store, THREADS));
        for (uint32_t i = 0; i < THREADS; i++) {
            threads[i] = (struct thread){.shared = &s, .number = i};
            assert_int_equal(pthread_create(&threads[i].id, NULL, insert_all, &threads[i]), 0);
        }
        uint32_t sum = 0;
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(threads[i].id, NULL);
            sum += s.own[i];
        }
        store_settle(&s.store);
        assert_int_equal(sum, STATES); /* each was new to one of them, ... */
        assert_int_equal(store_count(&s.store), STATES);
        for (uint32_t i = 0; kind < 2 && i < STATES; i++) { /* ... and has one number */
            unsigned char key[KEY];
            fill_key(key, i, false);
            assert_true(store_find(&s.store, key, store_hash(key, KEY)) < STATES);
            store_copy(&s.store, i, key);
            assert_int_equal(store_find(&s.store, key, store_hash(key, KEY)), i);
        }
        store_clear(&s.store);
    }
}

static void alone(void *user, void (*part)(void *), void *argument)
{
    (void)user;
    part(argument);
}

/* Whenever states may have got other numbers `settled` is one that it has never been, also where the store became
 * another one on the way: what was guessed before is told from what is guessed now. */
static void test_old_guesses_are_told(void **state)
{
    (void)state;
    struct store store;
    uint32_t settled = 0, conversions = 0;
    assert_true(store_make(&store, KEY));
    store.tree_at = 1 << 16;
    assert_true(store_number_in_blocks(&store, 1));
    for (uint32_t i = 0; i < STATES; i++) {
        unsigned char key[KEY];
        bool is_new, was_tree = store.tree != NULL;
        fill_key(key, i, false);
        while (store_insert_shared(&store, key, store_hash(key, KEY), 0, &is_new) == STORE_FULL) {
            assert_true(store_grow_shared(&store, alone, NULL));
            assert_true(store.settled > settled);
            settled = store.settled;
            conversions += !was_tree && store.tree;
            was_tree = store.tree != NULL;
        }
    }
    assert_int_equal(conversions, 1);
    assert_true(store_rewrite(&store, KEY + 8, widen_key, NULL));
    assert_true(store.settled > settled);
    store_clear(&store);
}

/* --- what forgets */

static uint64_t mixed(uint64_t i)
{
    return store_hash(&i, sizeof i);
}

static void test_fingerprints(void **state)
{
    enum { MANY = 1000000 };
    struct prints *prints = prints_new(0);
    uint32_t taken_for_another = 0;
    (void)state;
    assert_non_null(prints);
    for (uint64_t i = 0; i < MANY; i++) {
        enum prints_answer answer = prints_insert(prints, mixed(i));
        assert_int_not_equal(answer, PRINT_NO_MEMORY);
        taken_for_another += answer == PRINT_SEEN;
    }
    assert_true(taken_for_another <= 2); /* of a million in 2^44; about 0.03 are expected */
    for (uint64_t i = 0; i < MANY; i++)
        assert_true(prints_find(prints, mixed(i)));
    uint32_t found = 0;
    for (uint64_t i = MANY; i < 2 * (uint64_t)MANY; i++)
        found += prints_find(prints, mixed(i));
    assert_true(found <= 2);
    assert_true(prints_bytes(prints) < MANY * 6.0);
    assert_true(prints_coverage(prints, MANY) > 0.999999);
    prints_free(prints);
}

/* All in one segment, which soon has so many homes that fewer bytes are enough for the rest. */
static void test_a_large_segment(void **state)
{
    enum { MANY = 60000, SEGMENT_BITS = 8 };
    struct prints *prints = prints_new(0);
    uint32_t taken_for_another = 0;
    (void)state;
    assert_non_null(prints);
    for (uint64_t i = 0; i < MANY; i++)
        taken_for_another += prints_insert(prints, mixed(i) >> SEGMENT_BITS) != PRINT_NEW;
    assert_true(taken_for_another <= 2);
    for (uint64_t i = 0; i < MANY; i++)
        assert_int_equal(prints_insert(prints, mixed(i) >> SEGMENT_BITS), PRINT_SEEN);
    assert_true(prints_bytes(prints) < MANY * 3.5 + (1 << 20));
    prints_free(prints);
}

/* What is said to be covered is what is. */
static void test_bits(void **state)
{
    enum { MANY = 200000, BYTES = 1 << 16 };
    struct prints *prints = prints_new(BYTES);
    uint32_t new_ones = 0;
    (void)state;
    assert_non_null(prints);
    for (uint64_t i = 0; i < MANY; i++)
        new_ones += prints_insert(prints, mixed(i)) == PRINT_NEW;
    for (uint64_t i = 0; i < MANY; i++)
        assert_true(prints_find(prints, mixed(i)));
    double covered = prints_coverage(prints, new_ones), real = (double)new_ones / MANY;
    assert_true(covered > real - 0.08 && covered < real + 0.08);
    prints_free(prints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees),
                                       cmocka_unit_test(test_bytes_are_put_in_order),
                                       cmocka_unit_test(test_a_sample_decides),
                                       cmocka_unit_test(test_trees_are_rewritten),
                                       cmocka_unit_test(test_spilling),
                                       cmocka_unit_test(test_spilling_without_a_directory),
                                       cmocka_unit_test(test_the_disk_is_full),
                                       cmocka_unit_test(test_relief),
                                       cmocka_unit_test(test_threads_agree),
                                       cmocka_unit_test(test_old_guesses_are_told),
                                       cmocka_unit_test(test_fingerprints),
                                       cmocka_unit_test(test_a_large_segment),
                                       cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
