/* SPDX-License-Identifier: Apache-2.0 */
#include "property/attractors.h"

#include "base/enabled.h"
#include "base/lists.h"
#include "property/state_expression.h"
#include "property/weighted_sum.h"

#include <string.h>

enum piece_kind {
    PIECE_CONSTANT,
    PIECE_CONNECTIVE, /* of a and b; of a alone: its negation */
    PIECE_COMPARISON, /* of a sum with 0 */
    PIECE_FIREABLE,
    PIECE_DEADLOCK,
    PIECE_OTHER /* whatever is visible may change it */
};

/* A condition that others are not made of, or a connective. */
struct piece {
    enum piece_kind kind;
    enum operation operation;
    const struct node *node;
    uint32_t a, b;                /* of a connective: its operands */
    struct weighted_sum weighted; /* of a comparison */
    /* in the present state */
    bool holds;
    bool must_change;
    uint32_t cost; /* of changing it: attractors, about */
};

struct attractors {
    const struct portolan_system *system;
    const struct portolan_property *property;
    VECTOR(struct piece) pieces; /* operands behind what is made of them */
    /* of comparison i the actions that raise it (2 i) and that lower it (2 i + 1); behind them the visible ones */
    struct portolan_lists ways;
};

/* ------------------------------------------------------------------- making */

static bool is_connective(const struct node *node)
{
    return (node->kind == NODE_UNARY && node->operation == OPERATION_NOT) ||
           (node->kind == NODE_BINARY && is_logical(node->operation));
}

/* False when memory ran out, or when the piece may have no value: then one part decides nothing. */
static bool classify(struct attractors *a, struct piece *piece)
{
    const struct node *node = piece->node;
    bool is_comparison = node->kind == NODE_VARIABLE || (node->kind == NODE_BINARY && compares(node->operation));
    if (node->kind == NODE_NUMBER) {
        piece->kind = PIECE_CONSTANT;
    } else if (node->kind == NODE_FIREABLE) {
        piece->kind = PIECE_FIREABLE;
    } else if (node->kind == NODE_DEADLOCK) {
        piece->kind = PIECE_DEADLOCK;
    } else if (is_comparison && weighted_sum_read(&piece->weighted, node, a->system) == SUM_FINE) {
        piece->kind = PIECE_COMPARISON;
        piece->operation = node->kind == NODE_VARIABLE ? OPERATION_NOT_EQUAL : node->operation;
    } else {
        piece->kind = PIECE_OTHER;
        return !node->may_fail;
    }
    return true;
}

static bool add_piece(struct attractors *a, const struct node *node)
{
    return vector_push(&a->pieces, ((struct piece){.node = node, .operation = node->operation}));
}

/* Cuts the expression into its pieces. */
static bool cut(struct attractors *a)
{
    bool fine = add_piece(a, a->property->expression->tree);
    for (size_t i = 0; fine && i < a->pieces.count; i++) {
        const struct node *node = a->pieces.item[i].node;
        if (!is_connective(node)) {
            fine = classify(a, &a->pieces.item[i]);
            continue;
        }
        a->pieces.item[i].kind = PIECE_CONNECTIVE;
        a->pieces.item[i].a = a->pieces.item[i].b = (uint32_t)a->pieces.count;
        fine = add_piece(a, node->a);
        if (fine && node->b) {
            a->pieces.item[i].b++;
            fine = add_piece(a, node->b);
        }
    }
    return fine;
}

static void clear_pieces(struct attractors *a)
{
    for (size_t i = 0; i < a->pieces.count; i++)
        weighted_sum_clear(&a->pieces.item[i].weighted);
    a->pieces.count = 0;
}

static void list_ways_of(struct attractors *a, uint32_t piece, int64_t *sum, unsigned char *ways,
                         struct lists_builder *lists)
{
    weighted_sum_ways(&a->pieces.item[piece].weighted, a->system, sum, ways);
    for (size_t i = 0; i < a->pieces.item[piece].weighted.terms.count; i++)
        for_list (action, a->system->changers, a->pieces.item[piece].weighted.terms.item[i].variable) {
            if (ways[*action] & MAY_RAISE)
                lists_add(lists, 2 * piece, *action);
            if (ways[*action] & MAY_LOWER)
                lists_add(lists, 2 * piece + 1, *action);
            ways[*action] = 0;
        }
}

static bool list_ways(struct attractors *a)
{
    size_t n = (size_t)fixed_actions(a->system) + 1;
    uint32_t pieces = (uint32_t)a->pieces.count;
    int64_t *sum = calloc(n, sizeof *sum);
    unsigned char *ways = calloc(n, 1);
    bool *visible = calloc(n, sizeof *visible);
    struct lists_builder lists = {.failed = !sum || !ways || !visible};
    if (!lists.failed)
        property_mark_visible(a->property, a->system, visible);
    for (uint32_t i = 0; !lists.failed && i < pieces; i++)
        if (a->pieces.item[i].kind == PIECE_COMPARISON)
            list_ways_of(a, i, sum, ways, &lists);
    for (uint32_t action = 0; !lists.failed && action + 1 < n; action++)
        if (visible[action])
            lists_add(&lists, 2 * pieces, action);
    free(sum);
    free(ways);
    free(visible);
    return lists_finish(&lists, 2 * pieces + 1, &a->ways);
}

struct attractors *attractors_new(const struct portolan_system *system, const struct portolan_property *property)
{
    struct attractors *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (struct attractors){.system = system, .property = property};
    bool fine = true;
    if (!system->changers.offset || !cut(a)) {
        clear_pieces(a);
        fine = add_piece(a, property->expression->tree);
        if (fine)
            a->pieces.item[0].kind = PIECE_OTHER;
    }
    if (fine && list_ways(a))
        return a;
    attractors_free(a);
    return NULL;
}

void attractors_free(struct attractors *a)
{
    if (!a)
        return;
    clear_pieces(a);
    free(a->pieces.item);
    lists_clear(&a->ways);
    free(a);
}

/* ------------------------------------------------------------------ a state */

struct looking {
    struct attractors *a;
    const void *state;
    const uint32_t *enabled;
    uint32_t *member, stamp;
    uint32_t *list, count;
};

static bool guard_holds(const struct looking *l, uint32_t guard)
{
    return l->a->system->relations->holds(l->a->system->model, l->state, guard);
}

static bool all_guards_hold(const struct looking *l, uint32_t action)
{
    for_list (g, l->a->system->relations->guards_of, action)
        if (!guard_holds(l, *g))
            return false;
    return true;
}

/* The false guard with the fewest enablers. */
static uint32_t cheapest_guard(const struct looking *l, uint32_t action)
{
    const struct portolan_relations *r = l->a->system->relations;
    uint32_t best = UINT32_MAX;
    for_list (g, r->guards_of, action)
        if (!guard_holds(l, *g) &&
            (best == UINT32_MAX || list_length(&r->enablers, *g) < list_length(&r->enablers, best)))
            best = *g;
    return best;
}

/* Which changes of a sum give the comparison with 0 its other value? */
static unsigned wanted_ways(const struct piece *piece, sum_value sum)
{
    switch (piece->operation) {
    case OPERATION_LESS:
    case OPERATION_LESS_EQUAL: return piece->holds ? MAY_RAISE : MAY_LOWER;
    case OPERATION_GREATER:
    case OPERATION_GREATER_EQUAL: return piece->holds ? MAY_LOWER : MAY_RAISE;
    default: return sum == 0 ? MAY_RAISE | MAY_LOWER : sum < 0 ? MAY_RAISE : MAY_LOWER;
    }
}

static bool compare_with_zero(enum operation operation, sum_value sum)
{
    return compare(operation, sum < 0 ? -1 : sum > 0, 0);
}

/* Does a connective have the value it has because of both operands, so that changing either may change it? */
static bool either_changes(const struct piece *piece)
{
    switch (piece->operation) {
    case OPERATION_AND: return piece->holds;
    case OPERATION_OR:
    case OPERATION_IMPLIES: return !piece->holds;
    default: return true;
    }
}

/* Of a connective that changes only when several operands have the right value: is the operand's wrong? */
static bool operand_is_wrong(const struct piece *piece, const struct piece *operand, bool is_left)
{
    switch (piece->operation) {
    case OPERATION_AND: return !operand->holds;
    case OPERATION_OR: return operand->holds;
    default: return operand->holds != is_left; /* a -> b becomes false when a is true and b is false */
    }
}

static uint32_t add_costs(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* The operand to be changed where one will do. */
static uint32_t better_operand(const struct looking *l, const struct piece *piece)
{
    const struct piece *a = &l->a->pieces.item[piece->a], *b = &l->a->pieces.item[piece->b];
    bool left = operand_is_wrong(piece, a, true), right = operand_is_wrong(piece, b, false);
    return left && (!right || a->cost <= b->cost) ? piece->a : piece->b;
}

static void weigh_connective(const struct looking *l, struct piece *piece)
{
    const struct piece *a = &l->a->pieces.item[piece->a], *b = &l->a->pieces.item[piece->b];
    bool both = a->holds && b->holds;
    switch (piece->operation) {
    case OPERATION_NOT: piece->holds = !a->holds; break;
    case OPERATION_AND: piece->holds = both; break;
    case OPERATION_OR: piece->holds = a->holds || b->holds; break;
    case OPERATION_IMPLIES: piece->holds = !a->holds || b->holds; break;
    default: piece->holds = a->holds == b->holds; break;
    }
    if (a == b)
        piece->cost = a->cost;
    else if (either_changes(piece))
        piece->cost = add_costs(a->cost, b->cost);
    else
        piece->cost = l->a->pieces.item[better_operand(l, piece)].cost;
}

static void weigh_comparison(const struct looking *l, uint32_t number)
{
    struct piece *piece = &l->a->pieces.item[number];
    sum_value sum = weighted_sum_of(&piece->weighted, l->a->system, l->state);
    piece->holds = compare_with_zero(piece->operation, sum);
    unsigned ways = wanted_ways(piece, sum);
    piece->cost = (ways & MAY_RAISE ? list_length(&l->a->ways, 2 * number) : 0) +
                  (ways & MAY_LOWER ? list_length(&l->a->ways, 2 * number + 1) : 0);
}

static void weigh_fireable(const struct looking *l, struct piece *piece)
{
    const struct portolan_relations *r = l->a->system->relations;
    uint32_t action = (uint32_t)piece->node->value;
    piece->holds = all_guards_hold(l, action);
    piece->cost = 0;
    if (!piece->holds)
        piece->cost = list_length(&r->enablers, cheapest_guard(l, action));
    else
        for_list (g, r->guards_of, action)
            piece->cost += list_length(&r->disablers, *g);
}

static void weigh_other(const struct looking *l, struct piece *piece)
{
    struct evaluation e = {.system = l->a->system, .state = l->state, .enabled = l->a->property->expression->enabled};
    piece->holds = code_value(piece->node, &e);
    piece->cost = list_length(&l->a->ways, 2 * (uint32_t)l->a->pieces.count);
}

/* The value of a piece, and what changing it costs. */
static void weigh(const struct looking *l, uint32_t number)
{
    struct piece *piece = &l->a->pieces.item[number];
    piece->must_change = false;
    switch (piece->kind) {
    case PIECE_CONSTANT:
        piece->holds = piece->node->value;
        piece->cost = 0; /* it never changes */
        break;
    case PIECE_CONNECTIVE: weigh_connective(l, piece); break;
    case PIECE_COMPARISON: weigh_comparison(l, number); break;
    case PIECE_FIREABLE: weigh_fireable(l, piece); break;
    case PIECE_DEADLOCK:
        piece->holds = false; /* something is enabled */
        piece->cost = 0;
        break;
    case PIECE_OTHER: weigh_other(l, piece); break;
    }
}

static void add_list(struct looking *l, const struct portolan_lists *lists, uint32_t list)
{
    for_list (action, *lists, list)
        if (l->member[*action] != l->stamp) {
            l->member[*action] = l->stamp;
            l->list[l->count++] = *action;
        }
}

static void add_disablers(struct looking *l, uint32_t action)
{
    const struct portolan_relations *r = l->a->system->relations;
    for_list (g, r->guards_of, action)
        add_list(l, &r->disablers, *g);
}

static void change_connective(const struct looking *l, const struct piece *piece)
{
    struct piece *pieces = l->a->pieces.item;
    if (piece->operation == OPERATION_NOT || either_changes(piece))
        pieces[piece->a].must_change = pieces[piece->b].must_change = true;
    else
        pieces[better_operand(l, piece)].must_change = true;
}

/* Adds what may give a piece its other value, or passes the demand on. */
static void change(struct looking *l, uint32_t number)
{
    const struct piece *piece = &l->a->pieces.item[number];
    uint32_t action = piece->kind == PIECE_FIREABLE ? (uint32_t)piece->node->value : l->enabled[0];
    unsigned ways;
    switch (piece->kind) {
    case PIECE_CONSTANT: break;
    case PIECE_CONNECTIVE: change_connective(l, piece); break;
    case PIECE_COMPARISON:
        ways = wanted_ways(piece, weighted_sum_of(&piece->weighted, l->a->system, l->state));
        if (ways & MAY_RAISE)
            add_list(l, &l->a->ways, 2 * number);
        if (ways & MAY_LOWER)
            add_list(l, &l->a->ways, 2 * number + 1);
        break;
    case PIECE_FIREABLE:
        if (!piece->holds)
            add_list(l, &l->a->system->relations->enablers, cheapest_guard(l, action));
        else
            add_disablers(l, action);
        break;
    case PIECE_DEADLOCK: add_disablers(l, action); break;
    case PIECE_OTHER: add_list(l, &l->a->ways, 2 * (uint32_t)l->a->pieces.count); break;
    }
}

uint32_t attractors_find(struct attractors *a, const void *state, const uint32_t *enabled, uint32_t *member,
                         uint32_t stamp, uint32_t *list, uint32_t count)
{
    struct looking l = {
        .a = a, .state = state, .enabled = enabled, .member = member, .stamp = stamp, .list = list, .count = count};
    uint32_t pieces = (uint32_t)a->pieces.count;
    for (uint32_t i = pieces; i-- > 0;)
        weigh(&l, i);
    a->pieces.item[0].must_change = a->pieces.item[0].holds != (a->property->kind == PORTOLAN_REACH);
    for (uint32_t i = 0; i < pieces; i++)
        if (a->pieces.item[i].must_change)
            change(&l, i);
    return l.count;
}
