/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding of constants.  What may have no value stays, unless && and the like never look at it: folding changes no
 * value, and makes none where there was none.
 */
#include "expression/tree.h"

static bool is_number(const struct node *node)
{
    return node->kind == NODE_NUMBER;
}

static struct node *make_number(struct node *node, int64_t value)
{
    node->kind = NODE_NUMBER;
    node->value = value;
    node->may_fail = false;
    node->a = node->b = node->c = NULL;
    return node;
}

static struct node *fold_not(struct node *node)
{
    struct node *inner = node->a;
    if (inner->kind == NODE_UNARY && inner->operation == OPERATION_NOT)
        return inner->a;
    if (inner->kind == NODE_BINARY && compares(inner->operation)) {
        inner->operation = opposite(inner->operation);
        return inner;
    }
    return node;
}

static struct node *make_not(struct node *node, struct node *of)
{
    node->kind = NODE_UNARY;
    node->operation = OPERATION_NOT;
    node->a = of;
    node->b = NULL;
    node->may_fail = of->may_fail;
    return fold_not(node);
}

/* One operand is the number `value`; which one it is makes a difference to -> only. */
static struct node *fold_logical(struct node *node, bool value, bool is_left)
{
    struct node *other = is_left ? node->b : node->a;
    enum operation operation = node->operation;
    if (operation == OPERATION_IFF)
        return value ? other : make_not(node, other);
    if (operation == OPERATION_IMPLIES && !is_left && !value)
        return make_not(node, other);
    bool decides = operation == OPERATION_AND ? !value : operation == OPERATION_OR ? value : value != is_left;
    if (!decides)
        return other;
    bool result = operation != OPERATION_AND;
    return is_left || !other->may_fail ? make_number(node, result) : node;
}

static struct node *fold_binary(struct node *node)
{
    int64_t value;
    if (is_number(node->a) && is_number(node->b) &&
        arithmetic(node->operation, &node->a->gives.integer, node->a->value, node->b->value, &value) == ARITHMETIC_FITS)
        return make_number(node, value);
    if (!is_logical(node->operation) || (!is_number(node->a) && !is_number(node->b)))
        return node;
    bool is_left = is_number(node->a);
    return fold_logical(node, is_left ? node->a->value : node->b->value, is_left);
}

static struct node *fold_unary(struct node *node)
{
    int64_t value;
    if (is_number(node->a) &&
        arithmetic(node->operation, &node->gives.integer, 0, node->a->value, &value) == ARITHMETIC_FITS)
        return make_number(node, value);
    return node->operation == OPERATION_NOT ? fold_not(node) : node;
}

struct node *fold_node(struct node *node)
{
    if (node->kind == NODE_UNARY)
        return fold_unary(node);
    if (node->kind == NODE_BINARY)
        return fold_binary(node);
    if (node->kind == NODE_CONDITIONAL && is_number(node->a))
        return node->a->value ? node->b : node->c;
    return node;
}
