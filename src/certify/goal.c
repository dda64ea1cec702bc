/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/goal.h"

#include "base/lists.h"
#include "property/property.h"
#include "property/state_expression.h"

#include <string.h>

enum { RAISES = 1, LOWERS = 2 };

struct goal_part {
    const struct node *node;
    uint32_t a, b;       /* its operands; b is a where there is one */
    uint32_t comparison; /* the row in ways */
    int64_t value;       /* in the present state */
    int64_t change;      /* by the action that is looked at, ... */
    bool varies;         /* ... unless that depends on the state */
    bool met;            /* the set holds what is needed for another value */
    bool wanted;         /* and that is asked for */
    uint32_t choice;     /* of fireable the false guard, of deadlock the enabled action */
};

/* -------------------------------------------------------------- the expression */

static bool is_logical_part(const struct node *node)
{
    return (node->kind == NODE_UNARY && node->operation == OPERATION_NOT) ||
           (node->kind == NODE_BINARY && is_logical(node->operation));
}

static bool is_comparison(const struct node *node)
{
    return node->kind == NODE_BINARY && compares(node->operation);
}

static bool is_sum(const struct node *node)
{
    bool scales = node->operation == OPERATION_MULTIPLY && node->kind == NODE_BINARY &&
                  (node->a->kind == NODE_NUMBER || node->b->kind == NODE_NUMBER);
    return scales || node->operation == OPERATION_NEGATE || node->operation == OPERATION_ADD ||
           node->operation == OPERATION_SUBTRACT;
}

static bool is_number(const struct node *node)
{
    return node->kind == NODE_NUMBER || node->kind == NODE_VARIABLE || (node->a && is_sum(node));
}

/* Is it of a kind that has a value everywhere, and of which it is known what changes it? */
static bool is_understood(const struct goal *g, const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_DEADLOCK: return true;
    case NODE_FIREABLE: return g->system->relations;
    case NODE_VARIABLE: return !node->may_fail && g->system->changers.offset;
    case NODE_UNARY:
    case NODE_BINARY:
        if (is_comparison(node))
            return is_number(node->a) && is_number(node->b);
        return is_logical_part(node) || (g->system->change && is_sum(node));
    default: return false;
    }
}

/* Takes the expression apart. */
static bool take_apart(struct goal *g)
{
    bool fine = vector_push(&g->parts, (struct goal_part){.node = g->property->expression->tree});
    g->understood = true;
    for (size_t i = 0; fine && i < g->parts.count; i++) {
        const struct node *node = g->parts.item[i].node;
        g->understood &= is_understood(g, node);
        if (is_comparison(node))
            g->parts.item[i].comparison = g->comparisons++;
        if (!node->a || node->kind == NODE_CONDITIONAL)
            continue;
        g->parts.item[i].a = g->parts.item[i].b = (uint32_t)g->parts.count;
        fine = vector_push(&g->parts, (struct goal_part){.node = node->a});
        if (fine && node->b) {
            g->parts.item[i].b++;
            fine = vector_push(&g->parts, (struct goal_part){.node = node->b});
        }
    }
    return fine;
}

/* Can no sum overflow?  Variables hold 32 bits where sums are understood. */
static bool sums_fit(struct goal *g)
{
    const double most = 0x1p61;
    double *bound = calloc(g->parts.count, sizeof *bound);
    bool fit = bound;
    for (size_t i = g->parts.count; fit && i-- > 0;) {
        const struct goal_part *p = &g->parts.item[i];
        const struct node *node = p->node;
        if (node->kind == NODE_NUMBER)
            bound[i] = node->value < 0 ? -(double)node->value : (double)node->value;
        else if (node->kind == NODE_VARIABLE)
            bound[i] = 0x1p31;
        else if (node->a && is_sum(node))
            bound[i] = node->operation == OPERATION_MULTIPLY ? bound[p->a] * bound[p->b] : bound[p->a] + bound[p->b];
        fit = bound[i] < most || (!node->a && node->kind != NODE_VARIABLE);
    }
    free(bound);
    return fit;
}

static bool may_change(const struct goal *g, uint32_t action, uint32_t variable)
{
    for_list (t, g->system->changers, variable)
        if (*t == action)
            return true;
    return false;
}

/* How the action changes a number. */
static void find_change(const struct goal *g, struct goal_part *p, uint32_t action)
{
    const struct goal_part *a = &g->parts.item[p->a], *b = &g->parts.item[p->b];
    const struct portolan_system *system = g->system;
    p->change = 0;
    p->varies = false;
    if (p->node->kind == NODE_VARIABLE) {
        uint32_t variable = (uint32_t)p->node->value;
        p->varies = !(system->change && system->change(system->model, action, variable, &p->change)) &&
                    may_change(g, action, variable);
    } else if (p->node->a && !is_logical_part(p->node)) {
        p->varies = a->varies || b->varies;
        switch (p->node->operation) {
        case OPERATION_ADD: p->change = a->change + b->change; break;
        case OPERATION_NEGATE: p->change = -a->change; break;
        case OPERATION_MULTIPLY:
            p->change = a->node->kind == NODE_NUMBER ? a->node->value * b->change : a->change * b->node->value;
            break;
        default: p->change = a->change - b->change; break; /* a difference, or a comparison */
        }
    }
}

static void find_ways(struct goal *g, uint32_t action)
{
    for (size_t i = g->parts.count; i-- > 0;) {
        struct goal_part *p = &g->parts.item[i];
        find_change(g, p, action);
        if (is_comparison(p->node))
            g->ways[(size_t)p->comparison * g->system->actions + action] = p->varies       ? RAISES | LOWERS
                                                                           : p->change > 0 ? RAISES
                                                                           : p->change < 0 ? LOWERS
                                                                                           : 0;
    }
}

bool goal_make(struct goal *g, const struct portolan_system *system, const struct claim *claim)
{
    *g = (struct goal){.system = system, .property = claim->property};
    g->visible = calloc((size_t)system->actions + 1, sizeof *g->visible);
    if (!g->visible || !take_apart(g))
        return false;
    property_mark_visible(claim->property, system, g->visible);
    g->understood = g->understood && sums_fit(g);
    g->ways = calloc((size_t)g->comparisons * system->actions + 1, 1);
    for (uint32_t t = 0; g->ways && g->understood && t < system->actions; t++) {
        if (limits_reached())
            return false;
        find_ways(g, t);
    }
    return g->ways;
}

void goal_clear(struct goal *g)
{
    free(g->parts.item);
    free(g->ways);
    free(g->visible);
    memset(g, 0, sizeof *g);
}

/* -------------------------------------------------------------------- a state */

static bool guard_holds(const struct goal *g, const struct states *states, uint32_t guard)
{
    return g->system->relations->holds(g->system->model, states->present, guard);
}

static void find_value(const struct goal *g, const struct states *states, struct goal_part *p)
{
    const struct node *node = p->node;
    int64_t a = g->parts.item[p->a].value, b = g->parts.item[p->b].value;
    p->wanted = false;
    switch (node->kind) {
    case NODE_NUMBER: p->value = node->value; break;
    case NODE_VARIABLE: p->value = g->system->value(g->system->model, states->present, (uint32_t)node->value); break;
    case NODE_FIREABLE: p->value = states_is_enabled(states, (uint32_t)node->value); break;
    case NODE_UNARY:
    case NODE_BINARY: arithmetic(node->operation, &INTEGER_64, a, b, &p->value); break;
    default: p->value = 0; break; /* deadlock, where something is enabled */
    }
}

static bool each_in(const struct portolan_lists *lists, uint32_t list, const struct goal_set *set)
{
    for_list (t, *lists, list)
        if (!set->look(set->user, *t))
            return false;
    return true;
}

static bool each_disabler(const struct goal *g, uint32_t action, const struct goal_set *set)
{
    for_list (guard, g->system->relations->guards_of, action)
        if (!each_in(&g->system->relations->disablers, *guard, set))
            return false;
    return true;
}

static bool each_marked(const unsigned char *marks, unsigned any, uint32_t count, const struct goal_set *set)
{
    for (uint32_t t = 0; t < count; t++)
        if (marks[t] & any && !set->look(set->user, t))
            return false;
    return true;
}

/* What may give a comparison its other value: a < b is told by the sign of a - b, a = b by both. */
static bool each_way(const struct goal *g, const struct goal_part *p, const struct goal_set *set)
{
    int64_t a = g->parts.item[p->a].value, b = g->parts.item[p->b].value;
    unsigned any = a < b ? RAISES : a > b ? LOWERS : RAISES | LOWERS;
    enum operation operation = p->node->operation;
    if (operation == OPERATION_LESS || operation == OPERATION_LESS_EQUAL)
        any = p->value ? RAISES : LOWERS;
    else if (operation == OPERATION_GREATER || operation == OPERATION_GREATER_EQUAL)
        any = p->value ? LOWERS : RAISES;
    return each_marked(g->ways + (size_t)p->comparison * g->system->actions, any, g->system->actions, set);
}

/* Looks at what may give a part that is no connective its other value, as chosen. */
static bool each_attractor(const struct goal *g, const struct goal_part *p, const struct goal_set *set)
{
    switch (p->node->kind) {
    case NODE_NUMBER: return true;
    case NODE_VARIABLE: return each_in(&g->system->changers, (uint32_t)p->node->value, set);
    case NODE_FIREABLE:
        return p->value ? each_disabler(g, (uint32_t)p->node->value, set)
                        : each_in(&g->system->relations->enablers, p->choice, set);
    case NODE_DEADLOCK: return each_disabler(g, p->choice, set);
    default: return !is_comparison(p->node) || each_way(g, p, set);
    }
}

static bool choose_guard(const struct goal *g, const struct states *states, struct goal_part *p,
                         const struct goal_set *set)
{
    for_list (guard, g->system->relations->guards_of, (uint32_t)p->node->value)
        if (!guard_holds(g, states, *guard)) {
            p->choice = *guard;
            if (each_attractor(g, p, set))
                return true;
        }
    return false;
}

static bool choose_enabled(const struct goal *g, const struct states *states, struct goal_part *p,
                           const struct goal_set *set)
{
    for (uint32_t i = 0; i < states->enabled_count; i++) {
        p->choice = states->enabled[i];
        if (each_attractor(g, p, set))
            return true;
    }
    return false;
}

/* Must an operand of a connective have another value before that has one?  A wrong operand stands in the way; without
 * any, each may be the one that changes. */
static bool is_wrong(const struct goal_part *p, const struct goal_part *operand, bool is_left)
{
    switch (p->node->operation) {
    case OPERATION_AND: return !p->value && !operand->value;
    case OPERATION_OR: return p->value && operand->value;
    case OPERATION_IMPLIES: return p->value && !operand->value == is_left;
    default: return false;
    }
}

/* Is the set enough for the part, given that of its operands? */
static bool connective_is_met(const struct goal_part *p, const struct goal_part *a, const struct goal_part *b)
{
    bool left = is_wrong(p, a, true), right = is_wrong(p, b, false);
    if (left || right)
        return (left && a->met) || (right && b->met);
    return a->met && b->met;
}

static bool is_met(const struct goal *g, const struct states *states, struct goal_part *p, const struct goal_set *set)
{
    if (is_logical_part(p->node))
        return connective_is_met(p, &g->parts.item[p->a], &g->parts.item[p->b]);
    if (p->node->kind == NODE_FIREABLE && !p->value)
        return choose_guard(g, states, p, set);
    if (p->node->kind == NODE_DEADLOCK)
        return choose_enabled(g, states, p, set);
    return each_attractor(g, p, set);
}

static bool each_visible(const struct goal *g, const struct goal_set *set)
{
    for (uint32_t t = 0; t < g->system->actions; t++)
        if (g->visible[t] && !set->look(set->user, t))
            return false;
    return true;
}

bool goal_is_met(struct goal *g, const struct states *states, const struct goal_set *set)
{
    if (!g->understood)
        return each_visible(g, set);
    for (size_t i = g->parts.count; i-- > 0;) {
        struct goal_part *p = &g->parts.item[i];
        find_value(g, states, p);
        p->met = p->node->gives.kind == VALUE_BOOLEAN && is_met(g, states, p, set);
    }
    return g->parts.item[0].met;
}

static void pass_on(const struct goal *g, const struct goal_part *p)
{
    struct goal_part *a = &g->parts.item[p->a], *b = &g->parts.item[p->b];
    bool left = is_wrong(p, a, true), right = is_wrong(p, b, false);
    if (!left && !right)
        a->wanted = b->wanted = true;
    else if (left && a->met)
        a->wanted = true;
    else
        b->wanted = true;
}

void goal_take(const struct goal *g, const struct goal_set *set)
{
    if (!g->understood) {
        each_visible(g, set);
        return;
    }
    g->parts.item[0].wanted = true;
    for (size_t i = 0; i < g->parts.count; i++) {
        const struct goal_part *p = &g->parts.item[i];
        if (!p->wanted)
            continue;
        if (is_logical_part(p->node))
            pass_on(g, p);
        else
            each_attractor(g, p, set);
    }
}
