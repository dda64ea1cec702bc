/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A relation between transitions as rows of bits.  A row is cut into blocks; equal blocks are kept once, and so are
 * equal rows.  A relation that says much is a few rows, one that says little a few blocks, so that neither takes the
 * square of the number of transitions.
 */
#ifndef REDUCE_ROWS_H
#define REDUCE_ROWS_H

#include "base/bits.h"
#include "base/sequences.h"

#include <string.h>

enum { ROW_BLOCK = 8 }; /* words in a block */

struct rows {
    size_t blocks; /* in a row */
    struct sequences kept_blocks, kept_rows;
    uint32_t *number; /* of the row; SEQUENCE_NONE: not set */
};

/* Words of a row for so many bits, a multiple of ROW_BLOCK. */
static inline size_t row_words(uint32_t bits)
{
    return (bit_words(bits) + ROW_BLOCK - 1) / ROW_BLOCK * ROW_BLOCK;
}

/* False when memory is out or a limit was reached; to be cleared in any case. */
bool rows_begin(struct rows *rows, uint32_t count, uint32_t bits);
bool rows_set(struct rows *rows, uint32_t row, const uint64_t *bits);
void rows_clear(struct rows *rows);
size_t rows_bytes(const struct rows *rows);

/* The number of a block of a row that is set; all zero blocks have the number 0. */
static inline uint32_t row_block(const struct rows *rows, uint32_t row, size_t block)
{
    return rows->kept_rows.items.item[rows->number[row] * rows->blocks + block];
}

static inline uint64_t block_word(const struct rows *rows, uint32_t block, size_t word)
{
    uint64_t bits;
    memcpy(&bits, rows->kept_blocks.items.item + ((size_t)block * ROW_BLOCK + word) * 2, sizeof bits);
    return bits;
}

static inline uint64_t row_word(const struct rows *rows, uint32_t row, size_t word)
{
    return block_word(rows, row_block(rows, row, word / ROW_BLOCK), word % ROW_BLOCK);
}

static inline bool row_has(const struct rows *rows, uint32_t row, uint32_t bit)
{
    return row_word(rows, row, bit / 64) >> bit % 64 & 1;
}

#endif
