/* SPDX-License-Identifier: Apache-2.0 */
/* What the store of one thread and that of several share: slots, chunks, growing. */
#ifndef STORE_TABLE_H
#define STORE_TABLE_H

#include "store/prints.h"
#include "store/tree.h"

static inline uint64_t store_record(const struct store *s, const unsigned char *at)
{
    uint64_t record = 0;
    memcpy(&record, at, s->record_bytes);
    return record;
}

/* Is the record that of the key?  Short keys are compared in place: the first words and the last, which may
 * overlap. */
static inline bool store_same_key(const struct store *s, const unsigned char *a, const unsigned char *b)
{
    size_t bytes = s->key_bytes;
    if (__builtin_expect(s->tree != NULL, 0))
        return tree_is_key(s->tree, store_record(s, a), b);
    if (bytes >= 8 && bytes <= 24)
        return store_load(a) == store_load(b) && store_load(a + bytes - 8) == store_load(b + bytes - 8) &&
               (bytes <= 16 || store_load(a + 8) == store_load(b + 8));
    if (bytes >= 4 && bytes < 8)
        return store_load_half(a) == store_load_half(b) &&
               store_load_half(a + bytes - 4) == store_load_half(b + bytes - 4);
    return memcmp(a, b, bytes) == 0;
}

/* A block is at most this part of the table, and all threads' together a part of it that leaves it with room. */
enum { STORE_BLOCK_PART = 32, STORE_MOST_BLOCK = 128 };

/* The table uses the high bits of the hash, so the piece comes from the low ones. */
static inline uint32_t store_piece(const struct store *s, uint64_t hash)
{
    return (uint32_t)(hash << s->id_bits);
}

static inline uint32_t store_next_slot(const struct store *s, uint32_t i)
{
    return i + 1 == s->slots ? 0 : i + 1;
}

/* Makes sure that there is room for the record of a state; false when memory ran out. */
bool store_chunk(struct store *s, uint32_t state);
/* Gives the table back and takes a larger one, empty.  False: there is no such table.  Then the present one is kept, or
 * there is an empty one as large as before (*is_empty), or none: the caller stops, the records stay readable. */
bool store_enlarge(struct store *s, bool *is_empty);
/* With a tree: rewrites the records for numbers that need more bits.  False when memory ran out. */
bool store_widen_records(struct store *s);
/* Instead of growing: keeps keys as trees from now on, if that is worth it; nothing changes when it is not. */
void store_try_tree(struct store *s);
/* Puts the states of these numbers into the table. */
void store_refill(struct store *s, uint32_t from, uint32_t end,
                  void (*put)(struct store *s, uint32_t state, uint64_t hash));

#endif
