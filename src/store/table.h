/* SPDX-License-Identifier: Apache-2.0 */
/* What the store of one thread and that of several share: slots, chunks, growing. */
#ifndef STORE_TABLE_H
#define STORE_TABLE_H

#include "store/store.h"

/* Short keys are compared in place: the first words and the last, which may overlap. */
static inline bool store_same_key(const struct store *s, const unsigned char *a, const unsigned char *b)
{
    size_t bytes = s->key_bytes;
    if (bytes >= 8 && bytes <= 24)
        return store_load(a) == store_load(b) && store_load(a + bytes - 8) == store_load(b + bytes - 8) &&
               (bytes <= 16 || store_load(a + 8) == store_load(b + 8));
    if (bytes >= 4 && bytes < 8)
        return store_load_half(a) == store_load_half(b) &&
               store_load_half(a + bytes - 4) == store_load_half(b + bytes - 4);
    return memcmp(a, b, bytes) == 0;
}

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
/* Gives the table back and takes a larger one, empty.  False: there is none, but mostly an empty one as large as before
 * (s->slot). */
bool store_enlarge(struct store *s);
/* Puts the states of these numbers into the table. */
void store_refill(struct store *s, uint32_t from, uint32_t end,
                  void (*put)(struct store *s, uint32_t state, uint64_t hash));

#endif
