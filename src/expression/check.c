/* SPDX-License-Identifier: Apache-2.0 */
/* Types of expressions: truth, integers, and values that have names. */
#include "base/diagnostic.h"
#include "expression/tree.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 80 };

static const char for_truth[] = "an integer becomes a boolean by a comparison, as in x > 0";
static const char for_arithmetic[] = "arithmetic is on integers; comparisons and boolean operators give booleans";
static const char for_order[] = "integers are ordered, and so are the values of one enumeration";

/* {red, green}, as far as there is room */
static void list_values(const struct portolan_type *type, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < type->value_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", type->values[i]);
}

static const char *type_name(const struct value_type *type, char *text)
{
    if (type->kind != VALUE_NAMED)
        return type->kind == VALUE_INTEGER ? "an integer" : "a boolean";
    char values[LONGEST_NAME - 16];
    list_values(type->values, values, sizeof values);
    if (type->values->name)
        snprintf(text, LONGEST_NAME, "a value of %.60s", type->values->name);
    else
        snprintf(text, LONGEST_NAME, "one of {%s}", values);
    return text;
}

/* Is it one of the values itself, written by its name? */
static bool is_literal(const struct node *node)
{
    const struct portolan_type *type = node->gives.kind == VALUE_NAMED ? node->gives.values : NULL;
    for (uint32_t i = 0; type && node->name && i < type->value_count; i++)
        if (strcmp(type->values[i], node->name) == 0)
            return true;
    return false;
}

static bool has_value(const struct portolan_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->value_count; i++)
        if (strcmp(type->values[i], name) == 0)
            return true;
    return false;
}

/* The same names for the same values, as far as both go. */
static bool same_values(const struct portolan_type *one, const struct portolan_type *other)
{
    for (uint32_t i = 0; i < one->value_count && i < other->value_count; i++)
        if (strcmp(one->values[i], other->values[i]) != 0)
            return false;
    return true;
}

/* 0 and 1 may stand for false and true. */
static bool is_truth_number(const struct node *node)
{
    return node->kind == NODE_NUMBER && node->gives.kind == VALUE_INTEGER && (node->value == 0 || node->value == 1);
}

static bool fits(const struct node *node, const struct value_type *type)
{
    if (type->kind == VALUE_BOOLEAN && is_truth_number(node))
        return true;
    if (node->gives.kind != type->kind || type->kind != VALUE_NAMED)
        return node->gives.kind == type->kind;
    return is_literal(node) ? has_value(type->values, node->name) : same_values(node->gives.values, type->values);
}

static enum portolan_status mismatch(const struct lexer *lexer, const struct node *node,
                                     const struct value_type *wanted, const char *advice, struct portolan_error *error)
{
    char one[LONGEST_NAME], other[LONGEST_NAME];
    enum portolan_status status = lexer_fail(lexer, &node->at, error, "expected %s, found %s", type_name(wanted, one),
                                             type_name(&node->gives, other));
    if (!advice && wanted->kind == VALUE_NAMED) {
        char values[100];
        list_values(wanted->values, values, sizeof values);
        hint(error, "it is one of %s", values);
    } else {
        hint(error, "%s", advice ? advice : wanted->kind == VALUE_BOOLEAN ? for_truth : for_arithmetic);
    }
    return status;
}

static enum portolan_status require(const struct lexer *lexer, const struct node *node, enum value_kind kind,
                                    const char *advice, struct portolan_error *error)
{
    struct value_type wanted = {.kind = kind};
    return node->gives.kind == kind ? PORTOLAN_OK : mismatch(lexer, node, &wanted, advice, error);
}

enum portolan_status check_condition(const struct lexer *lexer, const struct node *node, struct portolan_error *error)
{
    return require(lexer, node, VALUE_BOOLEAN, for_truth, error);
}

enum portolan_status check_integer(const struct lexer *lexer, const struct node *node, struct portolan_error *error)
{
    return require(lexer, node, VALUE_INTEGER, for_arithmetic, error);
}

enum portolan_status check_value(const struct lexer *lexer, const struct node *node, struct value_type wanted,
                                 struct portolan_error *error)
{
    if (fits(node, &wanted))
        return PORTOLAN_OK;
    return mismatch(lexer, node, &wanted, wanted.kind == VALUE_BOOLEAN ? "a boolean is true or false" : NULL, error);
}

static enum portolan_status check_comparison(const struct lexer *lexer, const struct node *node,
                                             struct portolan_error *error)
{
    bool ordered = node->operation != OPERATION_EQUAL && node->operation != OPERATION_NOT_EQUAL;
    if (ordered && node->a->gives.kind == VALUE_BOOLEAN)
        return require(lexer, node->a, VALUE_INTEGER, for_order, error);
    if (fits(node->b, &node->a->gives) || (!ordered && fits(node->a, &node->b->gives)) ||
        (is_literal(node->a) && fits(node->a, &node->b->gives)))
        return PORTOLAN_OK;
    if (node->a->gives.kind == VALUE_INTEGER && node->b->gives.kind == VALUE_BOOLEAN)
        return mismatch(lexer, node->b, &node->a->gives, "only booleans are compared with booleans, by == or <->",
                        error);
    return check_value(lexer, node->b, node->a->gives, error);
}

static enum portolan_status check_binary(const struct lexer *lexer, struct node *node, struct portolan_error *error)
{
    if (compares(node->operation)) {
        node->gives = (struct value_type){.kind = VALUE_BOOLEAN};
        return check_comparison(lexer, node, error);
    }
    bool logical = is_logical(node->operation);
    enum value_kind kind = logical ? VALUE_BOOLEAN : VALUE_INTEGER;
    const char *advice = logical ? for_truth : for_arithmetic;
    enum portolan_status status = require(lexer, node->a, kind, advice, error);
    node->gives = node->a->gives;
    return status ? status : require(lexer, node->b, kind, advice, error);
}

static enum portolan_status check_unary(const struct lexer *lexer, struct node *node, struct portolan_error *error)
{
    node->gives = node->a->gives;
    if (node->operation == OPERATION_NOT)
        return require(lexer, node->a, VALUE_BOOLEAN, "'not' binds tighter than a comparison: !(x = 1)", error);
    return require(lexer, node->a, VALUE_INTEGER, "the negation of a boolean is written !", error);
}

static enum portolan_status check_conditional(const struct lexer *lexer, struct node *node,
                                              struct portolan_error *error)
{
    enum portolan_status status = check_condition(lexer, node->a, error);
    bool first = !is_truth_number(node->b) && !is_literal(node->b); /* which of the two says what the type is */
    node->gives = first ? node->b->gives : node->c->gives;
    return status ? status : check_value(lexer, first ? node->c : node->b, node->gives, error);
}

static enum portolan_status check_aggregate(const struct lexer *lexer, struct node *node, struct portolan_error *error)
{
    static const struct value_type integer = {.kind = VALUE_INTEGER, .integer = INTEGER_64};
    bool counts = node->operation == AGGREGATE_COUNT, best = node->operation == AGGREGATE_BEST;
    bool of_truth = counts || node->operation == AGGREGATE_ALL || node->operation == AGGREGATE_SOME;
    node->gives = counts ? integer : node->a->gives;
    if (best)
        return check_integer(lexer, node->b, error);
    return of_truth ? check_condition(lexer, node->a, error) : check_integer(lexer, node->a, error);
}

static enum portolan_status check_quantifier(const struct lexer *lexer, struct node *node, struct portolan_error *error)
{
    bool counts = node->operation == QUANTIFIER_COUNT;
    node->gives = (struct value_type){.kind = counts ? VALUE_INTEGER : VALUE_BOOLEAN, .integer = INTEGER_64};
    return check_condition(lexer, node->a, error);
}

static bool fails_itself(const struct node *node)
{
    switch (node->kind) {
    case NODE_UNARY:
    case NODE_BINARY: return operation_may_fail(node->operation);
    case NODE_CELL: return node->a != NULL;
    case NODE_MEMBER: return node->a || node->b;
    case NODE_AGGREGATE: return node->operation == AGGREGATE_SUM;
    default: return false;
    }
}

enum portolan_status check_node(const struct lexer *lexer, struct node *node, struct portolan_error *error)
{
    const struct node *children[] = {node->a, node->b, node->c};
    node->may_fail |= fails_itself(node);
    for (size_t i = 0; i < 3; i++)
        node->may_fail |= children[i] && children[i]->may_fail;
    switch (node->kind) {
    case NODE_UNARY: return check_unary(lexer, node, error);
    case NODE_BINARY: return check_binary(lexer, node, error);
    case NODE_CONDITIONAL: return check_conditional(lexer, node, error);
    case NODE_AGGREGATE: return check_aggregate(lexer, node, error);
    case NODE_QUANTIFIER: return check_quantifier(lexer, node, error);
    default: return PORTOLAN_OK;
    }
}
