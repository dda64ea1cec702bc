/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a type: comparing them, going through them, telling whether cells are one. */
#include "highlevel/evaluator.h"

#include <string.h>

int cells_compare(const int64_t *a, const int64_t *b, uint32_t cells)
{
    for (uint32_t i = 0; i < cells; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

uint32_t element_count(const struct colour_type *vector)
{
    return vector->of->cells > 0 ? vector->cells / vector->of->cells : 0;
}

bool type_is_cyclic(const struct colour_type *type)
{
    return type->kind == COLOUR_CYCLIC || (type->kind == COLOUR_NAMED && type->is_cyclic);
}

/* ------------------------------------------------------------------ in order */

void colour_first(const struct colour_type *type, int64_t *cells)
{
    switch (type->kind) {
    case COLOUR_VECTOR:
        for (uint32_t i = 0; i < element_count(type); i++)
            colour_first(type->of, cells + i * type->of->cells);
        break;
    case COLOUR_STRUCT:
        for (size_t i = 0; i < type->fields.count; i++)
            colour_first(type->fields.item[i].type, cells + type->fields.item[i].offset);
        break;
    case COLOUR_LIST:
    case COLOUR_SET: memset(cells, 0, type->cells * sizeof *cells); break;
    default: cells[0] = type->low;
    }
}

/* Elements in a row as the digits of a number, the last one fastest; false when it wraps round. */
static bool next_row(const struct colour_type *of, int64_t *cells, size_t count)
{
    for (size_t i = count; i-- > 0;)
        if (colour_next(of, cells + i * of->cells))
            return true;
    return false;
}

static bool next_struct(const struct colour_type *type, int64_t *cells)
{
    for (size_t i = type->fields.count; i-- > 0;)
        if (colour_next(type->fields.item[i].type, cells + type->fields.item[i].offset))
            return true;
    return false;
}

/* Shorter lists come before longer ones. */
static bool next_list(const struct colour_type *type, int64_t *cells)
{
    size_t length = (size_t)cells[0];
    if (next_row(type->of, cells + 1, length))
        return true;
    if (length == type->capacity) {
        colour_first(type, cells);
        return false;
    }
    colour_first(type->of, cells + 1 + length * type->of->cells);
    cells[0]++;
    return true;
}

/* Member i of a set becomes the next value, and those behind it what follows; false when there are not enough. */
static bool advance_members(const struct colour_type *type, int64_t *members, size_t i, size_t count)
{
    size_t cells = type->of->cells;
    bool fine = colour_next(type->of, members + i * cells);
    for (i++; i < count && fine; i++) {
        memcpy(members + i * cells, members + (i - 1) * cells, cells * sizeof *members);
        fine = colour_next(type->of, members + i * cells);
    }
    return fine;
}

/* The smallest set of so many members; false when the type of the members has fewer values. */
static bool first_members(const struct colour_type *type, int64_t *members, size_t count)
{
    size_t cells = type->of->cells;
    colour_first(type->of, members);
    if (count == 1)
        return true;
    memcpy(members + cells, members, cells * sizeof *members);
    return advance_members(type, members, 1, count);
}

static bool next_set(const struct colour_type *type, int64_t *cells)
{
    size_t count = (size_t)cells[0];
    for (size_t i = count; i-- > 0;)
        if (advance_members(type, cells + 1, i, count))
            return true;
    if (count < type->capacity && first_members(type, cells + 1, count + 1)) {
        cells[0]++;
        return true;
    }
    colour_first(type, cells);
    return false;
}

bool colour_next(const struct colour_type *type, int64_t *cells)
{
    switch (type->kind) {
    case COLOUR_VECTOR: return next_row(type->of, cells, element_count(type));
    case COLOUR_STRUCT: return next_struct(type, cells);
    case COLOUR_LIST: return next_list(type, cells);
    case COLOUR_SET: return next_set(type, cells);
    default: break;
    }
    bool is_last = cells[0] >= type->high;
    cells[0] = is_last ? type->low : cells[0] + 1;
    return !is_last;
}

/* ---------------------------------------------------------------- membership */

static bool has_container(const struct colour_type *type, const int64_t *cells)
{
    if (cells[0] < 0 || cells[0] > type->capacity)
        return false;
    size_t of = type->of->cells, used = 1 + (size_t)cells[0] * of;
    for (const int64_t *element = cells + 1; element < cells + used; element += of)
        if (!colour_has(type->of, element) || (type->kind == COLOUR_SET && element > cells + 1 &&
                                               cells_compare(element - of, element, (uint32_t)of) >= 0))
            return false;
    for (size_t i = used; i < type->cells; i++)
        if (cells[i] != 0)
            return false;
    return true;
}

bool colour_has(const struct colour_type *type, const int64_t *cells)
{
    switch (type->kind) {
    case COLOUR_VECTOR:
        for (uint32_t i = 0; i < element_count(type); i++)
            if (!colour_has(type->of, cells + i * type->of->cells))
                return false;
        return true;
    case COLOUR_STRUCT:
        for (size_t i = 0; i < type->fields.count; i++)
            if (!colour_has(type->fields.item[i].type, cells + type->fields.item[i].offset))
                return false;
        return true;
    case COLOUR_LIST:
    case COLOUR_SET: return has_container(type, cells);
    default: return cells[0] >= type->low && cells[0] <= type->high;
    }
}
