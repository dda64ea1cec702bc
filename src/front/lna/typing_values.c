/* SPDX-License-Identifier: Apache-2.0 */
/* Types of vectors, structs, lists and what is done with them. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <string.h>

/* ------------------------------------------------------------------- making */

static size_t length_of(const struct node *list)
{
    size_t length = 0;
    for (; list; list = list->next)
        length++;
    return length;
}

static size_t vector_length(const struct colour_type *vector)
{
    return vector->of->cells > 0 ? vector->cells / vector->of->cells : 0;
}

static bool has_shape(const struct colour_type *type, const struct node *node)
{
    size_t count = length_of(node->a);
    switch ((enum shape)node->type) {
    case SHAPE_VECTOR: return type->kind == COLOUR_VECTOR && count <= vector_length(type);
    case SHAPE_STRUCT: return type->kind == COLOUR_STRUCT && type->fields.count == count;
    case SHAPE_CONTAINER: return lna_is_container(type);
    }
    return false;
}

/* The only type that it may be of. */
static const struct colour_type *guess_type(struct parser *p, const struct node *node, const struct colour_type *of)
{
    const struct colour_type *found = NULL;
    for (size_t i = 0; i < p->syntax->types.count; i++) {
        const struct colour_type *type = p->syntax->types.item[i];
        if (!has_shape(type, node) || (of && type->of->root != of->root))
            continue;
        if (found) {
            parser_fail(p, &node->at, "this may be of type '%.64s' or '%.64s'", found->name, type->name);
            hint(p->error, "a constant has a type: constant %s NAME := ...;", found->name);
            return NULL;
        }
        found = type;
    }
    if (!found)
        parser_fail(p, &node->at, "no type has such values");
    return found;
}

static enum portolan_status type_elements(struct parser *p, struct node *node, const struct colour_type *type)
{
    size_t i = 0;
    for (struct node **item = &node->a; *item; item = &(*item)->next, i++)
        if (lna_type_value(p, item, type->kind == COLOUR_STRUCT ? type->fields.item[i].type : type->of))
            return p->status;
    if (lna_is_container(type) && type->kind == COLOUR_LIST && i > type->capacity)
        parser_fail(p, &node->at, "'%.64s' has room for only %u elements", type->name, type->capacity);
    return p->status;
}

enum portolan_status lna_type_make(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    const struct colour_type *type = hint && has_shape(hint, n) ? hint : NULL;
    if (hint && !type && (hint->kind >= COLOUR_VECTOR))
        return parser_fail(p, &n->at, "this is not a value of '%.64s'", hint->name);
    type = type ? type : guess_type(p, n, NULL);
    n->colour = type;
    return type ? type_elements(p, n, type) : p->status;
}

/* ---------------------------------------------------------------- containers */

static enum portolan_status no_list(struct parser *p, const struct node *node)
{
    return parser_fail(p, &node->at, "this is of type '%.64s', which is not a list type", node->colour->name);
}

/* A list, or an element of it. */
static enum portolan_status type_joined(struct parser *p, struct node **node, const struct colour_type *list)
{
    bool is_list = (*node)->colour ? (*node)->colour->root == list->root : lna_looks_like_container(*node);
    if (!is_list && !lna_type_any(p, node, list->of) && (*node)->colour->root != list->root)
        return lna_type_value(p, node, list->of);
    return lna_type_like(p, node, list);
}

enum portolan_status lna_type_join(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node, **operands[] = {&n->a, &n->b};
    const struct colour_type *list = NULL;
    for (unsigned i = 0; i < 2 && !list; i++)
        if (!lna_is_flexible(p, *operands[i]) && !lna_type_any(p, operands[i], NULL) &&
            (*operands[i])->colour->kind == COLOUR_LIST)
            list = (*operands[i])->colour;
    if (p->status)
        return p->status;
    if (!list && hint && hint->kind == COLOUR_LIST)
        list = hint;
    for (unsigned i = 0; i < 2 && !list; i++)
        if (lna_looks_like_container(*operands[i]) && !lna_type_any(p, operands[i], NULL))
            list = (*operands[i])->colour;
    if (p->status)
        return p->status;
    if (!list || list->kind != COLOUR_LIST)
        return parser_fail(p, &n->at, "one side of '&' must be a list");
    n->colour = list;
    type_joined(p, &n->a, list);
    return type_joined(p, &n->b, list);
}

enum portolan_status lna_type_member(struct parser *p, struct node **node)
{
    struct node *n = *node;
    n->colour = p->syntax->truth;
    if (n->b->kind == NODE_MAKE && !lna_is_flexible(p, n->a) && !lna_type_any(p, &n->a, NULL)) {
        const struct colour_type *type = guess_type(p, n->b, n->a->colour);
        if (type)
            lna_type_like(p, &n->b, type);
    }
    if (p->status || lna_type_any(p, &n->b, NULL))
        return p->status;
    if (!lna_is_container(n->b->colour))
        return parser_fail(p, &n->b->at, "this is of type '%.64s': only lists and sets have elements",
                           n->b->colour->name);
    return lna_type_like(p, &n->a, n->b->colour->of);
}

/* ------------------------------------------------------------------- elements */

/* An index of a list counts from 0 on, that of the language from the first value of its type. */
static enum portolan_status type_list_index(struct parser *p, struct node **index, const struct colour_type *list)
{
    const struct colour_type *type = list->indexes.item[0];
    if (lna_type_like(p, index, type) || type->low == 0)
        return p->status;
    struct node *n = lna_node_like(p, *index, NODE_BINARY, p->syntax->integer);
    if (!n)
        return p->status;
    n->operation = OPERATION_SUBTRACT;
    n->a = *index;
    n->b = lna_number_like(p, n, type->low, p->syntax->integer);
    *index = lna_fold_constant(p, n);
    return p->status;
}

static enum portolan_status type_indexes(struct parser *p, struct node *n, const struct colour_type *of)
{
    size_t wanted = of->indexes.count, i = 0;
    if (of->kind == COLOUR_LIST)
        return length_of(n->b) == 1 ? type_list_index(p, &n->b, of)
                                    : parser_fail(p, &n->at, "a list has one index, not %zu", length_of(n->b));
    if (of->kind != COLOUR_VECTOR)
        return parser_fail(p, &n->at, "this is of type '%.64s': only vectors and lists have indexes", of->name);
    if (length_of(n->b) != wanted)
        return parser_fail(p, &n->at, "'%.64s' has %zu indexes, not %zu", of->name, wanted, length_of(n->b));
    for (struct node **index = &n->b; *index; index = &(*index)->next, i++)
        if (lna_type_like(p, index, of->indexes.item[i]))
            return p->status;
    return p->status;
}

enum portolan_status lna_type_element(struct parser *p, struct node **node)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, NULL) || type_indexes(p, n, n->a->colour))
        return p->status;
    n->colour = n->a->colour->of;
    return p->status;
}

enum portolan_status lna_type_slice(struct parser *p, struct node **node)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, NULL))
        return p->status;
    if (n->a->colour->kind != COLOUR_LIST)
        return no_list(p, n->a);
    n->colour = n->a->colour;
    type_list_index(p, &n->b, n->colour);
    return type_list_index(p, &n->c, n->colour);
}

enum portolan_status lna_type_replace(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, hint) || type_indexes(p, n, n->a->colour))
        return p->status;
    n->colour = n->a->colour;
    return lna_type_value(p, &n->c, n->colour->of);
}

/* --------------------------------------------------------------------- fields */

static enum portolan_status find_field(struct parser *p, struct node *n)
{
    const struct colour_type *type = n->a->colour;
    struct nearest nearest = nearest_to(n->name);
    if (type->kind != COLOUR_STRUCT)
        return parser_fail(p, &n->at, "this is of type '%.64s', which has no components", type->name);
    for (size_t i = 0; i < type->fields.count; i++) {
        nearest_offer(&nearest, type->fields.item[i].name);
        if (strcmp(type->fields.item[i].name, n->name) == 0) {
            n->value = (int64_t)i;
            return p->status;
        }
    }
    parser_fail(p, &n->at, "'%.64s' has no component '%.64s'", type->name, n->name);
    if (nearest.best)
        hint(p->error, "did you mean %s?", nearest.best);
    return p->status;
}

enum portolan_status lna_type_field(struct parser *p, struct node **node)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, NULL) || find_field(p, n))
        return p->status;
    n->colour = n->a->colour->fields.item[n->value].type;
    return p->status;
}

enum portolan_status lna_type_set_field(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, hint) || find_field(p, n))
        return p->status;
    n->colour = n->a->colour;
    return lna_type_value(p, &n->c, n->colour->fields.item[n->value].type);
}
