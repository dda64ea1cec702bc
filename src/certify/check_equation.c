/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state equation in a certificate.  A marking that contradicts the claim is M = M0 + C x with x >= 0, has no
 * negative entry, leaves initially marked traps marked, and meets wishes that the claim tells: inequalities over
 * places, and wishes that can be met in several ways.  A tree shows that there is none: "split N" takes each way of the
 * Nth open wish in turn, and at its leaves "none" has factors of inequalities whose sum no x >= 0 satisfies, which is
 * computed here in integers.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "certify/check_simplified.h"
#include "property/property.h"
#include "property/state_expression.h"

#include <inttypes.h>
#include <string.h>

/* In the order of docs/certificates.md; what a wish is made of is wished behind all others. */
struct wish {
    enum { TRUTH, DIFFERENCE, ENABLED, TOKENS } kind;
    bool positive;           /* true, enabled, at least; or else false, disabled, fewer */
    const struct node *node; /* TRUTH; DIFFERENCE: left - right is negative, or positive */
    uint32_t number, tokens; /* ENABLED: the transition; TOKENS: the place, how many */
};

struct term {
    uint32_t place;
    int64_t factor;
};

/* The sum of factor * tokens is at most the bound. */
struct row {
    size_t first, count;
    int64_t bound;
};

struct rows {
    VECTOR(struct term) terms;
    VECTOR(struct row) item;
};

struct wishes {
    struct wish *item;
    size_t count, capacity;
};

struct tree {
    struct checker *c;
    const struct net *net;
    struct rows traps, rows;
    __int128 *weight; /* scratch, per place */
    uint32_t depth;
};

static enum portolan_status push(const struct tree *x, struct wishes *wishes, struct wish wish)
{
    return vector_push(wishes, wish) ? PORTOLAN_OK : fail_memory(x->c->error);
}

static enum portolan_status too_hard(const struct tree *x)
{
    return not_valid(x->c, "the claim cannot be said in linear inequalities");
}

/* -------------------------------------------------------------- inequalities */

enum { SMALL = 1 << 20, MANY_TERMS = 1024, MANY_NODES = 1 << 14, DEEP = 4000 };

static bool is_small(int64_t number)
{
    return number <= SMALL && number >= -SMALL;
}

/* Adds factor * (the node's value) to the terms and the constant; false when that is not linear, or too large. */
static bool add_linear(struct rows *rows, const struct node *node, int64_t factor, int64_t *constant)
{
    if (!is_small(factor))
        return false;
    struct term term = {.place = (uint32_t)node->value, .factor = factor};
    if (node->kind == NODE_VARIABLE)
        return vector_push(&rows->terms, term);
    if (node->kind == NODE_NUMBER) {
        *constant += factor * node->value;
        return is_small(node->value);
    }
    if (node->kind == NODE_UNARY)
        return node->operation == OPERATION_NEGATE && add_linear(rows, node->a, -factor, constant);
    if (node->kind != NODE_BINARY)
        return false;
    if (node->operation == OPERATION_MULTIPLY) {
        bool left = node->a->kind == NODE_NUMBER;
        const struct node *number = left ? node->a : node->b;
        return number->kind == NODE_NUMBER && is_small(number->value) &&
               add_linear(rows, left ? node->b : node->a, factor * number->value, constant);
    }
    if (node->operation != OPERATION_ADD && node->operation != OPERATION_SUBTRACT)
        return false;
    return add_linear(rows, node->a, factor, constant) &&
           add_linear(rows, node->b, node->operation == OPERATION_ADD ? factor : -factor, constant);
}

/* sign * (left - right) <= bound */
static enum portolan_status add_row(struct tree *x, const struct node *node, int64_t sign, int64_t bound)
{
    struct row row = {.first = x->rows.terms.count};
    int64_t constant = 0;
    if (!add_linear(&x->rows, node->a, sign, &constant) || !add_linear(&x->rows, node->b, -sign, &constant) ||
        x->rows.terms.count - row.first > MANY_TERMS)
        return too_hard(x);
    row.count = x->rows.terms.count - row.first;
    row.bound = bound - constant;
    return vector_push(&x->rows.item, row) ? PORTOLAN_OK : fail_memory(x->c->error);
}

static enum portolan_status add_tokens(struct tree *x, const struct wish *wish)
{
    struct term term = {.place = wish->number, .factor = wish->positive ? -1 : 1};
    struct row row = {.first = x->rows.terms.count,
                      .count = 1,
                      .bound = wish->positive ? -(int64_t)wish->tokens : (int64_t)wish->tokens - 1};
    return vector_push(&x->rows.terms, term) && vector_push(&x->rows.item, row) ? PORTOLAN_OK
                                                                                : fail_memory(x->c->error);
}

/* ---------------------------------------------------------- taking wishes apart */

enum outcome { DONE, STAYS_OPEN, IMPOSSIBLE };

static bool is_comparison(const struct node *node)
{
    return node->kind == NODE_BINARY && node->operation >= OPERATION_EQUAL &&
           node->operation <= OPERATION_GREATER_EQUAL && node->a->gives.kind == VALUE_INTEGER &&
           node->b->gives.kind == VALUE_INTEGER;
}

static enum portolan_status take_comparison(struct tree *x, const struct wish *wish, enum outcome *outcome)
{
    const struct node *node = wish->node;
    switch (wish->positive ? node->operation : opposite(node->operation)) {
    case OPERATION_LESS: return add_row(x, node, 1, -1);
    case OPERATION_LESS_EQUAL: return add_row(x, node, 1, 0);
    case OPERATION_GREATER: return add_row(x, node, -1, -1);
    case OPERATION_GREATER_EQUAL: return add_row(x, node, -1, 0);
    case OPERATION_NOT_EQUAL: *outcome = STAYS_OPEN; return PORTOLAN_OK;
    default: break;
    }
    enum portolan_status status = add_row(x, node, 1, 0);
    return status == PORTOLAN_OK ? add_row(x, node, -1, 0) : status;
}

static struct wish truth(const struct node *node, bool positive)
{
    return (struct wish){.kind = TRUTH, .node = node, .positive = positive};
}

/* a && b, !(a || b), !(a => b): both parts are wished; the others are met in several ways. */
static enum portolan_status split_truth(struct tree *x, const struct wish *wish, struct wishes *all,
                                        enum outcome *outcome)
{
    const struct node *node = wish->node;
    bool together = wish->positive ? node->operation == OPERATION_AND
                                   : node->operation == OPERATION_OR || node->operation == OPERATION_IMPLIES;
    if (node->operation != OPERATION_AND && node->operation != OPERATION_OR && node->operation != OPERATION_IMPLIES &&
        node->operation != OPERATION_IFF)
        return too_hard(x);
    *outcome = together ? DONE : STAYS_OPEN;
    if (!together)
        return PORTOLAN_OK;
    bool left = wish->positive || node->operation == OPERATION_IMPLIES, right = wish->positive;
    enum portolan_status status = push(x, all, truth(node->a, left));
    return status == PORTOLAN_OK ? push(x, all, truth(node->b, right)) : status;
}

static enum portolan_status take_truth(struct tree *x, const struct wish *wish, struct wishes *all,
                                       enum outcome *outcome)
{
    const struct node *node = wish->node;
    struct wish enabled = {.kind = ENABLED, .positive = wish->positive, .number = (uint32_t)node->value};
    if (is_comparison(node))
        return take_comparison(x, wish, outcome);
    switch (node->kind) {
    case NODE_NUMBER: *outcome = (node->value != 0) == wish->positive ? DONE : IMPOSSIBLE; return PORTOLAN_OK;
    case NODE_FIREABLE: return push(x, all, enabled);
    case NODE_UNARY:
        return node->operation == OPERATION_NOT ? push(x, all, truth(node->a, !wish->positive)) : too_hard(x);
    case NODE_BINARY: return split_truth(x, wish, all, outcome);
    default: return too_hard(x);
    }
}

static struct wish tokens_wish(uint32_t place, uint32_t tokens, bool positive)
{
    return (struct wish){.kind = TOKENS, .number = place, .tokens = tokens, .positive = positive};
}

/* The wishes that its tests hold, or each that one of them does not. */
static enum portolan_status push_tests(struct tree *x, uint32_t t, bool hold, struct wishes *out)
{
    enum portolan_status status = PORTOLAN_OK;
    for_arcs_in(arc, x->net, t)
    {
        if (status == PORTOLAN_OK && arc->need)
            status = push(x, out, tokens_wish(arc->place, arc->need, hold));
        if (status == PORTOLAN_OK && arc->inhibit)
            status = push(x, out, tokens_wish(arc->place, arc->inhibit, !hold));
    }
    return status;
}

static enum portolan_status take_enabled(struct tree *x, const struct wish *wish, struct wishes *all,
                                         enum outcome *outcome)
{
    if (wish->positive)
        return push_tests(x, wish->number, true, all);
    *outcome = IMPOSSIBLE;
    for_arcs_in(arc, x->net, wish->number) if (tests(arc)) *outcome = STAYS_OPEN;
    return PORTOLAN_OK;
}

static enum portolan_status take(struct tree *x, struct wish wish, struct wishes *all, enum outcome *outcome)
{
    *outcome = DONE;
    switch (wish.kind) {
    case TRUTH: return take_truth(x, &wish, all, outcome);
    case DIFFERENCE: return add_row(x, wish.node, wish.positive ? -1 : 1, -1);
    case ENABLED: return take_enabled(x, &wish, all, outcome);
    case TOKENS: return add_tokens(x, &wish);
    }
    return too_hard(x);
}

/* What is left are wishes that can be met in several ways. */
static enum portolan_status settle(struct tree *x, struct wishes *open, bool *impossible)
{
    size_t kept = 0;
    *impossible = false;
    for (size_t i = 0; i < open->count; i++) {
        enum outcome outcome;
        enum portolan_status status = take(x, open->item[i], open, &outcome);
        if (status != PORTOLAN_OK)
            return status;
        *impossible |= outcome == IMPOSSIBLE;
        if (*impossible)
            return PORTOLAN_OK;
        if (outcome == STAYS_OPEN)
            open->item[kept++] = open->item[i];
    }
    open->count = kept;
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------- leaves */

static const __int128 large = (__int128)1 << 90;

static bool add_weight(struct tree *x, uint32_t place, __int128 weight)
{
    x->weight[place] += weight;
    return x->weight[place] < large && x->weight[place] > -large;
}

/* Adds a multiple of the inequality on the line, "pN*Y", "tN*Y" or "dN*Y". */
static enum portolan_status add_multiple(struct tree *x, __int128 *bound)
{
    struct reader *r = &x->c->reader;
    uint32_t number;
    int64_t y;
    bool place = reader_take(r, " p"), trap = !place && reader_take(r, " t");
    const struct rows *rows = trap ? &x->traps : &x->rows;
    if (!place && !trap && !reader_take(r, " d"))
        return reader_expected(r, "'p', 't' or 'd'");
    if (!reader_number(r, &number) || number >= (place ? x->net->places : rows->item.count) || !reader_take(r, "*") ||
        !reader_large(r, &y))
        return reader_expected(r, "the number of an inequality, '*' and a factor");
    bool fine = !place || add_weight(x, number, -(__int128)y);
    for (size_t i = 0; !place && i < rows->item.item[number].count; i++) {
        const struct term *term = &rows->terms.item[rows->item.item[number].first + i];
        fine = fine && add_weight(x, term->place, (__int128)term->factor * y);
    }
    *bound += place ? 0 : (__int128)rows->item.item[number].bound * y;
    return fine && *bound<large && * bound> - large ? PORTOLAN_OK : not_valid(x->c, "the factors are too large");
}

/* "none ...": the sum says that w M <= b for weights w.  With w C >= 0, w M is never below w M0; so w M0 > b decides.
 */
static enum portolan_status check_none(struct tree *x)
{
    __int128 bound = 0, at_first = 0;
    enum portolan_status status = PORTOLAN_OK;
    memset(x->weight, 0, x->net->places * sizeof *x->weight);
    while (status == PORTOLAN_OK && !reader_at_end(&x->c->reader))
        status = add_multiple(x, &bound);
    for (uint32_t t = 0; status == PORTOLAN_OK && t < x->net->transitions; t++) {
        __int128 change = 0;
        bool fits = true;
        for_arcs_in(arc, x->net, t)
        {
            change += x->weight[arc->place] * effect_of(arc);
            fits = fits && change < (large << 34) && change > -(large << 34);
        }
        if (!fits || change < 0)
            status = not_valid(x->c, "transition %" PRIu32 " lets the sum of the inequalities fall", t);
    }
    for (uint32_t p = 0; status == PORTOLAN_OK && p < x->net->places; p++) {
        at_first += x->weight[p] * x->net->initial[p];
        if (at_first > (large << 34) || at_first < -(large << 34))
            status = not_valid(x->c, "the factors are too large");
    }
    return status != PORTOLAN_OK || at_first > bound
               ? status
               : not_valid(x->c, "the sum of the inequalities does not contradict the initial marking");
}

/* "trap P ...": nobody takes from it without putting something into it, and it is marked initially */
static enum portolan_status read_trap(struct tree *x)
{
    struct reader *r = &x->c->reader;
    struct row row = {.first = x->traps.terms.count, .bound = -1};
    bool marked = false;
    memset(x->weight, 0, x->net->places * sizeof *x->weight);
    while (!reader_at_end(r)) {
        struct term term = {.factor = -1};
        if (!reader_take(r, " ") || !reader_number(r, &term.place) || term.place >= x->net->places ||
            x->weight[term.place])
            return reader_expected(r, "a place of the small net");
        x->weight[term.place] = 1;
        marked |= x->net->initial[term.place] > 0;
        if (!vector_push(&x->traps.terms, term))
            return fail_memory(x->c->error);
    }
    for (uint32_t t = 0; t < x->net->transitions; t++) {
        bool takes = false, puts = false;
        for_arcs_in(arc, x->net, t)
        {
            takes |= arc->consume && x->weight[arc->place];
            puts |= arc->produce && x->weight[arc->place];
        }
        if (takes && !puts)
            return not_valid(x->c, "transition %" PRIu32 " can empty these places: they are not a trap", t);
    }
    row.count = x->traps.terms.count - row.first;
    if (!marked)
        return not_valid(x->c, "the trap is not marked initially");
    return vector_push(&x->traps.item, row) ? PORTOLAN_OK : fail_memory(x->c->error);
}

/* ------------------------------------------------------------------ branches */

static enum portolan_status check_branch(struct tree *x, struct wishes *open);

/* All that is open but the wish that is split, and the wishes of one way. */
static enum portolan_status check_way(struct tree *x, const struct wishes *open, size_t split, const struct wish *way,
                                      size_t size)
{
    struct wishes next = {0};
    size_t terms = x->rows.terms.count, rows = x->rows.item.count;
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; status == PORTOLAN_OK && i < open->count; i++)
        if (i != split)
            status = push(x, &next, open->item[i]);
    for (size_t i = 0; status == PORTOLAN_OK && i < size; i++)
        status = push(x, &next, way[i]);
    x->depth++;
    if (status == PORTOLAN_OK && (status = reader_line(&x->c->reader)) == PORTOLAN_OK)
        status = check_branch(x, &next);
    x->depth--;
    x->rows.terms.count = terms;
    x->rows.item.count = rows;
    free(next.item);
    return status;
}

/* The ways to meet a wish, `size` wishes each. */
static enum portolan_status find_ways(struct tree *x, const struct wish *wish, struct wishes *ways, size_t *size)
{
    const struct node *node = wish->node;
    *size = 1;
    if (wish->kind == ENABLED)
        return push_tests(x, wish->number, false, ways);
    if (is_comparison(node)) {
        struct wish less = {.kind = DIFFERENCE, .node = node},
                    more = {.kind = DIFFERENCE, .node = node, .positive = true};
        enum portolan_status status = push(x, ways, less);
        return status == PORTOLAN_OK ? push(x, ways, more) : status;
    }
    bool same = node->operation == OPERATION_IFF;
    *size = same ? 2 : 1;
    struct wish all[] = {truth(node->a, same || node->operation == OPERATION_OR),
                         truth(node->b, same ? wish->positive : node->operation != OPERATION_AND),
                         truth(node->a, false), truth(node->b, !wish->positive)};
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; status == PORTOLAN_OK && i < (same ? 4 : 2); i++)
        status = push(x, ways, all[i]);
    return status;
}

static enum portolan_status check_split(struct tree *x, const struct wishes *open)
{
    struct reader *r = &x->c->reader;
    struct wishes ways = {0};
    uint32_t split;
    size_t size;
    if (!reader_number(r, &split) || split >= open->count || !reader_at_end(r))
        return reader_expected(r, "the number of an open goal");
    enum portolan_status status = find_ways(x, &open->item[split], &ways, &size);
    for (size_t i = 0; status == PORTOLAN_OK && i < ways.count; i += size)
        status = check_way(x, open, split, ways.item + i, size);
    free(ways.item);
    return status;
}

/* The node of the tree on the present line. */
static enum portolan_status check_branch(struct tree *x, struct wishes *open)
{
    struct reader *r = &x->c->reader;
    bool impossible;
    if (limits_reached())
        return fail_memory(x->c->error);
    if (x->depth > DEEP)
        return not_valid(x->c, "the tree is too deep");
    enum portolan_status status = settle(x, open, &impossible);
    while (status == PORTOLAN_OK && reader_take(r, "trap")) {
        status = read_trap(x);
        if (status == PORTOLAN_OK)
            status = reader_line(r);
    }
    if (status != PORTOLAN_OK)
        return status;
    if (reader_take(r, "impossible") && reader_at_end(r))
        return impossible ? PORTOLAN_OK : not_valid(x->c, "this is not impossible by itself");
    if (reader_take(r, "none"))
        return check_none(x);
    return reader_take(r, "split ") && !impossible ? check_split(x, open)
                                                   : reader_expected(r, "'trap', 'none', 'split' or 'impossible'");
}

/* ------------------------------------------------------------------ the claim */

/* Markings in which the expression has no value would contradict the claim, too: sums of small numbers always have one.
 */
static bool always_has_value(const struct expression *expression)
{
    for (size_t i = 0; i < expression->nodes.count; i++) {
        const struct node *node = expression->nodes.item[i];
        bool product = node->kind == NODE_BINARY && node->operation == OPERATION_MULTIPLY;
        if ((node->kind == NODE_NUMBER && !is_small(node->value)) ||
            (product && !(node->a->kind == NODE_NUMBER && node->b->kind == NODE_VARIABLE) &&
             !(node->a->kind == NODE_VARIABLE && node->b->kind == NODE_NUMBER)) ||
            (node->kind == NODE_BINARY && !product && node->operation != OPERATION_ADD &&
             node->operation != OPERATION_SUBTRACT && node->operation < OPERATION_EQUAL))
            return false;
    }
    return expression->nodes.count < MANY_NODES;
}

/* What contradicts the claim: every transition disabled, or the value of the expression. */
static enum portolan_status first_wishes(struct tree *x, const struct claim *claim, struct wishes *open)
{
    const struct portolan_property *property = claim->property;
    enum portolan_status status = PORTOLAN_OK;
    if (!property || (property->expression && !always_has_value(property->expression)))
        return too_hard(x);
    if (property->kind != PORTOLAN_NO_DEADLOCK)
        return push(x, open, truth(property->expression->tree, property->kind == PORTOLAN_REACH));
    for (uint32_t t = 0; status == PORTOLAN_OK && t < x->net->transitions; t++) {
        struct wish disabled = {.kind = ENABLED, .number = t};
        status = push(x, open, disabled);
    }
    return status;
}

enum portolan_status check_equation(struct checker *c, const struct net *net, const struct claim *claim)
{
    struct tree x = {.c = c, .net = net, .weight = calloc((size_t)net->places + 1, sizeof *x.weight)};
    struct wishes open = {0};
    enum portolan_status status = x.weight ? PORTOLAN_OK : fail_memory(c->error);
    if (status == PORTOLAN_OK && !reader_at_end(&c->reader))
        status = reader_expected(&c->reader, "the end of the line");
    if (status == PORTOLAN_OK)
        status = first_wishes(&x, claim, &open);
    if (status == PORTOLAN_OK)
        status = reader_line(&c->reader);
    if (status == PORTOLAN_OK)
        status = check_branch(&x, &open);
    free(open.item);
    free(x.weight);
    free(x.rows.terms.item);
    free(x.rows.item.item);
    free(x.traps.terms.item);
    free(x.traps.item.item);
    return status;
}
