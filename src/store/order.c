/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of a key go into which half of a tree.  The variables of one process, or those that change together,
 * often lie far apart; where they are in the same half it has fewer values.  From a sample of the keys: of all groups
 * of bytes, at first one each, those two become one that have the fewest values together, until there are so few that
 * every way to divide them can be tried.  How many values there are among all keys is told by how many pairs of the
 * sample have the same: nearly all of a sample may be different where a part has many values, but still some are equal.
 */
#include "store/tree.h"

#include "base/limits.h"

#include <stdlib.h>

enum { SAMPLE = 1 << 12, MOST_BYTES = 64, FEW_GROUPS = 10 };

struct sorting {
    uint32_t keys, groups;
    unsigned char group[MOST_BYTES];           /* of each byte: the number of its first byte */
    uint32_t together[MOST_BYTES][MOST_BYTES]; /* values that two groups have */
    uint64_t value[MOST_BYTES][SAMPLE];        /* of each group: what its bytes of a key are folded to */
    bool is_second[MOST_BYTES];                /* in which half each byte is */
    uint64_t half[2][SAMPLE];                  /* scratch */
    uint64_t met[2 * SAMPLE];                  /* values that were met, ... */
    uint32_t times[2 * SAMPLE];                /* ... and how often */
};

static uint64_t fold_byte(size_t byte, unsigned char value)
{
    uint64_t number = ((uint64_t)byte << 8) + value + 1;
    return store_fold(number * UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f));
}

static void take_sample(struct sorting *s, const struct store *store)
{
    unsigned char key[MOST_BYTES];
    s->keys = store->count < SAMPLE ? store->count : SAMPLE;
    for (uint32_t i = 0; i < s->keys; i++) {
        store_copy(store, (uint32_t)((uint64_t)i * store->count / s->keys), key);
        for (size_t byte = 0; byte < store->key_bytes; byte++)
            s->value[byte][i] = fold_byte(byte, key[byte]);
    }
}

/* Sixteen times as many values as there probably are: so many pairs of keys have the same one. */
static uint32_t count_values(struct sorting *s, const uint64_t *a, const uint64_t *b)
{
    uint64_t same = 0, pairs = (uint64_t)s->keys * (s->keys - 1) / 2;
    memset(s->met, 0, sizeof s->met);
    memset(s->times, 0, sizeof s->times);
    for (uint32_t key = 0; key < s->keys; key++) {
        uint64_t value = (a[key] ^ (b ? b[key] : 0)) | 1;
        size_t i = value >> 51; /* of 2 * SAMPLE */
        while (s->met[i] && s->met[i] != value)
            i = (i + 1) % (2 * SAMPLE);
        s->met[i] = value;
        same += s->times[i]++;
    }
    double count = 16 * (double)pairs / ((double)same + 0.5);
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void weigh(struct sorting *s, size_t group, size_t bytes)
{
    for (size_t other = 0; other < bytes; other++)
        if (other != group && s->group[other] == other)
            s->together[group][other] = s->together[other][group] = count_values(s, s->value[group], s->value[other]);
}

static void join(struct sorting *s, size_t to, size_t from, size_t bytes)
{
    for (size_t byte = 0; byte < bytes; byte++)
        if (s->group[byte] == from)
            s->group[byte] = (unsigned char)to;
    for (uint32_t key = 0; key < s->keys; key++)
        s->value[to][key] ^= s->value[from][key];
    s->groups--;
}

static void join_the_least(struct sorting *s, size_t bytes)
{
    size_t first = 0, second = 0;
    for (size_t a = 0; a < bytes; a++)
        for (size_t b = a + 1; b < bytes && s->group[a] == a; b++)
            if (s->group[b] == b && (second == 0 || s->together[a][b] < s->together[first][second])) {
                first = a;
                second = b;
            }
    join(s, first, second, bytes);
    weigh(s, first, bytes);
}

/* The values of both halves when the groups of this set are one of them. */
static double count_halves(struct sorting *s, const uint8_t *groups, uint32_t set)
{
    memset(s->half, 0, sizeof s->half);
    for (uint32_t i = 0; i < s->groups; i++)
        for (uint32_t key = 0; key < s->keys; key++)
            s->half[set >> i & 1][key] ^= s->value[groups[i]][key];
    return (double)count_values(s, s->half[0], NULL) + count_values(s, s->half[1], NULL);
}

/* The values of both halves as bytes are in them; those of groups are no longer needed. */
static double count_bytes(struct sorting *s, const struct store *store)
{
    unsigned char key[MOST_BYTES];
    memset(s->half, 0, sizeof s->half);
    for (uint32_t i = 0; i < s->keys; i++) {
        store_copy(store, (uint32_t)((uint64_t)i * store->count / s->keys), key);
        for (size_t byte = 0; byte < store->key_bytes; byte++)
            s->half[s->is_second[byte]][i] ^= fold_byte(byte, key[byte]);
    }
    return (double)count_values(s, s->half[0], NULL) + count_values(s, s->half[1], NULL);
}

/* The values of both halves when nothing is put in order. */
static double count_unordered(struct sorting *s, size_t bytes)
{
    memset(s->half, 0, sizeof s->half);
    for (size_t byte = 0; byte < bytes; byte++)
        for (uint32_t key = 0; key < s->keys; key++)
            s->half[byte >= tree_first_half(bytes)][key] ^= s->value[byte][key];
    return (double)count_values(s, s->half[0], NULL) + count_values(s, s->half[1], NULL);
}

/* Of few groups any may go to either half: what is best is tried.  False: what there is is as good. */
static bool divide(struct sorting *s, size_t bytes, double *least)
{
    uint8_t groups[FEW_GROUPS];
    uint32_t count = 0, best = 0;
    for (size_t byte = 0; byte < bytes; byte++)
        if (s->group[byte] == byte)
            groups[count++] = (uint8_t)byte;
    for (uint32_t set = 1; set < UINT32_C(1) << (count - 1) && !limits_reached(); set++) {
        double values = count_halves(s, groups, set);
        if (values < *least) {
            *least = values;
            best = set;
        }
    }
    for (size_t byte = 0; byte < bytes; byte++)
        for (uint32_t i = 0; i < count; i++)
            if (s->group[byte] == groups[i]) {
                s->is_second[byte] = best >> i & 1;
                break;
            }
    return best;
}

/* Groups may have bytes that are better apart: single ones go over as long as that is better. */
static void move_bytes(struct sorting *s, const struct store *store, double least)
{
    size_t bytes = store->key_bytes, since = 0;
    for (size_t byte = 0; since < bytes && !limits_reached(); byte = (byte + 1) % bytes, since++) {
        s->is_second[byte] = !s->is_second[byte];
        double values = count_bytes(s, store);
        if (values < least) {
            least = values;
            since = 0;
        } else {
            s->is_second[byte] = !s->is_second[byte];
        }
    }
}

static bool sort_bytes(struct sorting *s, const struct store *store)
{
    size_t bytes = store->key_bytes;
    double before = count_unordered(s, bytes);
    s->groups = (uint32_t)bytes;
    for (size_t byte = 0; byte < bytes; byte++)
        s->group[byte] = (unsigned char)byte;
    for (size_t byte = 0; byte < bytes; byte++)
        weigh(s, byte, byte);
    while (s->groups > FEW_GROUPS && !limits_reached())
        join_the_least(s, bytes);
    bool is_better = s->groups <= FEW_GROUPS && divide(s, bytes, &before);
    if (is_better)
        move_bytes(s, store, before);
    return is_better;
}

size_t tree_order(const struct store *store, uint16_t *order)
{
    size_t bytes = store->key_bytes, cut = 0;
    struct sorting *s = bytes > 2 && bytes <= MOST_BYTES && store->count ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return 0;
    take_sample(s, store);
    if (sort_bytes(s, store)) {
        size_t placed = 0;
        for (unsigned side = 0; side < 2; side++) {
            for (size_t byte = 0; byte < bytes; byte++)
                if (s->is_second[byte] == side)
                    order[placed++] = (uint16_t)byte;
            cut = side ? cut : placed;
        }
    }
    free(s);
    return cut;
}
