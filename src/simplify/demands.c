/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/demands.h"

#include "expression/tree.h"

void inequalities_clear(struct inequalities *inequalities)
{
    free(inequalities->terms.item);
    free(inequalities->item.item);
    *inequalities = (struct inequalities){0};
}

/* ---------------------------------------------------------------- inequalities */

static const int64_t most_factor = 1 << 20; /* so that no sum overflows, neither here nor in the expression */

/* Adds factor times the value of the node; false when that is not linear, or too large. */
static bool add_terms(const struct node *node, int64_t factor, struct inequalities *out, int64_t *constant)
{
    if (factor > most_factor || factor < -most_factor)
        return false;
    switch (node->kind) {
    case NODE_NUMBER: *constant += factor * node->value; return node->value <= INT32_MAX && node->value >= -INT32_MAX;
    case NODE_VARIABLE: {
        struct inequality_term term = {.place = (uint32_t)node->value, .factor = factor};
        return vector_push(&out->terms, term);
    }
    case NODE_UNARY: return node->operation == OPERATION_NEGATE && add_terms(node->a, -factor, out, constant);
    case NODE_BINARY: break;
    default: return false;
    }
    if (node->operation == OPERATION_ADD || node->operation == OPERATION_SUBTRACT)
        return add_terms(node->a, factor, out, constant) &&
               add_terms(node->b, node->operation == OPERATION_ADD ? factor : -factor, out, constant);
    const struct node *number = node->a->kind == NODE_NUMBER ? node->a : node->b;
    const struct node *other = number == node->a ? node->b : node->a;
    return node->operation == OPERATION_MULTIPLY && number->kind == NODE_NUMBER && number->value <= most_factor &&
           number->value >= -most_factor && add_terms(other, factor * number->value, out, constant);
}

enum { MOST_TERMS = 1024 };

/* sign * (a - b) <= bound */
static bool add_inequality(const struct node *node, int64_t sign, int64_t bound, struct inequalities *out)
{
    size_t first = out->terms.count;
    int64_t constant = 0;
    if (!add_terms(node->a, sign, out, &constant) || !add_terms(node->b, -sign, out, &constant) ||
        out->terms.count - first > MOST_TERMS)
        return false;
    struct inequality made = {.first = first, .count = out->terms.count - first, .bound = bound - constant};
    return vector_push(&out->item, made);
}

static bool add_tokens(const struct demand *demand, struct inequalities *out)
{
    struct inequality_term term = {.place = demand->number, .factor = demand->wanted ? -1 : 1};
    struct inequality made = {.first = out->terms.count, .count = 1};
    made.bound = demand->wanted ? -(int64_t)demand->bound : (int64_t)demand->bound - 1;
    return vector_push(&out->terms, term) && vector_push(&out->item, made);
}

/* --------------------------------------------------------------------- reducing */

static bool is_comparison(const struct node *node)
{
    return node->kind == NODE_BINARY && node->operation >= OPERATION_EQUAL &&
           node->operation <= OPERATION_GREATER_EQUAL && node->a->gives.kind == VALUE_INTEGER &&
           node->b->gives.kind == VALUE_INTEGER;
}

static struct demand truth_of(const struct node *node, bool wanted)
{
    return (struct demand){.kind = DEMAND_TRUTH, .node = node, .wanted = wanted};
}

static enum demand_outcome reduce_comparison(const struct node *node, bool wanted, struct inequalities *out)
{
    enum operation operation = wanted ? node->operation : opposite(node->operation);
    bool fine = true;
    switch (operation) {
    case OPERATION_NOT_EQUAL: return DEMAND_OPEN;
    case OPERATION_EQUAL: fine = add_inequality(node, 1, 0, out) && add_inequality(node, -1, 0, out); break;
    case OPERATION_LESS: fine = add_inequality(node, 1, -1, out); break;
    case OPERATION_LESS_EQUAL: fine = add_inequality(node, 1, 0, out); break;
    case OPERATION_GREATER: fine = add_inequality(node, -1, -1, out); break;
    default: fine = add_inequality(node, -1, 0, out); break;
    }
    return fine ? DEMAND_MET : DEMAND_UNKNOWN;
}

static enum demand_outcome both(struct demands *others, struct demand one, struct demand two)
{
    return vector_push(others, one) && vector_push(others, two) ? DEMAND_MET : DEMAND_UNKNOWN;
}

static enum demand_outcome reduce_truth(const struct demand *demand, struct inequalities *out, struct demands *others)
{
    const struct node *node = demand->node;
    bool wanted = demand->wanted;
    if (is_comparison(node))
        return reduce_comparison(node, wanted, out);
    switch (node->kind) {
    case NODE_NUMBER: return (node->value != 0) == wanted ? DEMAND_MET : DEMAND_IMPOSSIBLE;
    case NODE_FIREABLE: {
        struct demand enabled = {.kind = DEMAND_ENABLED, .wanted = wanted, .number = (uint32_t)node->value};
        return vector_push(others, enabled) ? DEMAND_MET : DEMAND_UNKNOWN;
    }
    case NODE_UNARY:
        if (node->operation != OPERATION_NOT)
            return DEMAND_UNKNOWN;
        return vector_push(others, truth_of(node->a, !wanted)) ? DEMAND_MET : DEMAND_UNKNOWN;
    case NODE_BINARY: break;
    default: return DEMAND_UNKNOWN;
    }
    switch (node->operation) {
    case OPERATION_AND: return wanted ? both(others, truth_of(node->a, true), truth_of(node->b, true)) : DEMAND_OPEN;
    case OPERATION_OR: return wanted ? DEMAND_OPEN : both(others, truth_of(node->a, false), truth_of(node->b, false));
    case OPERATION_IMPLIES:
        return wanted ? DEMAND_OPEN : both(others, truth_of(node->a, true), truth_of(node->b, false));
    case OPERATION_IFF: return DEMAND_OPEN;
    default: return DEMAND_UNKNOWN;
    }
}

static struct demand tokens(uint32_t place, uint32_t bound, bool wanted)
{
    return (struct demand){.kind = DEMAND_TOKENS, .number = place, .bound = bound, .wanted = wanted};
}

/* Every test must hold; for the opposite one of them must not, which are several ways. */
static enum demand_outcome reduce_enabled(const struct net *net, const struct demand *demand, struct demands *others)
{
    uint32_t tests = 0;
    for (uint32_t i = net->arc_offset[demand->number]; i < net->arc_offset[demand->number + 1]; i++) {
        const struct net_arc *arc = &net->arc[i];
        tests += (arc->need > 0) + (arc->inhibit > 0);
        if (demand->wanted && arc->need && !vector_push(others, tokens(arc->place, arc->need, true)))
            return DEMAND_UNKNOWN;
        if (demand->wanted && arc->inhibit && !vector_push(others, tokens(arc->place, arc->inhibit, false)))
            return DEMAND_UNKNOWN;
    }
    return demand->wanted ? DEMAND_MET : tests == 0 ? DEMAND_IMPOSSIBLE : DEMAND_OPEN;
}

enum demand_outcome demand_reduce(const struct net *net, struct demand demand, struct inequalities *inequalities,
                                  struct demands *others)
{
    switch (demand.kind) {
    case DEMAND_TRUTH: return reduce_truth(&demand, inequalities, others);
    case DEMAND_ENABLED: return reduce_enabled(net, &demand, others);
    case DEMAND_LESS: return add_inequality(demand.node, 1, -1, inequalities) ? DEMAND_MET : DEMAND_UNKNOWN;
    case DEMAND_GREATER: return add_inequality(demand.node, -1, -1, inequalities) ? DEMAND_MET : DEMAND_UNKNOWN;
    case DEMAND_TOKENS: return add_tokens(&demand, inequalities) ? DEMAND_MET : DEMAND_UNKNOWN;
    }
    return DEMAND_UNKNOWN;
}

/* ------------------------------------------------------------------------- ways */

void demand_ways_clear(struct demand_ways *ways)
{
    free(ways->demands.item);
    free(ways->sizes.item);
    *ways = (struct demand_ways){0};
}

static bool way_of_one(struct demand_ways *ways, struct demand one)
{
    return vector_push(&ways->demands, one) && vector_push(&ways->sizes, 1);
}

static bool way_of_two(struct demand_ways *ways, struct demand one, struct demand two)
{
    return vector_push(&ways->demands, one) && vector_push(&ways->demands, two) && vector_push(&ways->sizes, 2);
}

static bool ways_to_disable(const struct net *net, uint32_t t, struct demand_ways *ways)
{
    for_arcs (arc, net, t) {
        if ((arc->need && !way_of_one(ways, tokens(arc->place, arc->need, false))) ||
            (arc->inhibit && !way_of_one(ways, tokens(arc->place, arc->inhibit, true))))
            return false;
    }
    return true;
}

bool demand_ways(const struct net *net, struct demand demand, struct demand_ways *ways)
{
    if (demand.kind == DEMAND_ENABLED)
        return ways_to_disable(net, demand.number, ways);
    const struct node *node = demand.node;
    if (is_comparison(node)) {
        struct demand less = {.kind = DEMAND_LESS, .node = node}, greater = {.kind = DEMAND_GREATER, .node = node};
        return way_of_one(ways, less) && way_of_one(ways, greater);
    }
    switch (node->operation) {
    case OPERATION_AND: return way_of_one(ways, truth_of(node->a, false)) && way_of_one(ways, truth_of(node->b, false));
    case OPERATION_OR: return way_of_one(ways, truth_of(node->a, true)) && way_of_one(ways, truth_of(node->b, true));
    case OPERATION_IMPLIES:
        return way_of_one(ways, truth_of(node->a, false)) && way_of_one(ways, truth_of(node->b, true));
    default:
        return way_of_two(ways, truth_of(node->a, true), truth_of(node->b, demand.wanted)) &&
               way_of_two(ways, truth_of(node->a, false), truth_of(node->b, !demand.wanted));
    }
}
