/* SPDX-License-Identifier: Apache-2.0 */
/* An array of names and numbers, sorted by name, in which a name is found by bisection. */
#ifndef BASE_NAME_INDEX_H
#define BASE_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_index {
    const char *name;
    uint32_t number;
};

void name_index_sort(struct name_index *index, size_t count);
/* The smallest number of the name; false when nothing has it. */
bool name_index_find(const struct name_index *index, size_t count, const char *name, uint32_t *number);

#endif
