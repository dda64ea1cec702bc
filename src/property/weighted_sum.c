/* SPDX-License-Identifier: Apache-2.0 */
#include "property/weighted_sum.h"

#include "base/lists.h"

/* A variable holds 32 bits at most where sums are read; no part of a sum may reach 2^61. */
static const int64_t MOST_MAGNITUDE = INT64_C(1) << 61, VARIABLE_MAGNITUDE = INT64_C(1) << 31;

struct part { /* of the sum, still to be read */
    const struct node *node;
    int64_t factor;
};

struct reading {
    struct weighted_sum *weighted;
    const struct portolan_system *system;
    VECTOR(struct part) open;
    int64_t magnitude;
};

static bool fits(struct reading *r, int64_t value, int64_t factor)
{
    int64_t product;
    if (factor == 0 || __builtin_mul_overflow(value, factor, &product) || product <= -MOST_MAGNITUDE ||
        product >= MOST_MAGNITUDE)
        return false;
    r->magnitude += product < 0 ? -product : product;
    return r->magnitude < MOST_MAGNITUDE;
}

static enum sum_outcome open_part(struct reading *r, const struct node *node, int64_t factor)
{
    return vector_push(&r->open, ((struct part){node, factor})) ? SUM_FINE : SUM_NO_MEMORY;
}

static enum sum_outcome read_operation(struct reading *r, struct part part)
{
    const struct node *a = part.node->a, *b = part.node->b;
    bool adds = part.node->operation == OPERATION_ADD, subtracts = part.node->operation == OPERATION_SUBTRACT;
    if (!r->system->change)
        return SUM_NOT;
    if (part.node->operation == OPERATION_NEGATE)
        return open_part(r, a, -part.factor);
    if (adds || subtracts) {
        enum sum_outcome outcome = open_part(r, a, part.factor);
        return outcome == SUM_FINE ? open_part(r, b, adds ? part.factor : -part.factor) : outcome;
    }
    if (part.node->operation != OPERATION_MULTIPLY || (a->kind != NODE_NUMBER && b->kind != NODE_NUMBER))
        return SUM_NOT;
    const struct node *number = a->kind == NODE_NUMBER ? a : b;
    if (!fits(r, number->value, part.factor))
        return SUM_NOT;
    return open_part(r, number == a ? b : a, part.factor * number->value);
}

static enum sum_outcome read_part(struct reading *r, struct part part)
{
    const struct node *node = part.node;
    switch (node->kind) {
    case NODE_NUMBER:
        if (!fits(r, node->value, part.factor))
            return SUM_NOT;
        r->weighted->constant += node->value * part.factor;
        return SUM_FINE;
    case NODE_VARIABLE: {
        struct sum_term term = {(uint32_t)node->value, part.factor};
        if (node->may_fail || !fits(r, VARIABLE_MAGNITUDE, part.factor))
            return SUM_NOT;
        return vector_push(&r->weighted->terms, term) ? SUM_FINE : SUM_NO_MEMORY;
    }
    case NODE_UNARY:
    case NODE_BINARY: return read_operation(r, part);
    default: return SUM_NOT;
    }
}

enum sum_outcome weighted_sum_read(struct weighted_sum *weighted, const struct node *node,
                                   const struct portolan_system *system)
{
    struct reading r = {.weighted = weighted, .system = system};
    bool is_comparison = node->kind == NODE_BINARY && compares(node->operation);
    enum sum_outcome outcome = open_part(&r, is_comparison ? node->a : node, 1);
    if (outcome == SUM_FINE && is_comparison)
        outcome = open_part(&r, node->b, -1);
    while (outcome == SUM_FINE && r.open.count)
        outcome = read_part(&r, r.open.item[--r.open.count]);
    free(r.open.item);
    return outcome;
}

void weighted_sum_clear(struct weighted_sum *weighted)
{
    free(weighted->terms.item);
    *weighted = (struct weighted_sum){0};
}

sum_value weighted_sum_of(const struct weighted_sum *weighted, const struct portolan_system *system, const void *state)
{
    sum_value sum = weighted->constant;
    for (size_t i = 0; i < weighted->terms.count; i++)
        sum += (sum_value)weighted->terms.item[i].factor *
               system->value(system->model, state, weighted->terms.item[i].variable);
    return sum;
}

void weighted_sum_ways(const struct weighted_sum *weighted, const struct portolan_system *system, int64_t *sum,
                       unsigned char *ways)
{
    for (size_t i = 0; i < weighted->terms.count; i++)
        for_list (action, system->changers, weighted->terms.item[i].variable) {
            int64_t by;
            if (system->change && system->change(system->model, *action, weighted->terms.item[i].variable, &by))
                sum[*action] += by * weighted->terms.item[i].factor;
            else
                ways[*action] = MAY_RAISE | MAY_LOWER;
        }
    for (size_t i = 0; i < weighted->terms.count; i++)
        for_list (action, system->changers, weighted->terms.item[i].variable) {
            ways[*action] |= sum[*action] > 0 ? MAY_RAISE : sum[*action] < 0 ? MAY_LOWER : 0;
            sum[*action] = 0;
        }
}
