/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tree.h"
#include "store/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <tmmintrin.h>
#endif

enum { LEAF = 8, FIRST_BITS = 12, SHORT = 16 };

struct half {
    size_t from, bytes; /* half of a single byte has none, and number 0 */
    struct store set;   /* long ones are kept as trees, too; without bytes: none */
};

struct tree {
    struct half half[2];
    size_t key_bytes;
    uint16_t *order;                   /* of the bytes of a key; NULL: as they are */
    uint8_t bits[2], bits_before[2];   /* of the numbers in a record */
    bool is_short;                     /* both halves are leaves, and put in order at once, ... */
    uint8_t split[SHORT], join[SHORT]; /* ... by these */
};

static inline void copy_leaf(unsigned char *to, const unsigned char *from, size_t bytes)
{
    uint64_t word = store_load_few(from, bytes);
    if (bytes == LEAF) {
        memcpy(to, &word, LEAF);
        return;
    }
    for (size_t i = 0; i < bytes; i++, word >>= 8)
        to[i] = (unsigned char)word;
}

/* Long parts are cut between words, which hold whole variables. */
size_t tree_first_half(size_t bytes)
{
    size_t half = bytes - bytes / 2;
    return bytes > 2 * LEAF ? (half + LEAF - 1) / LEAF * LEAF : half;
}

static bool make_half(struct half *half, size_t from, size_t bytes)
{
    half->from = from;
    half->bytes = bytes;
    if (bytes && !(bytes <= LEAF ? store_make(&half->set, bytes) : store_make_tree(&half->set, bytes)))
        return false;
    half->set.is_part = true;
    return true;
}

/* Keys of 8 to 16 bytes whose halves are leaves: both are taken out of a key by one permutation of two words, its first
 * and its last, and put there by another. */
static void make_short(struct tree *t)
{
#ifdef __x86_64__
    enum { NOTHING = 0x80 };
    size_t bytes = t->key_bytes, cut = t->half[0].bytes;
    t->is_short = bytes >= LEAF && bytes <= SHORT && cut > 0 && cut <= LEAF && cut < bytes && bytes - cut <= LEAF &&
                  __builtin_cpu_supports("ssse3");
    if (!t->is_short)
        return;
    memset(t->split, NOTHING, SHORT);
    for (size_t i = 0; i < bytes; i++) {
        size_t byte = t->order ? t->order[i] : i, ordered = i < cut ? i : LEAF + i - cut;
        t->split[ordered] = (uint8_t)(byte < LEAF ? byte : byte + SHORT - bytes);
        if (byte < LEAF)
            t->join[byte] = (uint8_t)ordered;
        if (byte >= bytes - LEAF)
            t->join[byte + SHORT - bytes] = (uint8_t)ordered;
    }
#else
    (void)t;
#endif
}

struct tree *tree_new(size_t key_bytes, const uint16_t *order, size_t cut)
{
    struct tree *t = key_bytes <= TREE_MOST_KEY ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return NULL;
    t->key_bytes = key_bytes;
    if (cut && (t->order = malloc(key_bytes * sizeof *order)))
        memcpy(t->order, order, key_bytes * sizeof *order);
    size_t first = cut ? cut : tree_first_half(key_bytes);
    t->bits[0] = t->bits[1] = FIRST_BITS;
    if ((t->order || !cut) && make_half(&t->half[0], 0, first) && make_half(&t->half[1], first, key_bytes - first)) {
        make_short(t);
        return t;
    }
    tree_free(t);
    return NULL;
}

void tree_free(struct tree *t)
{
    if (!t)
        return;
    for (int side = 0; side < 2; side++)
        store_clear(&t->half[side].set);
    free(t->order);
    free(t);
}

void tree_alone(struct tree *t)
{
    for (int side = 0; side < 2; side++)
        store_alone(&t->half[side].set);
}

size_t tree_bytes(const struct tree *t)
{
    return sizeof *t + store_bytes(&t->half[0].set) + store_bytes(&t->half[1].set);
}

void tree_spill(struct tree *t, struct spill *spill)
{
    for (int side = 0; side < 2; side++)
        store_spill(&t->half[side].set, spill);
}

size_t tree_record_bits(const struct tree *t, bool any_bits)
{
    enum { MOST = 57 }; /* a record of more may lie in more than one word */
    size_t bits = (size_t)t->bits[0] + t->bits[1];
    return any_bits && bits <= MOST ? bits : (bits + 7) / 8 * 8;
}

/* --- from keys to records and back */

/* Looked for as a whole first: most halves of new keys are not new. */
static uint32_t number_of(struct half *half, const unsigned char *key, bool several)
{
    bool is_new;
    if (!half->bytes)
        return 0;
    const unsigned char *what = key + half->from;
    uint64_t hash = store_hash(what, half->bytes);
    return several ? store_insert_shared(&half->set, what, hash, 0, &is_new) : store_insert(&half->set, what, hash);
}

/* The key with its bytes in order, in `room` if they are not. */
static const unsigned char *in_order(const struct tree *t, const unsigned char *key, unsigned char *room)
{
    for (size_t i = 0; t->order && i < t->key_bytes; i++)
        room[i] = key[t->order[i]];
    return t->order ? room : key;
}

uint32_t tree_encode(struct tree *t, const unsigned char *key, bool several, uint64_t *record, bool *fits)
{
    unsigned char room[t->key_bytes + 1];
    key = in_order(t, key, room);
    uint32_t left = number_of(&t->half[0], key, several);
    if (left >= STORE_FULL)
        return left;
    uint32_t right = number_of(&t->half[1], key, several);
    if (right >= STORE_FULL)
        return right;
    *fits = (uint64_t)left >> t->bits[0] == 0 && (uint64_t)right >> t->bits[1] == 0;
    *record = left | (uint64_t)right << t->bits[0];
    return 0;
}

static void decode(const struct half *half, uint32_t at, unsigned char *key)
{
    const struct store *set = &half->set;
    if (!half->bytes)
        return;
    if (set->tree)
        tree_decode(set->tree, store_record(set, at), key + half->from);
    else
        copy_leaf(key + half->from, store_key(set, at), half->bytes);
}

static uint32_t left_of(const struct tree *t, uint64_t record)
{
    return (uint32_t)(record & ((UINT64_C(1) << t->bits[0]) - 1));
}

static uint32_t right_of(const struct tree *t, uint64_t record)
{
    return (uint32_t)(record >> t->bits[0]);
}

#ifdef __x86_64__
/* The leaves of a short key. */
struct leaves {
    uint64_t leaf[2];
};

static inline struct leaves leaves_at(const struct tree *t, uint64_t record)
{
    const struct half *left = &t->half[0], *right = &t->half[1];
    return (struct leaves){{store_load_few(store_key(&left->set, left_of(t, record)), left->bytes),
                            store_load_few(store_key(&right->set, right_of(t, record)), right->bytes)}};
}

static __attribute__((target("ssse3"))) void decode_short(const struct tree *t, uint64_t record, unsigned char *key)
{
    struct leaves leaves = leaves_at(t, record);
    __m128i joined = _mm_shuffle_epi8(_mm_set_epi64x((long long)leaves.leaf[1], (long long)leaves.leaf[0]),
                                      _mm_loadu_si128((const __m128i *)t->join));
    memcpy(&leaves, &joined, sizeof leaves);
    memcpy(key, &leaves.leaf[0], LEAF);
    memcpy(key + t->key_bytes - LEAF, &leaves.leaf[1], LEAF);
}

static __attribute__((target("ssse3"))) bool is_short_key(const struct tree *t, uint64_t record,
                                                          const unsigned char *key)
{
    struct leaves found = leaves_at(t, record), wanted;
    __m128i words = _mm_set_epi64x((long long)store_load(key + t->key_bytes - LEAF), (long long)store_load(key));
    __m128i split = _mm_shuffle_epi8(words, _mm_loadu_si128((const __m128i *)t->split));
    memcpy(&wanted, &split, sizeof wanted);
    return wanted.leaf[0] == found.leaf[0] && wanted.leaf[1] == found.leaf[1];
}
#else
static void decode_short(const struct tree *t, uint64_t record, unsigned char *key)
{
    (void)t;
    (void)record;
    (void)key;
}

static bool is_short_key(const struct tree *t, uint64_t record, const unsigned char *key)
{
    (void)t;
    (void)record;
    (void)key;
    return false;
}
#endif

void tree_decode(const struct tree *t, uint64_t record, unsigned char *key)
{
    if (t->is_short) {
        decode_short(t, record, key);
        return;
    }
    unsigned char room[t->key_bytes + 1], *ordered = t->order ? room : key;
    decode(&t->half[0], left_of(t, record), ordered);
    decode(&t->half[1], right_of(t, record), ordered);
    for (size_t i = 0; t->order && i < t->key_bytes; i++)
        key[t->order[i]] = ordered[i];
}

uint64_t tree_hash(const struct tree *t, uint64_t record)
{
    unsigned char key[SHORT];
    if (t->is_short) {
        decode_short(t, record, key);
        return store_hash(key, t->key_bytes);
    }
    unsigned char long_key[t->key_bytes];
    tree_decode(t, record, long_key);
    return store_hash(long_key, t->key_bytes);
}

static bool is_half(const struct half *half, uint32_t at, const unsigned char *key)
{
    const struct store *set = &half->set;
    if (!half->bytes)
        return true;
    if (set->tree)
        return tree_is_key(set->tree, store_record(set, at), key + half->from);
    return store_load_few(key + half->from, half->bytes) == store_load_few(store_key(set, at), half->bytes);
}

bool tree_is_key(const struct tree *t, uint64_t record, const unsigned char *key)
{
    if (t->is_short)
        return is_short_key(t, record, key);
    unsigned char room[t->key_bytes + 1];
    key = in_order(t, key, room);
    return is_half(&t->half[0], left_of(t, record), key) && is_half(&t->half[1], right_of(t, record), key);
}

/* --- growing */

bool tree_make_room(struct tree *t, void (*together)(void *user, void (*part)(void *), void *argument), void *user)
{
    for (int side = 0; side < 2; side++)
        if (t->half[side].bytes && !store_grow_shared(&t->half[side].set, together, user))
            return false;
    return true;
}

static uint8_t bits_of(const struct tree *t, int side)
{
    uint32_t count = store_count(&t->half[side].set);
    return (uint8_t)(32 - __builtin_clz(count | 1));
}

/* As many bits as there are numbers, and what is left of the last byte in turns, to the side that has more of them
 * first: where whole bytes are stored that costs nothing. */
void tree_widen(struct tree *t, bool any_bits)
{
    memcpy(t->bits_before, t->bits, sizeof t->bits);
    for (int side = 0; side < 2; side++)
        t->bits[side] = bits_of(t, side);
    for (int side = t->bits[1] > t->bits[0]; !any_bits && (t->bits[0] + t->bits[1]) % 8; side = !side)
        t->bits[side] += t->bits[side] < 32;
}

void tree_undo_widen(struct tree *t)
{
    memcpy(t->bits, t->bits_before, sizeof t->bits);
}

uint64_t tree_convert(const struct tree *t, uint64_t record)
{
    uint64_t left = record & ((UINT64_C(1) << t->bits_before[0]) - 1), right = record >> t->bits_before[0];
    return left | right << t->bits[0];
}

/* --- foretelling */

static uint32_t note_counts(const struct tree *t, uint32_t *counts, uint32_t noted)
{
    for (int side = 0; side < 2; side++) {
        const struct store *set = &t->half[side].set;
        if (counts)
            counts[noted] = store_count(set);
        noted = set->tree ? note_counts(set->tree, counts, noted + 1) : noted + 1;
    }
    return noted;
}

uint32_t *tree_counts(const struct tree *t)
{
    uint32_t *counts = calloc(note_counts(t, NULL, 0), sizeof *counts);
    if (counts)
        note_counts(t, counts, 0);
    return counts;
}

/* Equal parts are met again the more often the more keys there are, so a power of the number of keys tells too many
 * rather than too few. */
static double expected_count(const struct store *set, uint32_t half, double times)
{
    double now = store_count(set);
    return now * pow(times, now > half && half ? fmin(1, log2(now / half)) : 0);
}

/* The bytes of both halves, and those of a record; *half moves on behind what it tells of the tree. */
static double foretell(const struct tree *t, bool any_bits, const uint32_t **half, double times, double *record)
{
    const double slot = sizeof(uint32_t) * 1.5, bits_of_byte = 8;
    double bytes = 0, bits = 0;
    for (int side = 0; side < 2; side++) {
        const struct store *set = &t->half[side].set;
        double count = t->half[side].bytes ? expected_count(set, *(*half)++, times) : ((*half)++, 0);
        double each = (double)set->key_bytes;
        if (set->tree)
            bytes += foretell(set->tree, any_bits, half, times, &each);
        bytes += count * (each + slot);
        bits += count > 1 ? ceil(log2(count)) : 1;
    }
    *record = any_bits ? bits / bits_of_byte : ceil(bits / bits_of_byte);
    return bytes;
}

double tree_foretell(const struct tree *t, bool any_bits, const uint32_t *half, double keys, double times)
{
    const double root_slot = sizeof(uint32_t) * 1.15;
    double record, bytes = foretell(t, any_bits, &half, times, &record);
    return bytes + keys * times * (record + root_slot);
}
