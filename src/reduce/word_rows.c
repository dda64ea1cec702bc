/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce/word_rows.h"

#include "base/bits.h"
#include "base/vector.h"

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

static void fill_whole_row(const struct portolan_lists *lists, uint32_t list, uint32_t limit, uint32_t each,
                           struct row_word *word)
{
    for (uint32_t w = 0; w < each; w++)
        word[w].word = w;
    for_list (item, *lists, list)
        if (*item < limit)
            word[*item / 64].bits |= UINT64_C(1) << *item % 64;
}

bool word_rows_make(struct word_rows *rows, const struct portolan_lists *lists, uint32_t count, uint32_t limit,
                    uint32_t each)
{
    rows->word = NULL;
    rows->offset = calloc((size_t)count + 1, sizeof *rows->offset);
    if (!rows->offset)
        return false;
    for (uint32_t i = 0; i < count; i++)
        rows->offset[i + 1] = rows->offset[i] + (each ? each : words_of_list(lists, i, limit));
    size_t words = (size_t)rows->offset[count] + 1, bytes = words * sizeof *rows->word;
    rows->word = limits_allow(bytes) ? calloc(words, sizeof *rows->word) : NULL;
    if (!rows->word)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (each)
            fill_whole_row(lists, i, limit, each, rows->word + rows->offset[i]);
        else
            fill_row(lists, i, limit, rows->word + rows->offset[i]);
    }
    return true;
}

struct row_vector {
    struct row_word *item;
    size_t count, capacity;
};

/* The first words of a row, all up to `each` and then those that are not zero; they are zero afterwards. */
static bool take_words(uint64_t *words, size_t count, uint32_t each, struct row_vector *taken)
{
    for (size_t w = 0; w < count || w < each; w++) {
        if (w >= each && !words[w])
            continue;
        if (!vector_push(taken, ((struct row_word){.bits = words[w], .word = (uint32_t)w})))
            return false;
        words[w] = 0;
    }
    return true;
}

bool word_rows_compose(struct word_rows *rows, const struct word_rows *first, const struct word_rows *second,
                       uint32_t count, uint32_t limit, uint32_t each)
{
    struct row_vector words = {0};
    uint64_t *row = calloc(bit_words(limit) + each + 1, sizeof *row);
    rows->offset = calloc((size_t)count + 1, sizeof *rows->offset);
    bool fine = row && rows->offset && vector_reserve(&words, 1);
    for (uint32_t i = 0; fine && i < count; i++) {
        uint32_t k;
        for_row (some, *first, i)
            for_bits(k, some->bits, some->word) for_row (more, *second, k) row[more->word] |= more->bits;
        fine = !limits_reached() && take_words(row, bit_words(limit), each, &words);
        rows->offset[i + 1] = (uint32_t)words.count;
    }
    free(row);
    rows->word = words.item;
    return fine;
}

void word_rows_clear(struct word_rows *rows)
{
    free(rows->offset);
    free(rows->word);
    *rows = (struct word_rows){0};
}
