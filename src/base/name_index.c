/* SPDX-License-Identifier: Apache-2.0 */
#include "base/name_index.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
    const struct name_index *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

void name_index_sort(struct name_index *index, size_t count)
{
    if (count)
        qsort(index, count, sizeof *index, by_name);
}

bool name_index_find(const struct name_index *index, size_t count, const char *name, uint32_t *number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || strcmp(index[low].name, name) != 0)
        return false;
    *number = index[low].number;
    return true;
}
