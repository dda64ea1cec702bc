/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce/word_rows.h"

#include <stdlib.h>

static uint32_t words_of_list(const struct portolan_lists *lists, uint32_t list, uint32_t limit)
{
    uint32_t words = 0, last = UINT32_MAX;
    for_list (item, *lists, list)
        if (*item < limit && *item / 64 != last) {
            last = *item / 64;
            words++;
        }
    return words;
}

static void fill_row(const struct portolan_lists *lists, uint32_t list, uint32_t limit, struct row_word *word)
{
    uint32_t last = UINT32_MAX;
    for_list (item, *lists, list) {
        if (*item >= limit)
            continue;
        if (*item / 64 != last) {
            last = *item / 64;
            *word = (struct row_word){.word = last};
            word++;
        }
        word[-1].bits |= UINT64_C(1) << *item % 64;
    }
}

bool word_rows_make(struct word_rows *rows, const struct portolan_lists *lists, uint32_t count, uint32_t limit)
{
    rows->word = NULL;
    rows->offset = calloc((size_t)count + 1, sizeof *rows->offset);
    if (!rows->offset)
        return false;
    for (uint32_t i = 0; i < count; i++)
        rows->offset[i + 1] = rows->offset[i] + words_of_list(lists, i, limit);
    size_t bytes = ((size_t)rows->offset[count] + 1) * sizeof *rows->word;
    rows->word = limits_allow(bytes) ? malloc(bytes) : NULL;
    if (!rows->word)
        return false;
    for (uint32_t i = 0; i < count; i++)
        fill_row(lists, i, limit, rows->word + rows->offset[i]);
    return true;
}

void word_rows_clear(struct word_rows *rows)
{
    free(rows->offset);
    free(rows->word);
    *rows = (struct word_rows){0};
}
