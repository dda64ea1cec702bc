/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of numbers as rows of 64-bit words, the zero ones left out: what many numbers have in common with a set is a
 * few operations where they are close together, and a row of few numbers is short however large they may be.
 */
#ifndef REDUCE_WORD_ROWS_H
#define REDUCE_WORD_ROWS_H

#include "base/lists.h"

struct row_word {
    uint64_t bits;
    uint32_t word; /* its place in a set of bits */
};

struct word_rows {
    uint32_t *offset; /* row i is word[offset[i]] up to word[offset[i + 1]] */
    struct row_word *word;
};

/* Rows of the lists' items below `limit`, shortest when these come in increasing order; false when memory is out.  To
 * be cleared in any case.  Where `each` is not 0, every row has the first so many words, also those that are zero. */
bool word_rows_make(struct word_rows *rows, const struct portolan_lists *lists, uint32_t count, uint32_t limit,
                    uint32_t each);
/* Row i: all that is in rows of `second` whose numbers are in row i of `first`. */
bool word_rows_compose(struct word_rows *rows, const struct word_rows *first, const struct word_rows *second,
                       uint32_t count, uint32_t limit, uint32_t each);
void word_rows_clear(struct word_rows *rows);

/* for (each word of a row) */
#define for_row(entry, rows, index)                                                                                    \
    for (const struct row_word *entry = (rows).word + (rows).offset[index],                                            \
                               *entry##_end = (rows).word + (rows).offset[(index) + 1];                                \
         entry < entry##_end; entry++)

/* The same where every row is known to have so many words; 0: it is not. */
#define for_row_of(each, entry, rows, index)                                                                           \
    for (const struct row_word *entry = (rows).word + ((each) ? (size_t)(index) * (each) : (rows).offset[index]),      \
                               *entry##_end = (each) ? entry + (each)                                                  \
                                                     : (rows).word + (rows).offset[(size_t)(index) + 1];               \
         entry < entry##_end; entry++)

static inline uint32_t row_length(const struct word_rows *rows, uint32_t index)
{
    return rows->offset[index + 1] - rows->offset[index];
}

#endif
