/* SPDX-License-Identifier: Apache-2.0 */
#include "property/expression.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "property/state_expression.h"

#include <stdio.h>
#include <stdlib.h>

/* -------------------------------------------------------------- evaluation */

static struct evaluation evaluate(const struct expression *expression, const struct portolan_system *system,
                                  const void *state, bool is_deadlock, int64_t *value)
{
    struct evaluation e = {
        .system = system, .state = state, .is_deadlock = is_deadlock, .enabled = expression->enabled};
    *value = code_value(expression->tree, &e);
    return e;
}

enum expression_value expression_value(const struct expression *expression, const struct portolan_system *system,
                                       const void *state, bool is_deadlock)
{
    int64_t value;
    struct evaluation e = evaluate(expression, system, state, is_deadlock, &value);
    return e.failure ? EXPRESSION_NO_VALUE : value ? EXPRESSION_TRUE : EXPRESSION_FALSE;
}

bool expression_number(const struct expression *expression, const struct portolan_system *system, const void *state,
                       int64_t *number)
{
    return !evaluate(expression, system, state, false, number).failure;
}

bool expression_why_no_value(const struct expression *expression, const struct portolan_system *system,
                             const void *state, bool is_deadlock, char *text, size_t size)
{
    int64_t value;
    if (!expression->tree->may_fail)
        return false;
    struct evaluation e = evaluate(expression, system, state, is_deadlock, &value);
    if (!e.failure)
        return false;
    const struct node *node = e.failed_at;
    const struct node *asked = node->kind == NODE_VARIABLE ? node : node->b;
    char why[100] = "";
    snprintf(why, sizeof why, "%s", e.failure);
    if (asked && asked->kind == NODE_VARIABLE && system->why_no_value &&
        system->value(system->model, state, (uint32_t)asked->value) == PORTOLAN_NO_VALUE) {
        node = asked;
        system->why_no_value(system->model, state, (uint32_t)asked->value, why, sizeof why);
    }
    int shown = node->length < 40 ? (int)node->length : 40;
    snprintf(text, size, "%.*s%s has no value: %s", shown, node->start, shown < 40 ? "" : "...", why);
    return true;
}

/* ------------------------------------------------------- deadlock analyses */

/* Three-valued truth, ordered so that "and" is the minimum and "or" the maximum. */
enum truth { FALSE, UNKNOWN, TRUE };

static enum truth truth_of_binary(enum operation operation, enum truth left, enum truth right)
{
    if (operation == OPERATION_IMPLIES)
        left = TRUE - left;
    switch (operation) {
    case OPERATION_AND: return left < right ? left : right;
    case OPERATION_OR:
    case OPERATION_IMPLIES: return left > right ? left : right;
    case OPERATION_IFF: return left == UNKNOWN || right == UNKNOWN ? UNKNOWN : left == right ? TRUE : FALSE;
    default: return UNKNOWN;
    }
}

static enum truth truth_of(const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER: return node->value ? TRUE : FALSE;
    case NODE_DEADLOCK: return FALSE;
    case NODE_UNARY: return node->operation == OPERATION_NOT ? TRUE - node->a->truth : UNKNOWN;
    case NODE_BINARY: return truth_of_binary(node->operation, node->a->truth, node->b->truth);
    default: return UNKNOWN;
    }
}

/* May the node have no value while deadlock is false?  What && and the like need not look at does not count. */
static bool fails_of(const struct node *node)
{
    if (!node->a)
        return node->may_fail;
    enum truth left = node->a->truth;
    bool decided = (node->operation == OPERATION_AND && left == FALSE) ||
                   (node->operation == OPERATION_OR && left == TRUE) ||
                   (node->operation == OPERATION_IMPLIES && left == FALSE);
    return node->a->fails || (node->b && node->b->fails && !decided) || operation_may_fail(node->operation);
}

/* What is left to know of the expression once deadlock is false. */
static void analyse_deadlock(struct expression *expression)
{
    for (size_t i = 0; i < expression->nodes.count; i++) {
        struct node *node = expression->nodes.item[i];
        node->truth = (unsigned char)truth_of(node);
        node->fails = fails_of(node);
    }
    const struct node *whole = expression->tree;
    expression->only_in_deadlocks = whole->truth == FALSE && !whole->fails;
    expression->only_fails_in_deadlocks = whole->truth == TRUE && !whole->fails;
}

static bool mentions(const struct expression *expression, enum node_kind kind)
{
    for (size_t i = 0; i < expression->nodes.count; i++)
        if (expression->nodes.item[i]->kind == kind)
            return true;
    return false;
}

/* The nodes, children before their parents. */
static bool list_nodes(struct expression *expression)
{
    VECTOR(struct node *) open = {0};
    bool fine = vector_push(&open, expression->tree);
    while (fine && open.count) {
        struct node *node = open.item[--open.count];
        fine = vector_push(&expression->nodes, node) && (!node->a || vector_push(&open, node->a)) &&
               (!node->b || vector_push(&open, node->b));
    }
    free(open.item);
    for (size_t i = 0, j = expression->nodes.count; i + 1 < j; i++) {
        struct node *swapped = expression->nodes.item[i];
        expression->nodes.item[i] = expression->nodes.item[--j];
        expression->nodes.item[j] = swapped;
    }
    return fine;
}

/* The text of the nodes is copied, since they outlive it. */
static bool keep_text(struct expression *expression, const char *text, size_t length)
{
    char *copy = arena_copy(&expression->arena, text, length);
    for (size_t i = 0; copy && i < expression->nodes.count; i++)
        expression->nodes.item[i]->start = copy + (expression->nodes.item[i]->start - text);
    return copy != NULL;
}

bool expression_finish(struct expression *expression, const struct portolan_system *system, const char *text,
                       size_t length)
{
    if (!list_nodes(expression) || !keep_text(expression, text, length) ||
        !code_make(&expression->code, expression->tree))
        return false;
    analyse_deadlock(expression);
    expression->mentions_deadlock = mentions(expression, NODE_DEADLOCK);
    if (!mentions(expression, NODE_FIREABLE))
        return true;
    expression->enabled = calloc((size_t)fixed_actions(system) + 1, sizeof *expression->enabled);
    return expression->enabled != NULL;
}

bool expression_renumber(struct expression *expression, const uint32_t *variables, const uint32_t *actions)
{
    for (size_t i = 0; i < expression->nodes.count; i++) {
        struct node *node = expression->nodes.item[i];
        if (node->kind == NODE_VARIABLE)
            node->value = variables[node->value];
        else if (node->kind == NODE_FIREABLE)
            node->value = actions[node->value];
    }
    code_clear(&expression->code);
    return code_make(&expression->code, expression->tree);
}

void expression_free(struct expression *expression)
{
    if (!expression)
        return;
    arena_clear(&expression->arena);
    code_clear(&expression->code);
    free(expression->nodes.item);
    free(expression->enabled);
    free(expression);
}

/* -------------------------------------------------------------- visibility */

static void mark_all(const struct portolan_system *system, bool *visible)
{
    for (uint32_t action = 0; action < fixed_actions(system); action++)
        visible[action] = true;
}

static void mark_list(const struct portolan_lists *lists, uint32_t list, bool *visible)
{
    for (uint32_t i = lists->offset[list]; i < lists->offset[list + 1]; i++)
        visible[lists->item[i]] = true;
}

/* Whatever may change one of the guards of the action may change whether it is fireable. */
static void mark_fireable(const struct portolan_relations *relations, uint32_t action, bool *visible)
{
    for (uint32_t i = relations->guards_of.offset[action]; i < relations->guards_of.offset[action + 1]; i++) {
        mark_list(&relations->enablers, relations->guards_of.item[i], visible);
        mark_list(&relations->disablers, relations->guards_of.item[i], visible);
    }
}

void expression_mark_visible(const struct expression *expression, const struct portolan_system *system, bool *visible)
{
    if ((mentions(expression, NODE_VARIABLE) && !system->changers.offset) ||
        (mentions(expression, NODE_FIREABLE) && !system->relations)) {
        mark_all(system, visible);
        return;
    }
    for (size_t i = 0; i < expression->nodes.count; i++) {
        const struct node *node = expression->nodes.item[i];
        if (node->kind == NODE_VARIABLE)
            mark_list(&system->changers, (uint32_t)node->value, visible);
        else if (node->kind == NODE_FIREABLE)
            mark_fireable(system->relations, (uint32_t)node->value, visible);
    }
}

bool expression_mentions_deadlock(const struct expression *expression)
{
    return expression->mentions_deadlock;
}

bool expression_only_in_deadlocks(const struct expression *expression)
{
    return expression->only_in_deadlocks;
}

bool expression_only_fails_in_deadlocks(const struct expression *expression)
{
    return expression->only_fails_in_deadlocks;
}
