/* SPDX-License-Identifier: Apache-2.0 */
/* What the store of one thread and that of several share: slots, chunks, growing. */
#ifndef STORE_TABLE_H
#define STORE_TABLE_H

#include "store/prints.h"
#include "store/tree.h"

/* Up to 8 bytes as a word. */
static inline uint64_t store_load_few(const unsigned char *at, size_t bytes)
{
    enum { BITS = 8, HALF = 4, WORD = 8 };
    uint64_t word = 0;
    if (bytes == WORD)
        return store_load(at);
    if (bytes >= HALF)
        return store_load_half(at) | store_load_half(at + bytes - HALF) << (bytes - HALF) * BITS;
    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)at[i] << i * BITS;
    return word;
}

/* The word that has all of a record, which at the end of a chunk is its last; and where in it the record begins. */
static inline unsigned char *store_word(const struct store *s, uint32_t state, unsigned *from)
{
    size_t bit = (size_t)(state & s->chunk_mask) * s->record_bits, byte = bit >> 3, last = s->chunk_bytes - 8;
    byte = byte < last ? byte : last;
    *from = (unsigned)(bit - (byte << 3));
    return s->chunk[state >> s->chunk_bits] + byte;
}

/* With a tree: the record of a state. */
static inline uint64_t store_record(const struct store *s, uint32_t state)
{
    unsigned from;
    if (s->record_bits % 8)
        return store_load(store_word(s, state, &from)) >> from & ((UINT64_C(1) << s->record_bits) - 1);
    return store_load_few(store_key(s, state), s->record_bytes);
}

/* The same, written: records that share bytes are never written by two threads. */
static inline void store_put_record(const struct store *s, uint32_t state, uint64_t record)
{
    unsigned from;
    if (s->record_bits % 8 == 0) {
        memcpy((unsigned char *)store_key(s, state), &record, s->record_bytes);
        return;
    }
    unsigned char *at = store_word(s, state, &from);
    uint64_t word = (store_load(at) & ~(((UINT64_C(1) << s->record_bits) - 1) << from)) | record << from;
    memcpy(at, &word, sizeof word);
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
