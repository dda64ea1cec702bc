/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce/rows.h"

#include "base/limits.h"

static uint32_t keep_block(struct rows *rows, const uint64_t *words)
{
    uint32_t items[2 * ROW_BLOCK];
    bool is_new;
    memcpy(items, words, sizeof items);
    return sequence_insert(&rows->kept_blocks, items, 2 * ROW_BLOCK, &is_new);
}

bool rows_begin(struct rows *rows, uint32_t count, uint32_t bits)
{
    const uint64_t zero[ROW_BLOCK] = {0};
    rows->blocks = row_words(bits) / ROW_BLOCK;
    rows->number = malloc(((size_t)count + 1) * sizeof *rows->number);
    if (!rows->number || keep_block(rows, zero) == SEQUENCE_NONE)
        return false;
    memset(rows->number, 0xff, ((size_t)count + 1) * sizeof *rows->number);
    return true;
}

bool rows_set(struct rows *rows, uint32_t row, const uint64_t *bits)
{
    uint32_t *blocks = malloc((rows->blocks + 1) * sizeof *blocks);
    bool is_new, fine = blocks && limits_allow(rows->blocks * sizeof *blocks);
    for (size_t b = 0; b < rows->blocks && fine; b++) {
        blocks[b] = keep_block(rows, bits + b * ROW_BLOCK);
        fine = blocks[b] != SEQUENCE_NONE;
    }
    if (fine)
        rows->number[row] = sequence_insert(&rows->kept_rows, blocks, rows->blocks, &is_new);
    free(blocks);
    return fine && rows->number[row] != SEQUENCE_NONE;
}

void rows_clear(struct rows *rows)
{
    sequences_clear(&rows->kept_blocks);
    sequences_clear(&rows->kept_rows);
    free(rows->number);
    *rows = (struct rows){0};
}

size_t rows_bytes(const struct rows *rows)
{
    return sequences_bytes(&rows->kept_blocks) + sequences_bytes(&rows->kept_rows);
}
