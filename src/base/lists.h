/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building struct portolan_lists: pairs (index, item) are added in any order
 * and laid out by index; items of one list come out sorted and without repeats.
 */
#ifndef BASE_LISTS_H
#define BASE_LISTS_H

#include "base/limits.h"
#include "base/vector.h"
#include "portolan/portolan.h"

struct lists_builder {
    VECTOR(uint64_t) pairs; /* index << 32 | item */
    bool failed;
};

static inline void lists_add(struct lists_builder *builder, uint32_t index, uint32_t item)
{
    if (builder->failed || limits_reached() || !vector_push(&builder->pairs, (uint64_t)index << 32 | item))
        builder->failed = true;
}

/* Lays out `count` lists and releases the builder; false when memory ran out or a limit was reached at any time, or a
 * pair belongs to none of the lists. */
bool lists_finish(struct lists_builder *builder, uint32_t count, struct portolan_lists *lists);
void lists_clear(struct portolan_lists *lists);
/* The same from a square matrix of bits, a row of whole words for each of `count` lists. */
bool lists_from_rows(const uint64_t *rows, uint32_t count, struct portolan_lists *lists);

/* The same lists with one item more, larger than all others, at the end of some of them, which are given in order. */
bool lists_append(const struct portolan_lists *lists, uint32_t count, const uint32_t *some, uint32_t some_count,
                  uint32_t item, struct portolan_lists *appended);

/* The transpose: list i holds every j whose list holds i. */
bool lists_transpose(const struct portolan_lists *lists, uint32_t from, uint32_t to, struct portolan_lists *transposed);

static inline uint32_t list_length(const struct portolan_lists *lists, uint32_t index)
{
    return lists->offset[index + 1] - lists->offset[index];
}

/* Is the item in list index? */
static inline bool list_has(const struct portolan_lists *lists, uint32_t index, uint32_t item)
{
    const uint32_t *first = lists->item + lists->offset[index], *end = lists->item + lists->offset[index + 1];
    while (first < end) {
        const uint32_t *middle = first + (end - first) / 2;
        if (*middle == item)
            return true;
        if (*middle < item)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* for (each item of list index) */
#define for_list(item_pointer, lists, index)                                                                           \
    for (const uint32_t *item_pointer = (lists).item + (lists).offset[index],                                          \
                        *item_pointer##_end = (lists).item + (lists).offset[(index) + 1];                              \
         item_pointer < item_pointer##_end; item_pointer++)

#endif
