/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors, structs, lists and sets: making them, their elements, changing them. */
#include "highlevel/evaluator.h"

#include <string.h>

static const char full[] = "there are more elements than the type has room for";

static int64_t *element_at(const struct colour_type *type, int64_t *container, size_t i)
{
    return container + 1 + i * type->of->cells;
}

static void copy(int64_t *to, const int64_t *from, size_t cells)
{
    memcpy(to, from, cells * sizeof *to);
}

/* ------------------------------------------------------------------ elements */

static bool index_of_vector(const struct node *node, const struct colour_type *type, struct colour_evaluation *e,
                            size_t *offset)
{
    const struct node *index = node->b;
    size_t number = 0;
    for (size_t i = 0; i < type->indexes.count && index; i++, index = index->next) {
        const struct colour_type *of = type->indexes.item[i];
        int64_t at = colour_scalar(index, e);
        if (e->failure)
            return false;
        if (at < of->low || at > of->high)
            return evaluation_fail(e, index, "the index is out of bounds");
        number = number * (size_t)(of->high - of->low + 1) + (size_t)(at - of->low);
    }
    *offset = number * type->of->cells;
    return true;
}

bool element_offset(const struct node *node, const int64_t *container, struct colour_evaluation *e, size_t *offset)
{
    const struct colour_type *type = node->a->colour;
    if (type->kind == COLOUR_VECTOR)
        return index_of_vector(node, type, e, offset);
    int64_t at = colour_scalar(node->b, e);
    if (e->failure)
        return false;
    if (at < 0 || at >= container[0])
        return evaluation_fail(e, node->b, "the list has no such element");
    *offset = 1 + (size_t)at * type->of->cells;
    return true;
}

/* a with an element, or a field, being c. */
bool value_replace(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    size_t offset;
    if (!colour_value(node->a, e, out))
        return false;
    if (node->kind == NODE_SET_FIELD)
        offset = node->a->colour->fields.item[node->value].offset;
    else if (!element_offset(node, out, e, &offset))
        return false;
    return colour_value(node->c, e, out + offset);
}

/* -------------------------------------------------------------------- making */

/* Where the element stands, or is to stand; true when it is there. */
static bool find_member(const struct colour_type *type, const int64_t *set, const int64_t *element, size_t *at)
{
    size_t low = 0, high = (size_t)set[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = cells_compare(set + 1 + middle * type->of->cells, element, type->of->cells);
        if (order == 0) {
            *at = middle;
            return true;
        }
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    *at = low;
    return false;
}

/* False when it is full. */
static bool insert(const struct colour_type *type, int64_t *set, const int64_t *element)
{
    size_t at, cells = type->of->cells;
    if (find_member(type, set, element, &at))
        return true;
    if (set[0] >= type->capacity)
        return false;
    memmove(element_at(type, set, at + 1), element_at(type, set, at), ((size_t)set[0] - at) * cells * sizeof *set);
    copy(element_at(type, set, at), element, cells);
    set[0]++;
    return true;
}

static bool append(const struct colour_type *type, int64_t *list, const int64_t *element)
{
    if (list[0] >= type->capacity)
        return false;
    copy(element_at(type, list, (size_t)list[0]++), element, type->of->cells);
    return true;
}

static bool make_container(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour;
    int64_t *element = stack_take(e, type->of->cells);
    if (!element)
        return false;
    memset(out, 0, type->cells * sizeof *out);
    for (const struct node *item = node->a; item; item = item->next) {
        if (!colour_value(item, e, element))
            return false;
        if (!(type->kind == COLOUR_SET ? insert(type, out, element) : append(type, out, element)))
            return evaluation_fail(e, item, full);
    }
    return true;
}

/* The last element stands for those that are not written. */
static bool make_vector(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour;
    size_t cells = type->of->cells;
    const struct node *item = node->a;
    for (uint32_t i = 0; i < element_count(type); i++) {
        if (item && !colour_value(item, e, out + i * cells))
            return false;
        if (!item && i == 0)
            colour_first(type->of, out);
        else if (!item)
            copy(out + i * cells, out + (i - 1) * cells, cells);
        item = item ? item->next : NULL;
    }
    return !item || evaluation_fail(e, item, "the vector has fewer elements");
}

bool value_make(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour;
    if (type->kind == COLOUR_LIST || type->kind == COLOUR_SET)
        return make_container(node, e, out);
    if (type->kind == COLOUR_VECTOR)
        return make_vector(node, e, out);
    const struct node *item = node->a;
    for (size_t i = 0; i < type->fields.count && item; i++, item = item->next)
        if (!colour_value(item, e, out + type->fields.item[i].offset))
            return false;
    return true;
}

/* --------------------------------------------------------------- lists, sets */

/* An operand as a container of the type: itself, or the one element that it is. */
static const int64_t *as_container(const struct node *operand, const struct colour_type *type,
                                   struct colour_evaluation *e)
{
    if (operand->colour->root == type->root)
        return colour_cells(operand, e);
    int64_t *one = stack_take(e, 1 + type->of->cells);
    if (!one || !colour_value(operand, e, one + 1))
        return NULL;
    one[0] = 1;
    return one;
}

static bool write_list(const struct node *node, struct colour_evaluation *e, const int64_t *elements, size_t count,
                       int64_t *out)
{
    const struct colour_type *type = node->colour;
    if (out[0] + (int64_t)count > type->capacity)
        return evaluation_fail(e, node, full);
    copy(element_at(type, out, (size_t)out[0]), elements, count * type->of->cells);
    out[0] += (int64_t)count;
    return true;
}

bool value_join(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const int64_t *a = as_container(node->a, node->colour, e), *b = a ? as_container(node->b, node->colour, e) : NULL;
    if (!b)
        return false;
    memset(out, 0, node->colour->cells * sizeof *out);
    return write_list(node, e, a + 1, (size_t)a[0], out) && write_list(node, e, b + 1, (size_t)b[0], out);
}

/* Both ends must be there, also where the last one comes before the first: then nothing is left. */
bool value_slice(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const int64_t *list = colour_cells(node->a, e);
    if (!list)
        return false;
    int64_t first = colour_scalar(node->b, e), last = e->failure ? 0 : colour_scalar(node->c, e);
    if (e->failure)
        return false;
    if (first < 0 || first >= list[0] || last < 0 || last >= list[0])
        return evaluation_fail(e, node, "the list has no such element");
    memset(out, 0, node->colour->cells * sizeof *out);
    if (first > last)
        return true;
    return write_list(node, e, list + 1 + (size_t)first * node->colour->of->cells, (size_t)(last - first + 1), out);
}

/* Goes through both sets in order: what is in a alone, in both, in b alone is kept or not. */
bool value_of_sets(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->colour;
    const int64_t *a = as_container(node->a, type, e), *b = a ? as_container(node->b, type, e) : NULL;
    if (!b)
        return false;
    size_t cells = type->of->cells;
    const int64_t *next_a = a + 1, *end_a = next_a + (size_t)a[0] * cells;
    const int64_t *next_b = b + 1, *end_b = next_b + (size_t)b[0] * cells;
    memset(out, 0, type->cells * sizeof *out);
    while (next_a < end_a || next_b < end_b) {
        int order = next_a == end_a ? 1 : next_b == end_b ? -1 : cells_compare(next_a, next_b, (uint32_t)cells);
        bool keep = node->kind == NODE_UNION || (node->kind == NODE_WITHOUT ? order < 0 : order == 0);
        if (keep && !append(type, out, order <= 0 ? next_a : next_b))
            return evaluation_fail(e, node, full);
        next_a += order <= 0 ? cells : 0;
        next_b += order >= 0 ? cells : 0;
    }
    return true;
}

bool value_member(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_type *type = node->b->colour;
    const int64_t *element = colour_cells(node->a, e), *container = element ? colour_cells(node->b, e) : NULL;
    if (!container)
        return false;
    *out = 0;
    for (size_t i = 0; i < (size_t)container[0] && !*out; i++)
        *out = cells_compare(container + 1 + i * type->of->cells, element, type->of->cells) == 0;
    return true;
}

/* ---------------------------------------------------------------- attributes */

static bool attribute_of_place(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    if (!e->marking)
        return evaluation_fail(e, node, "there is no marking here");
    uint32_t place = (uint32_t)node->value, count, distinct = e->marking->distinct(e->marking->user, place);
    *out = node->operation == ATTRIBUTE_CARDINALITY ? distinct : 0;
    for (uint32_t i = 0; node->operation == ATTRIBUTE_MULTIPLICITY && i < distinct; i++) {
        e->marking->token(e->marking->user, place, i, &count);
        *out += count;
    }
    return true;
}

/* First, last, and all but one of them. */
static bool attribute_of_elements(const struct node *node, const int64_t *list, struct colour_evaluation *e,
                                  int64_t *out)
{
    const struct colour_type *type = node->a->colour;
    size_t cells = type->of->cells, count = (size_t)list[0];
    if (count == 0)
        return evaluation_fail(e, node, "it is empty");
    switch (node->operation) {
    case ATTRIBUTE_FIRST: copy(out, list + 1, cells); return true;
    case ATTRIBUTE_LAST: copy(out, list + 1 + (count - 1) * cells, cells); return true;
    case ATTRIBUTE_FIRST_INDEX: *out = 0; return true;
    case ATTRIBUTE_LAST_INDEX: *out = (int64_t)count - 1; return true;
    default: break;
    }
    memset(out, 0, node->colour->cells * sizeof *out);
    return write_list(node, e, list + 1 + (node->operation == ATTRIBUTE_SUFFIX ? cells : 0), count - 1, out);
}

bool value_attribute(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    if (!node->a)
        return attribute_of_place(node, e, out);
    const int64_t *container = colour_cells(node->a, e);
    if (!container)
        return false;
    int64_t size = container[0], capacity = node->a->colour->capacity;
    switch (node->operation) {
    case ATTRIBUTE_SIZE:
    case ATTRIBUTE_CARDINALITY: *out = size; return true;
    case ATTRIBUTE_SPACE: *out = capacity - size; return true;
    case ATTRIBUTE_CAPACITY: *out = capacity; return true;
    case ATTRIBUTE_IS_FULL: *out = size == capacity; return true;
    case ATTRIBUTE_IS_EMPTY: *out = size == 0; return true;
    default: return attribute_of_elements(node, container, e, out);
    }
}
