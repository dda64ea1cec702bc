#include "base/lists.h"

#include <string.h>

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static size_t without_repeats(uint64_t *pairs, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || pairs[i] != pairs[i - 1])
            pairs[kept++] = pairs[i];
    return kept;
}

/* Is a pair of a list beyond the last?  Then whoever counted the lists has failed on the way. */
static bool has_more_than(const struct lists_builder *builder, uint32_t count)
{
    for (size_t i = 0; i < builder->pairs.count; i++)
        if (builder->pairs.item[i] >> 32 >= count)
            return true;
    return false;
}

bool lists_finish(struct lists_builder *builder, uint32_t count, struct portolan_lists *lists)
{
    uint32_t *offset = calloc((size_t)count + 1, sizeof *offset);
    uint32_t *item = malloc((builder->pairs.count + 1) * sizeof *item);
    bool fine = offset && item && !builder->failed && !has_more_than(builder, count);
    if (fine) {
        if (builder->pairs.count)
            qsort(builder->pairs.item, builder->pairs.count, sizeof *builder->pairs.item, by_value);
        size_t pairs = without_repeats(builder->pairs.item, builder->pairs.count);
        for (size_t i = 0; i < pairs; i++) {
            item[i] = (uint32_t)builder->pairs.item[i];
            offset[(builder->pairs.item[i] >> 32) + 1]++;
        }
        for (uint32_t i = 0; i < count; i++)
            offset[i + 1] += offset[i];
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

void lists_clear(struct portolan_lists *lists)
{
    free((void *)lists->offset);
    free((void *)lists->item);
    lists->offset = NULL;
    lists->item = NULL;
}

bool lists_transpose(const struct portolan_lists *lists, uint32_t from, uint32_t to, struct portolan_lists *transposed)
{
    struct lists_builder builder = {0};
    for (uint32_t i = 0; i < from; i++)
        for_list(item, *lists, i) lists_add(&builder, *item, i);
    return lists_finish(&builder, to, transposed);
}
