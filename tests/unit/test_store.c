/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "store/store.h"
#include "store/table.h"

static void fill_key(unsigned char *key, size_t bytes, uint32_t number)
{
    for (size_t i = 0; i < bytes; i++)
        key[i] = (unsigned char)(number >> (8 * (i % 4))) ^ (unsigned char)(i * 37);
}

static uint32_t insert(struct store *store, const unsigned char *key, bool *is_new)
{
    uint32_t before = store->count, number = store_insert(store, key, store_hash(key, store->key_bytes));
    *is_new = number == before && store->count == before + 1;
    return number;
}

/* Every size class of keys, over several growths of the table and two chunks. */
static void test_numbers_are_stable(void **state)
{
    static const size_t sizes[] = {4, 7, 8, 9, 15, 16, 17, 40};
    enum { STATES = 150000 };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct store store;
        unsigned char key[64];
        bool is_new;
        assert_true(store_make(&store, sizes[s]));
        for (uint32_t i = 0; i < STATES; i++) {
            fill_key(key, sizes[s], i);
            assert_int_equal(store_find(&store, key, store_hash(key, sizes[s])), STORE_NONE);
            assert_int_equal(insert(&store, key, &is_new), i);
            assert_true(is_new);
        }
        for (uint32_t i = 0; i < STATES; i += 7) {
            fill_key(key, sizes[s], i);
            assert_int_equal(insert(&store, key, &is_new), i);
            assert_false(is_new);
            assert_int_equal(store_find(&store, key, store_hash(key, sizes[s])), i);
            assert_memory_equal(store_key(&store, i), key, sizes[s]);
        }
        assert_int_equal(store.count, STATES);
        store_clear(&store);
    }
}

/* Keys of every size that differ in one byte, whichever it is: by hash, and compared when the hash is the same. */
static void test_every_byte_counts(void **state)
{
    enum { MOST = 140 };
    (void)state;
    for (size_t size = 1; size <= MOST; size++) {
        struct store store;
        unsigned char key[MOST] = {0};
        assert_true(store_make(&store, size));
        uint64_t zero = store_hash(key, size);
        assert_int_equal(store_insert(&store, key, 42), 0);
        for (size_t byte = 0; byte < size; byte++) {
            key[byte] = 1;
            assert_true(store_hash(key, size) != zero);
            assert_int_equal(store_insert(&store, key, 42), byte + 1);
            assert_int_equal(store.count, byte + 2);
            key[byte] = 0;
        }
        store_clear(&store);
    }
}

/* Many states with one hash: the table must compare the keys themselves. */
static void test_equal_hashes(void **state)
{
    struct store store;
    (void)state;
    assert_true(store_make(&store, 8));
    for (uint64_t i = 0; i < 500; i++) {
        assert_int_equal(store_insert(&store, &i, 42), i);
        assert_int_equal(store.count, i + 1);
    }
    for (uint64_t i = 0; i < 500; i++)
        assert_int_equal(store_find(&store, &i, 42), i);
    store_clear(&store);
}

/* Runs of slots that begin before the end of the table and go on at its beginning, where there is something, too. */
static void test_around_the_end(void **state)
{
    enum { STATES = 500, SPREAD = 40, SLOT_BITS = 54 };
    (void)state;
    for (uint64_t before = 1; before <= SPREAD; before++) {
        struct store store;
        assert_true(store_make(&store, 8));
        for (uint64_t i = 0; i < 2 * STATES; i++) {
            uint64_t key = i % STATES, home = key % 5 ? -before : key % SPREAD;
            uint64_t hash = (home << SLOT_BITS) + key * 7919;
            assert_int_equal(store_find(&store, &key, hash), i < STATES ? STORE_NONE : key);
            assert_int_equal(store_insert(&store, &key, hash), key);
        }
        assert_int_equal(store.count, STATES);
        store_clear(&store);
    }
}

static void widen_key(void *user, const unsigned char *old_key, unsigned char *new_key)
{
    (void)user;
    memset(new_key, 0xee, 12);
    memcpy(new_key, old_key, 5);
}

static void test_rewriting_keeps_numbers(void **state)
{
    enum { STATES = 1200000 }; /* beyond a million, chunks are mapped several at a time */
    struct store store;
    unsigned char key[16];
    bool is_new;
    (void)state;
    assert_true(store_make(&store, 5));
    for (uint32_t i = 0; i < STATES; i++) {
        fill_key(key, 5, i);
        insert(&store, key, &is_new);
    }
    assert_true(store_rewrite(&store, 12, widen_key, NULL));
    assert_int_equal(store.count, STATES);
    for (uint32_t i = 0; i < STATES; i++) {
        memset(key, 0xee, sizeof key);
        fill_key(key, 5, i);
        assert_int_equal(store_find(&store, key, store_hash(key, 12)), i);
    }
    store_clear(&store);
}

/* Records of trees whose numbers become wider again and again, over more than one chunk; where only one thread inserts
 * they follow each other bit by bit. */
static void test_records_of_trees(void **state)
{
    enum { STATES = 1200000, KEY = 8 };
    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct store store;
        unsigned char key[2 * KEY], found[KEY];
        bool is_new;
        size_t widths = 0, width = 0;
        assert_true(store_make_tree(&store, KEY));
        if (alone)
            store_alone(&store);
        for (uint32_t i = 0; i < STATES; i++) {
            uint32_t left = i / 37, right = i % 37 + (i / 1000) % 900 * 37;
            memcpy(key, &left, sizeof left);
            memcpy(key + 4, &right, sizeof right);
            assert_int_equal(insert(&store, key, &is_new), i);
            assert_true(is_new);
            widths += store.record_bits != width;
            width = store.record_bits;
        }
        assert_true(widths > (alone ? 4 : 1));
        assert_int_equal(width % 8, alone ? width % 8 : 0);
        for (uint32_t i = 0; i < STATES; i++) {
            uint32_t left = i / 37, right = i % 37 + (i / 1000) % 900 * 37;
            memcpy(key, &left, sizeof left);
            memcpy(key + 4, &right, sizeof right);
            store_copy(&store, i, found);
            assert_memory_equal(found, key, KEY);
            assert_int_equal(store_find(&store, key, store_hash(key, KEY)), i);
        }
        assert_true(store_bytes(&store) < STATES * (alone ? 9 : 10));
        store_clear(&store);
    }
}

static void test_memory_per_state(void **state)
{
    enum { STATES = 1000000 };
    struct store store;
    (void)state;
    assert_true(store_make(&store, 8));
    for (uint64_t i = 0; i < STATES; i++)
        store_insert(&store, &i, store_hash(&i, 8));
    assert_true(store_bytes(&store) <= (size_t)STATES * 16 + 65536);
    store_clear(&store);
}

/* A block that was taken and not used begins where another, used up, ends: its numbers are nobody's. */
static void test_settling_unused_blocks(void **state)
{
    (void)state;
    enum { BYTES = 8, THREADS = 3 };
    struct store s;
    bool is_new;
    uint32_t keys = 0;
    unsigned char key[BYTES], copy[BYTES];
    assert_true(store_make(&s, BYTES));
    assert_true(store_number_in_blocks(&s, THREADS));
    do { /* the first one leaves a gap, which the last of the others fill */
        fill_key(key, BYTES, keys++);
        assert_true(store_insert_shared(&s, key, store_hash(key, BYTES), keys == 1 ? 2 : 1, &is_new) < STORE_SEEN);
    } while (keys == 1 || s.blocks[1].next < s.blocks[1].end);
    assert_true(s.blocks[2].next < s.blocks[2].end);
    s.blocks[0] = (struct store_block){.next = s.count, .end = s.count + 3};
    s.count += 3;
    store_settle(&s);
    assert_int_equal(s.count, keys);
    for (uint32_t i = 0; i < keys; i++) {
        fill_key(key, BYTES, i);
        uint32_t found = store_find_shared(&s, key, store_hash(key, BYTES));
        assert_true(found < keys);
        store_copy(&s, found, copy);
        assert_memory_equal(copy, key, BYTES);
    }
    store_clear(&s);
}

static void do_it(void *user, void (*part)(void *), void *argument)
{
    (void)user;
    part(argument);
}

/* Slots that several threads have left behind count, or no slot would be empty some day. */
static void test_slots_left_behind(void **state)
{
    (void)state;
    enum { BYTES = 8 };
    struct store s;
    bool is_new;
    unsigned char key[BYTES];
    assert_true(store_make(&s, BYTES));
    fill_key(key, BYTES, 0);
    assert_int_equal(store_insert_shared(&s, key, store_hash(key, BYTES), 0, &is_new), 0);
    uint32_t slots = s.slots;
    s.left = s.full - 1;
    fill_key(key, BYTES, 1);
    assert_int_equal(store_insert_shared(&s, key, store_hash(key, BYTES), 0, &is_new), STORE_FULL);
    assert_true(store_grow_shared(&s, do_it, NULL));
    assert_true(s.slots > slots);
    assert_int_equal(store_insert_shared(&s, key, store_hash(key, BYTES), 0, &is_new), 1);
    fill_key(key, BYTES, 0);
    assert_int_equal(store_insert_shared(&s, key, store_hash(key, BYTES), 0, &is_new), 0);
    store_clear(&s);
}

/* A guess is right or no guess at all counts: never for a key that is not there, and mostly for one that is. */
static void test_guesses(void **state)
{
    static const size_t sizes[] = {3, 4, 7, 8, 11, 16, 24, 40};
    enum { STATES = 100000 };
    (void)state;
    for (size_t kind = 0; kind < 2 * sizeof sizes / sizeof *sizes; kind++) {
        size_t bytes = sizes[kind / 2];
        struct store store;
        unsigned char key[64], other[64];
        uint32_t right = 0, states = 0;
        assert_true(kind % 2 ? store_make_tree(&store, bytes) : store_make(&store, bytes));
        for (uint32_t i = 0; i < STATES; i++) { /* of three bytes there are not as many */
            bool is_new;
            fill_key(key, bytes, i);
            insert(&store, key, &is_new);
            states += is_new;
        }
        for (uint32_t i = 0; i < states; i++) {
            store_copy(&store, i, key);
            uint32_t guess = store_guess(&store, store_hash(key, bytes));
            bool is_right = store_is_right(&store, guess, key);
            assert_true(!is_right || guess == i);
            right += is_right;
            memcpy(other, key, bytes);
            other[i % bytes] ^= 0x80;
            if (store_find(&store, other, store_hash(other, bytes)) == STORE_NONE) {
                assert_false(store_is_right(&store, guess, other));
                assert_false(store_is_right(&store, store_guess(&store, store_hash(other, bytes)), other));
            }
        }
        assert_true(right > states / 4 * 3);
        store_clear(&store);
    }
}

/* Keys of every length whose halves are cut anywhere and have their bytes in any order: what went in comes out, and
 * every byte counts. */
static void test_trees_in_any_order(void **state)
{
    enum { MOST = 40 };
    (void)state;
    for (size_t bytes = 2; bytes <= MOST; bytes++)
        for (size_t cut = 1; cut < bytes; cut++) {
            uint16_t order[MOST];
            unsigned char key[MOST], copy[MOST];
            uint64_t record;
            bool fits = true;
            for (size_t i = 0; i < bytes; i++)
                order[i] = (uint16_t)i;
            for (size_t i = bytes; i-- > 1;) {
                size_t with = store_hash(&(uint64_t){bytes << 16 | cut << 8 | i}, sizeof(uint64_t)) % (i + 1);
                uint16_t swapped = order[i];
                order[i] = order[with];
                order[with] = swapped;
            }
            struct tree *tree = tree_new(bytes, cut % 3 ? order : NULL, cut % 3 ? cut : 0);
            assert_non_null(tree);
            fill_key(key, bytes, (uint32_t)(bytes * cut));
            assert_int_equal(tree_encode(tree, key, false, &record, &fits), 0);
            tree_decode(tree, record, copy);
            assert_memory_equal(key, copy, bytes);
            assert_int_equal(tree_hash(tree, record), store_hash(key, bytes));
            assert_true(tree_is_key(tree, record, key));
            for (size_t i = 0; i < bytes; i++) {
                key[i] ^= 1;
                assert_false(tree_is_key(tree, record, key));
                key[i] ^= 1;
            }
            tree_free(tree);
        }
}

/* Keys of which only one half changes, so that its numbers need more bits again and again, at every depth. */
static void test_one_half_grows(void **state)
{
    enum { BYTES = 40, KEYS = 20000 };
    (void)state;
    for (size_t at = 0; at < BYTES; at += 4) {
        struct store store;
        unsigned char key[BYTES] = {0}, copy[BYTES];
        assert_true(store_make_tree(&store, BYTES));
        store_alone(&store);
        for (uint32_t i = 0; i < KEYS; i++) {
            memcpy(key + at, &i, sizeof i);
            assert_int_equal(store_insert(&store, key, store_hash(key, BYTES)), i);
        }
        for (uint32_t i = 0; i < KEYS; i++) {
            memcpy(key + at, &i, sizeof i);
            store_copy(&store, i, copy);
            assert_memory_equal(key, copy, BYTES);
        }
        store_clear(&store);
    }
}

/* Records so large that there are fewer numbers of them than 32 bits hold. */
static void test_numbers_without_chunks(void **state)
{
    (void)state;
    enum { LARGE = 1 << 16 };
    struct store s;
    assert_true(store_make(&s, LARGE));
    assert_true(store_chunk(&s, (STORE_CHUNKS << s.chunk_bits) - 1));
    assert_false(store_chunk(&s, STORE_CHUNKS << s.chunk_bits));
    assert_false(store_chunk(&s, STORE_LAST));
    s.chunk[STORE_CHUNKS - 1] = NULL; /* a mapping that nobody has written to */
    store_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_stable), cmocka_unit_test(test_every_byte_counts),
        cmocka_unit_test(test_equal_hashes),       cmocka_unit_test(test_rewriting_keeps_numbers),
        cmocka_unit_test(test_memory_per_state),   cmocka_unit_test(test_settling_unused_blocks),
        cmocka_unit_test(test_slots_left_behind),  cmocka_unit_test(test_numbers_without_chunks),
        cmocka_unit_test(test_records_of_trees),   cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_trees_in_any_order), cmocka_unit_test(test_one_half_grows),
        cmocka_unit_test(test_around_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
