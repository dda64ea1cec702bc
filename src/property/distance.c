/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A distance on the structure of a formula: how much numbers miss a comparison by, the sum over a conjunction, the
 * least over a disjunction; of `deadlock` the number of enabled actions, of an action its guards that are false.
 */
#include "property/distance.h"

#include "base/lists.h"
#include "property/state_expression.h"

#include <stdlib.h>

/* Of a node: its value, and how far it is from being true and from being false. */
struct distance {
    int64_t value;
    uint32_t to_true, to_false;
};

struct distance *distance_make(const struct portolan_property *property)
{
    size_t nodes = property->expression ? property->expression->nodes.count : 0;
    return calloc(nodes + 1, sizeof(struct distance));
}

bool distance_counts_enabled(const struct portolan_property *property)
{
    return property->kind == PORTOLAN_NO_DEADLOCK ||
           (property->expression && expression_mentions_deadlock(property->expression));
}

static uint32_t within(int64_t distance)
{
    return distance > FARTHEST ? FARTHEST : distance < 0 ? 0 : (uint32_t)distance;
}

static uint32_t both(uint32_t a, uint32_t b)
{
    return within((int64_t)a + b);
}

static uint32_t either(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct distance of_truth(bool truth)
{
    return (struct distance){.value = truth, .to_true = !truth, .to_false = truth};
}

/* How much must change until a comparison is true? */
static uint32_t to_compare(enum operation operation, int64_t a, int64_t b)
{
    int64_t above;
    if (compare(operation, a, b))
        return 0;
    if (operation == OPERATION_NOT_EQUAL)
        return 1;
    if (__builtin_sub_overflow(a, b, &above) || above == INT64_MIN)
        return FARTHEST;
    bool strict = operation == OPERATION_LESS || operation == OPERATION_GREATER;
    return both(within(above < 0 ? -above : above), strict);
}

static struct distance of_number(const struct node *node, const struct distance *a, const struct distance *b)
{
    struct distance d = {.to_true = FARTHEST, .to_false = FARTHEST};
    if (arithmetic(node->operation, &node->gives.integer, a->value, b->value, &d.value) != ARITHMETIC_FITS)
        d.value = 0;
    return d;
}

static struct distance of_binary(const struct node *node, const struct distance *a, const struct distance *b)
{
    enum operation operation = node->operation;
    if (compares(operation))
        return (struct distance){.value = compare(operation, a->value, b->value),
                                 .to_true = to_compare(operation, a->value, b->value),
                                 .to_false = to_compare(opposite(operation), a->value, b->value)};
    switch (operation) {
    case OPERATION_AND:
        return (struct distance){a->value && b->value, both(a->to_true, b->to_true), either(a->to_false, b->to_false)};
    case OPERATION_OR:
        return (struct distance){a->value || b->value, either(a->to_true, b->to_true), both(a->to_false, b->to_false)};
    case OPERATION_IMPLIES:
        return (struct distance){!a->value || b->value, either(a->to_false, b->to_true), both(a->to_true, b->to_false)};
    case OPERATION_IFF:
        return (struct distance){!a->value == !b->value,
                                 either(both(a->to_true, b->to_true), both(a->to_false, b->to_false)),
                                 either(both(a->to_true, b->to_false), both(a->to_false, b->to_true))};
    default: return of_number(node, a, b);
    }
}

static struct distance of_fireable(const struct node *node, struct evaluation *e)
{
    const struct portolan_relations *relations = e->system->relations;
    struct distance d = {0};
    if (!relations)
        return of_truth(code_value(node, e));
    for_list (guard, relations->guards_of, (uint32_t)node->value)
        d.to_true += !relations->holds(e->system->model, e->state, *guard);
    d.to_false = d.value = d.to_true == 0;
    return d;
}

static struct distance of_leaf(const struct node *node, struct evaluation *e, uint32_t enabled_count)
{
    if (node->kind == NODE_FIREABLE)
        return of_fireable(node, e);
    if (node->kind == NODE_DEADLOCK)
        return (struct distance){enabled_count == 0, enabled_count, enabled_count == 0};
    int64_t value = node->value;
    if (node->kind == NODE_VARIABLE)
        value = e->system->value(e->system->model, e->state, (uint32_t)node->value);
    struct distance d = of_truth(value != 0);
    d.value = value;
    return d;
}

/* The nodes are listed children first, so that a stack holds what is still wanted. */
static struct distance of_expression(const struct expression *expression, struct distance *stack, struct evaluation *e,
                                     uint32_t enabled_count)
{
    size_t count = 0;
    for (size_t i = 0; i < expression->nodes.count; i++) {
        const struct node *node = expression->nodes.item[i];
        struct distance d;
        if (node->b)
            d = of_binary(node, &stack[count - 2], &stack[count - 1]);
        else if (node->a && node->operation == OPERATION_NOT)
            d = (struct distance){!stack[count - 1].value, stack[count - 1].to_false, stack[count - 1].to_true};
        else if (node->a)
            d = of_number(node, &stack[count - 1], &stack[count - 1]);
        else
            d = of_leaf(node, e, enabled_count);
        count -= (node->a != NULL) + (node->b != NULL);
        stack[count++] = d;
    }
    return stack[0];
}

uint32_t property_distance(const struct portolan_property *property, struct distance *scratch,
                           const struct portolan_system *system, const void *state, uint32_t enabled_count)
{
    if (!property->expression)
        return enabled_count;
    struct evaluation e = {
        .system = system, .state = state, .is_deadlock = enabled_count == 0, .enabled = property->expression->enabled};
    struct distance whole = of_expression(property->expression, scratch, &e, enabled_count);
    return property->kind == PORTOLAN_INVARIANT ? whole.to_false : whole.to_true;
}
