/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lists.h"

#include "base/bits.h"
#include "base/limits.h"

#include <string.h>

static int by_value(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts a list and drops repeats by marking its items; all marks are clear before and after. */
static uint32_t tidy_by_marks(uint32_t *list, uint32_t length, uint32_t largest, uint64_t *mark)
{
    uint32_t kept = 0, item;
    for (uint32_t i = 0; i < length; i++)
        bit_set(mark, list[i]);
    for (size_t w = 0; w <= largest / 64; w++) {
        for_bits(item, mark[w], w) list[kept++] = item;
        mark[w] = 0;
    }
    return kept;
}

/* Sorts a list, which it mostly is already, and drops repeats; the length that is left. */
static uint32_t tidy(uint32_t *list, uint32_t length, uint64_t *mark)
{
    uint32_t kept = 0, largest = 0;
    bool ordered = true;
    for (uint32_t i = 0; i < length; i++) {
        ordered &= largest <= list[i];
        largest = list[i] > largest ? list[i] : largest;
    }
    if (!ordered && largest / 64 < length)
        return tidy_by_marks(list, length, largest, mark);
    if (!ordered)
        qsort(list, length, sizeof *list, by_value);
    for (uint32_t i = 0; i < length; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    return kept;
}

/* Puts every pair into its list: offset[i] ends up where list i ends.  False for a list that there is not. */
static bool distribute(const struct lists_builder *builder, uint32_t count, uint32_t *offset, uint32_t *item)
{
    for (size_t i = 0; i < builder->pairs.count; i++) {
        uint64_t index = builder->pairs.item[i] >> 32;
        if (index >= count)
            return false;
        if (index + 1 < count)
            offset[index + 1]++;
    }
    for (uint32_t i = 1; i < count; i++)
        offset[i] += offset[i - 1];
    for (size_t i = 0; i < builder->pairs.count; i++)
        item[offset[builder->pairs.item[i] >> 32]++] = (uint32_t)builder->pairs.item[i];
    return true;
}

/* Sorts the lists and closes the gaps that repeats leave. */
static bool tidy_all(uint32_t count, uint32_t *offset, uint32_t *item, uint64_t *mark)
{
    uint32_t kept = 0, start = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = offset[i], length = tidy(item + start, end - start, mark);
        if (limits_reached())
            return false;
        memmove(item + kept, item + start, length * sizeof *item);
        start = end;
        offset[i] = kept;
        kept += length;
    }
    offset[count] = kept;
    return true;
}

bool lists_finish(struct lists_builder *builder, uint32_t count, struct portolan_lists *lists)
{
    size_t pairs = builder->pairs.count;
    bool fine = !builder->failed && pairs < UINT32_MAX && limits_allow(pairs * sizeof(uint32_t));
    uint32_t *offset = fine ? calloc((size_t)count + 1, sizeof *offset) : NULL;
    uint32_t *item = fine ? malloc((pairs + 1) * sizeof *item) : NULL;
    uint64_t *mark =
        fine ? calloc(pairs + 1, sizeof *mark) : NULL; /* a list has a word of them for each item, or is sorted */
    fine = offset && item && mark && distribute(builder, count, offset, item) && tidy_all(count, offset, item, mark);
    free(mark);
    if (fine) {
        lists->offset = offset;
        lists->item = item;
    } else {
        free(offset);
        free(item);
    }
    free(builder->pairs.item);
    memset(builder, 0, sizeof *builder);
    return fine;
}

bool lists_from_rows(const uint64_t *rows, uint32_t count, struct portolan_lists *lists)
{
    size_t words = bit_words(count), bits = 0;
    uint32_t *offset = calloc((size_t)count + 1, sizeof *offset), length = 0;
    for (size_t i = 0; i < count * words; i++)
        bits += (size_t)__builtin_popcountll(rows[i]);
    uint32_t *item = bits < UINT32_MAX && limits_allow(bits * sizeof *item) ? malloc((bits + 1) * sizeof *item) : NULL;
    if (!offset || !item) {
        free(offset);
        free(item);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (size_t w = 0; w < words; w++) {
            uint32_t j;
            for_bits(j, rows[i * words + w], w) item[length++] = j;
        }
        offset[i + 1] = length;
    }
    lists->offset = offset;
    lists->item = item;
    return true;
}

void lists_clear(struct portolan_lists *lists)
{
    free((void *)lists->offset);
    free((void *)lists->item);
    lists->offset = NULL;
    lists->item = NULL;
}

bool lists_append(const struct portolan_lists *lists, uint32_t count, const uint32_t *some, uint32_t some_count,
                  uint32_t item, struct portolan_lists *appended)
{
    size_t items = (size_t)lists->offset[count] + some_count;
    uint32_t *offset = calloc((size_t)count + 1, sizeof *offset), *copy = NULL, next = 0;
    if (items < UINT32_MAX && limits_allow(items * sizeof *copy))
        copy = malloc((items + 1) * sizeof *copy);
    if (!offset || !copy) {
        free(offset);
        free(copy);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = list_length(lists, i);
        memcpy(copy + offset[i], lists->item + lists->offset[i], length * sizeof *copy);
        offset[i + 1] = offset[i] + length;
        if (next < some_count && some[next] == i) {
            copy[offset[i + 1]++] = item;
            next++;
        }
    }
    appended->offset = offset;
    appended->item = copy;
    return true;
}

bool lists_transpose(const struct portolan_lists *lists, uint32_t from, uint32_t to, struct portolan_lists *transposed)
{
    struct lists_builder builder = {0};
    for (uint32_t i = 0; i < from; i++)
        for_list (item, *lists, i)
            lists_add(&builder, *item, i);
    return lists_finish(&builder, to, transposed);
}
