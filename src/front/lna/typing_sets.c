/* SPDX-License-Identifier: Apache-2.0 */
/* Sets: `-`, `and` and `or` of sets and elements, and one set being part of another. */
#include "front/lna/reader.h"

/* The set that one of the operands is; NULL when none is one. */
static const struct colour_type *set_of(struct parser *p, struct node *n, const struct colour_type *hint)
{
    struct node **operands[] = {&n->a, &n->b};
    for (unsigned i = 0; i < 2; i++)
        if (!lna_is_flexible(p, *operands[i]) && !lna_type_any(p, operands[i], NULL) &&
            (*operands[i])->colour->kind == COLOUR_SET)
            return (*operands[i])->colour;
    for (unsigned i = 0; i < 2 && !p->status; i++) {
        if (!lna_looks_like_container(*operands[i]))
            continue;
        if (hint && hint->kind == COLOUR_SET)
            return hint;
        return lna_type_any(p, operands[i], NULL) ? NULL : (*operands[i])->colour;
    }
    return NULL;
}

/* A set, or an element of it. */
static enum portolan_status type_operand(struct parser *p, struct node **node, const struct colour_type *set)
{
    bool is_set = (*node)->colour ? (*node)->colour->root == set->root : lna_looks_like_container(*node);
    if (is_set)
        return lna_type_like(p, node, set);
    if (lna_type_any(p, node, set->of) || (*node)->colour->root == set->root)
        return p->status;
    return lna_type_value(p, node, set->of);
}

bool lna_type_sets(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    const struct colour_type *set = set_of(p, n, hint);
    if (p->status || !set)
        return p->status;
    if (set->kind != COLOUR_SET) {
        parser_fail(p, &n->at, "'%.64s' is not a set type", set->name);
        return true;
    }
    n->kind = n->operation == OPERATION_OR ? NODE_UNION : n->operation == OPERATION_AND ? NODE_INTERSECT : NODE_WITHOUT;
    n->colour = set;
    type_operand(p, &n->a, set);
    type_operand(p, &n->b, set);
    return true;
}

/* Everything of `small` is in `large`: nothing is left of it without what is in `large`. */
static struct node *is_part(struct parser *p, const struct node *at, struct node *small, struct node *large)
{
    struct node *rest = lna_node_like(p, at, NODE_WITHOUT, small->colour);
    struct node *empty = lna_node_like(p, at, NODE_ATTRIBUTE, p->syntax->truth);
    if (!rest || !empty)
        return NULL;
    rest->a = small;
    rest->b = large;
    empty->operation = ATTRIBUTE_IS_EMPTY;
    empty->a = rest;
    return empty;
}

enum portolan_status lna_compare_sets(struct parser *p, struct node **node)
{
    struct node *n = *node;
    bool is_less = n->operation == OPERATION_LESS || n->operation == OPERATION_LESS_EQUAL;
    struct node *part = is_less ? is_part(p, n, n->a, n->b) : is_part(p, n, n->b, n->a);
    if (n->operation == OPERATION_LESS_EQUAL || n->operation == OPERATION_GREATER_EQUAL) {
        *node = part;
        return p->status;
    }
    struct node *differ = lna_node_like(p, n, NODE_EQUAL, p->syntax->truth);
    if (!part || !differ)
        return p->status;
    differ->operation = OPERATION_NOT_EQUAL;
    differ->a = n->a;
    differ->b = n->b;
    n->operation = OPERATION_AND;
    n->a = part;
    n->b = differ;
    return p->status;
}
