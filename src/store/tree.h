/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as trees: a key is cut in halves, those again, down to a few bytes; equal parts are kept once, and a part is the
 * pair of its halves' numbers (Laarman, van de Pol, Weber, "Parallel recursive state compression for free", SPIN 2011).
 * The record of a key is the pair of its halves' numbers, packed into as few bits as the numbers need by now; long
 * halves are keys of a store that keeps them as trees.
 */
#ifndef STORE_TREE_H
#define STORE_TREE_H

#include "store/store.h"

enum { TREE_MOST_KEY = 1 << 16 };

struct tree;

/* `cut` bytes of a key are its first half, those that `order` names first; 0: as they are, half of them.  NULL when
 * memory is exhausted, or keys are longer than TREE_MOST_KEY. */
struct tree *tree_new(size_t key_bytes, const uint16_t *order, size_t cut);
size_t tree_first_half(size_t bytes);
/* An order for the keys of a store, all bytes of a key; returns the cut, 0 when there is none better. */
size_t tree_order(const struct store *store, uint16_t *order);
void tree_free(struct tree *tree);
size_t tree_bytes(const struct tree *tree);
/* Of an empty tree: only one thread will ever insert. */
void tree_alone(struct tree *tree);
/* Of an empty tree: parts are kept in a file. */
void tree_spill(struct tree *tree, struct spill *spill);
/* Of a record, as the widths are now; whole bytes, unless it may do without. */
size_t tree_record_bits(const struct tree *tree, bool any_bits);

/* Finds or inserts the parts of a key.  STORE_FULL: tree_make_room must be called before (several threads);
 * STORE_NONE: memory ran out; else the record has been written, or its numbers do not fit (*fits). */
uint32_t tree_encode(struct tree *tree, const unsigned char *key, bool several, uint64_t *record, bool *fits);
void tree_decode(const struct tree *tree, uint64_t record, unsigned char *key);
/* store_hash of the key. */
uint64_t tree_hash(const struct tree *tree, uint64_t record);
/* Is the record that of this key? */
bool tree_is_key(const struct tree *tree, uint64_t record, const unsigned char *key);

/* Larger tables where they are full; see store_grow_shared. */
bool tree_make_room(struct tree *tree, void (*together)(void *user, void (*part)(void *), void *argument), void *user);
/* Wider numbers, for all that there are; a record of the widths before as one of the present widths. */
void tree_widen(struct tree *tree, bool any_bits);
void tree_undo_widen(struct tree *tree);
uint64_t tree_convert(const struct tree *tree, uint64_t record);

/* To foretell its size: how many there are of each part, to be freed by the caller; NULL when memory is exhausted. */
uint32_t *tree_counts(const struct tree *tree);
/* The bytes of records and parts, were there so many times as many keys; `half` are the counts when there were half as
 * many. */
double tree_foretell(const struct tree *tree, bool any_bits, const uint32_t *half, double keys, double times);

#endif
