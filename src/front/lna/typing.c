/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of expressions.  A number, [1, 2] or the name of a value may fit several types: they take the one that is
 * wanted, or that of the other operand.  Operations give values of the root type; whether a value lies in a subtype is
 * tested where it is used (convert).
 */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

/* --------------------------------------------------------------------- nodes */

struct node *lna_node_like(struct parser *p, const struct node *other, unsigned kind, const struct colour_type *colour)
{
    struct node *node;
    if (parser_get(p, sizeof *node, &node))
        return NULL;
    *node = (struct node){.kind = kind, .at = other->at, .start = other->start, .length = other->length};
    node->colour = colour;
    node->depth = other->depth;
    return node;
}

struct node *lna_number_like(struct parser *p, const struct node *other, int64_t value,
                             const struct colour_type *colour)
{
    struct node *node = lna_node_like(p, other, NODE_NUMBER, colour);
    if (node)
        node->value = value;
    return node;
}

static struct node *convert_to(struct parser *p, struct node *node, const struct colour_type *type)
{
    struct node *converted = lna_node_like(p, node, NODE_CONVERT, type);
    if (!converted)
        return node;
    converted->a = node;
    converted->next = node->next;
    node->next = NULL;
    return lna_fold_constant(p, converted);
}

/* May its value lie outside of its colour?  Sums may, until they are converted. */
static bool is_arithmetic(const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER: return node->value < node->colour->low || node->value > node->colour->high; /* a folded sum */
    case NODE_UNARY:
    case NODE_BINARY: return true;
    case NODE_CONDITIONAL: return is_arithmetic(node->b) || is_arithmetic(node->c);
    case NODE_ITERATION: return node->operation >= ITERATION_CARDINALITY;
    default: return false;
    }
}

struct node *lna_convert(struct parser *p, struct node *node, const struct colour_type *type, bool strictly)
{
    if (p->status || !lna_is_scalar(type))
        return node;
    if (node->kind == NODE_NUMBER && (node->value < type->low || node->value > type->high)) {
        parser_fail(p, &node->at, "%lld is not a value of '%.64s'", (long long)node->value, type->name);
        return node;
    }
    bool fits = node->colour->low >= type->low && node->colour->high <= type->high;
    if (node->kind == NODE_NUMBER || (fits && !is_arithmetic(node))) {
        struct node *same =
            node->colour == type || node->kind != NODE_NUMBER ? node : lna_number_like(p, node, node->value, type);
        if (same && same != node)
            same->next = node->next;
        return same ? same : node;
    }
    if (strictly && (type->kind == COLOUR_CYCLIC || type->is_cyclic)) {
        struct colour_type *plain = lna_new_type(p, COLOUR_RANGE, type->name);
        if (!plain)
            return node;
        plain->low = type->low;
        plain->high = type->high;
        node = convert_to(p, node, plain);
    }
    return convert_to(p, node, type);
}

/* -------------------------------------------------------------------- errors */

enum portolan_status lna_wrong_type(struct parser *p, const struct node *node, const struct colour_type *wanted)
{
    if (p->status)
        return p->status;
    parser_fail(p, &node->at, "this is of type '%.64s', but '%.64s' is expected", node->colour->name, wanted->name);
    if (lna_is_scalar(node->colour) && lna_is_scalar(wanted) && wanted != p->syntax->truth &&
        node->colour != p->syntax->truth)
        hint(p->error, "%s(...) converts it", wanted->name);
    return p->status;
}

static enum portolan_status not_a_number(struct parser *p, const struct node *node)
{
    return parser_fail(p, &node->at, "this is of type '%.64s', but a number is expected", node->colour->name);
}

/* ------------------------------------------------------------------ flexible */

bool lna_looks_like_container(const struct node *node)
{
    if (node->kind == NODE_MAKE)
        return node->type == SHAPE_CONTAINER;
    bool is_operation =
        node->kind == NODE_BINARY &&
        (node->operation == OPERATION_AND || node->operation == OPERATION_OR || node->operation == OPERATION_SUBTRACT);
    return (is_operation || node->kind == NODE_JOIN) &&
           (lna_looks_like_container(node->a) || lna_looks_like_container(node->b));
}

bool lna_is_flexible(const struct parser *p, const struct node *node)
{
    if (node->colour)
        return false;
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_MAKE: return true;
    case NODE_NAME: return !lna_find_local(p, node->name) && !lna_find_constant(p, node->name);
    case NODE_UNARY: return node->operation != OPERATION_NOT && lna_is_flexible(p, node->a);
    case NODE_BINARY: return !compares(node->operation) && lna_is_flexible(p, node->a) && lna_is_flexible(p, node->b);
    case NODE_JOIN: return lna_is_flexible(p, node->a) && lna_is_flexible(p, node->b);
    case NODE_CONDITIONAL: return lna_is_flexible(p, node->b) && lna_is_flexible(p, node->c);
    case NODE_SUCCESSOR:
    case NODE_PREDECESSOR: return lna_is_flexible(p, node->a);
    case NODE_ATTRIBUTE: return lna_attribute_counts(node->name);
    case NODE_ITERATION: return node->operation == ITERATION_CARDINALITY || node->operation == ITERATION_MULTIPLICITY;
    default: return false;
    }
}

enum portolan_status lna_type_pair(struct parser *p, struct node **a, struct node **b, const struct colour_type *hint)
{
    bool is_late = lna_is_flexible(p, *a) && !lna_is_flexible(p, *b);
    struct node **first = is_late ? b : a, **second = is_late ? a : b;
    if (lna_type_any(p, first, hint) || lna_type_any(p, second, (*first)->colour->root))
        return p->status;
    return (*first)->colour->root == (*second)->colour->root ? p->status
                                                             : lna_wrong_type(p, *second, (*first)->colour->root);
}

/* --------------------------------------------------------------- single values */

static enum portolan_status type_number(struct parser *p, struct node *node, const struct colour_type *hint)
{
    const struct colour_type *type = hint && lna_is_number(hint) ? hint->root : p->syntax->integer;
    if (node->value > (int64_t)INT32_MAX + 1) /* with a minus before it that is a number */
        return parser_fail(p, &node->at, "the number is larger than %d", INT32_MAX);
    if (type->kind == COLOUR_CYCLIC && node->value > type->high)
        return parser_fail(p, &node->at, "%lld is not a value of '%.64s'", (long long)node->value, type->name);
    node->colour = type;
    return p->status;
}

/* The value of an enumeration: of the one that is wanted, or of the only one that has it. */
static enum portolan_status type_enumerated(struct parser *p, struct node *node, const struct colour_type *hint)
{
    bool hinted = hint && lna_find_value(hint, node->name, &node->value);
    const struct colour_type *found = hinted ? hint->root : NULL;
    for (size_t i = 0; i < p->syntax->types.count && !hinted; i++) {
        const struct colour_type *type = p->syntax->types.item[i];
        if (type->root != type || !lna_find_value(type, node->name, &node->value))
            continue;
        if (found)
            return parser_fail(p, &node->at, "'%.64s' may be a value of '%.64s' or of '%.64s'", node->name, found->name,
                               type->name);
        found = type;
    }
    if (!found)
        return lna_unknown_value(p, node);
    node->kind = NODE_NUMBER;
    node->colour = found;
    return p->status;
}

static enum portolan_status type_name(struct parser *p, struct node *node, const struct colour_type *hint)
{
    const struct local *local = lna_find_local(p, node->name);
    const struct constant *constant = local ? NULL : lna_find_constant(p, node->name);
    if (local) {
        node->kind = NODE_LOCAL;
        node->colour = local->colour;
        node->value = local->at;
        node->cells = NULL;
        node->may_fail = false;
    } else if (constant) {
        bool number = !constant->late && lna_is_scalar(constant->colour);
        node->kind = number ? NODE_NUMBER : NODE_CONSTANT;
        node->colour = constant->colour;
        node->value = number ? constant->cells[0] : 0;
        node->cells = constant->cells;
        node->may_fail = constant->late;
    } else {
        return type_enumerated(p, node, hint);
    }
    return p->status;
}

/* ----------------------------------------------------------------- operations */

/* Numbers of a cyclic type wrap round after each operation. */
static struct node *wrap(struct parser *p, struct node *node)
{
    return node->colour->kind == COLOUR_CYCLIC ? convert_to(p, node, node->colour) : node;
}

static enum portolan_status type_neighbour(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    if (lna_type_any(p, &n->a, hint))
        return p->status;
    const struct colour_type *root = n->colour = n->a->colour->root;
    if (!lna_is_scalar(root))
        return parser_fail(p, &n->a->at, "only discrete values have a predecessor and a successor");
    if (root->kind != COLOUR_RANGE)
        return p->status;
    n->operation = n->kind == NODE_SUCCESSOR ? OPERATION_ADD : OPERATION_SUBTRACT;
    n->kind = NODE_BINARY;
    n->b = lna_number_like(p, n, 1, root);
    return p->status;
}

static enum portolan_status type_unary(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    if (n->operation == OPERATION_NOT) {
        n->colour = p->syntax->truth;
        return lna_type_value(p, &n->a, p->syntax->truth);
    }
    if (lna_type_any(p, &n->a, hint))
        return p->status;
    if (!lna_is_number(n->a->colour))
        return not_a_number(p, n->a);
    n->colour = n->a->colour->root;
    if (n->operation == OPERATION_NONE)
        *node = n->a;
    else
        *node = wrap(p, n);
    return p->status;
}

static enum portolan_status type_comparison(struct parser *p, struct node **node)
{
    struct node *n = *node;
    if (lna_type_pair(p, &n->a, &n->b, NULL))
        return p->status;
    n->colour = p->syntax->truth;
    if (lna_is_scalar(n->a->colour))
        return p->status;
    if (n->operation == OPERATION_EQUAL || n->operation == OPERATION_NOT_EQUAL) {
        n->kind = NODE_EQUAL;
        return p->status;
    }
    if (n->a->colour->kind == COLOUR_SET)
        return lna_compare_sets(p, node);
    return parser_fail(p, &n->at, "values of '%.64s' have no order", n->a->colour->name);
}

static enum portolan_status type_binary(struct parser *p, struct node **node, const struct colour_type *hint)
{
    struct node *n = *node;
    bool is_logical_one = n->operation == OPERATION_AND || n->operation == OPERATION_OR;
    if (compares(n->operation))
        return type_comparison(p, node);
    if ((is_logical_one || n->operation == OPERATION_SUBTRACT) && lna_type_sets(p, node, hint))
        return p->status;
    if (is_logical_one) {
        n->colour = p->syntax->truth;
        lna_type_value(p, &n->a, p->syntax->truth);
        return lna_type_value(p, &n->b, p->syntax->truth);
    }
    if (lna_type_pair(p, &n->a, &n->b, hint))
        return p->status;
    if (!lna_is_number(n->a->colour))
        return not_a_number(p, n->a);
    n->colour = n->a->colour->root;
    *node = wrap(p, lna_fold_constant(p, n));
    return p->status;
}

static enum portolan_status type_conditional(struct parser *p, struct node *node, const struct colour_type *hint)
{
    lna_type_condition(p, &node->a);
    if (p->status || lna_type_pair(p, &node->b, &node->c, hint))
        return p->status;
    node->colour = node->b->colour->root;
    return p->status;
}

/* ---------------------------------------------------------------------- calls */

static enum portolan_status type_cast(struct parser *p, struct node **node, const struct colour_type *type)
{
    struct node *value = (*node)->a;
    if (!value || value->next)
        return parser_fail(p, &(*node)->at, "a conversion to '%.64s' has one value", type->name);
    if (lna_type_any(p, &value, type))
        return p->status;
    if (!lna_is_scalar(type) || !lna_is_scalar(value->colour))
        return parser_fail(p, &(*node)->at, "only discrete values can be converted");
    struct node *cast = lna_convert(p, value, type, true);
    if (cast == value && !p->status) /* nothing can go wrong, but it is of another type now */
        cast = convert_to(p, value, type);
    *node = cast;
    return p->status;
}

static enum portolan_status type_call(struct parser *p, struct node **node)
{
    struct node *n = *node;
    struct colour_function *function = lna_find_function(p, n->name);
    const struct colour_type *type = function ? NULL : lna_find_type(p, n->name);
    if (!function)
        return type ? type_cast(p, node, type) : lna_unknown_function(p, n);
    n->function = function;
    n->colour = function->result;
    size_t i = 0;
    struct node **argument = &n->a;
    for (; i < function->parameters.count && *argument; argument = &(*argument)->next, i++)
        if (lna_type_value(p, argument, function->parameters.item[i]))
            return p->status;
    if (*argument || i < function->parameters.count)
        return parser_fail(p, &n->at, "'%.64s' takes %zu arguments", n->name, function->parameters.count);
    return p->status;
}

/* ----------------------------------------------------------------- everything */

static enum portolan_status type_kind(struct parser *p, struct node **node, const struct colour_type *hint)
{
    switch ((*node)->kind) {
    case NODE_NUMBER: return type_number(p, *node, hint);
    case NODE_NAME: return type_name(p, *node, hint);
    case NODE_UNARY: return type_unary(p, node, hint);
    case NODE_BINARY: return type_binary(p, node, hint);
    case NODE_CONDITIONAL: return type_conditional(p, *node, hint);
    case NODE_SUCCESSOR:
    case NODE_PREDECESSOR: return type_neighbour(p, node, hint);
    case NODE_CALL: return type_call(p, node);
    case NODE_MAKE: return lna_type_make(p, node, hint);
    case NODE_JOIN: return lna_type_join(p, node, hint);
    case NODE_MEMBER_OF: return lna_type_member(p, node);
    case NODE_ELEMENT: return lna_type_element(p, node);
    case NODE_SLICE: return lna_type_slice(p, node);
    case NODE_FIELD: return lna_type_field(p, node);
    case NODE_REPLACE: return lna_type_replace(p, node, hint);
    case NODE_SET_FIELD: return lna_type_set_field(p, node, hint);
    case NODE_ATTRIBUTE: return lna_type_attribute(p, node, hint);
    default: return lna_type_iteration(p, node, hint);
    }
}

/* What stands in a list stays in it, whatever is put in its place. */
enum portolan_status lna_type_any(struct parser *p, struct node **node, const struct colour_type *hint)
{
    if (p->status || (*node)->colour)
        return p->status;
    struct node *next = (*node)->next;
    if (type_kind(p, node, hint))
        return p->status;
    *node = lna_fold_constant(p, *node);
    (*node)->next = next;
    return p->status;
}

enum portolan_status lna_type_like(struct parser *p, struct node **node, const struct colour_type *wanted)
{
    if (p->status || lna_type_any(p, node, wanted))
        return p->status;
    return (*node)->colour->root == wanted->root ? p->status : lna_wrong_type(p, *node, wanted);
}

enum portolan_status lna_type_value(struct parser *p, struct node **node, const struct colour_type *wanted)
{
    if (!lna_type_like(p, node, wanted))
        *node = lna_convert(p, *node, wanted, false);
    return p->status;
}

enum portolan_status lna_type_condition(struct parser *p, struct node **node)
{
    return lna_type_value(p, node, p->syntax->truth);
}
