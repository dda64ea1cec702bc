/* SPDX-License-Identifier: Apache-2.0 */
#include "ltl/formula.h"

#include "base/limits.h"

#include "base/diagnostic.h"

#include <string.h>

static const struct ltl_node *node_of(const struct ltl *ltl, uint32_t formula)
{
    return &ltl->nodes.item[formula];
}

bool ltl_init(struct ltl *ltl)
{
    *ltl = (struct ltl){0};
    ltl_make(ltl, LTL_FALSE, 0, 0);
    ltl_make(ltl, LTL_TRUE, 0, 0);
    if (!ltl->failed)
        return true;
    ltl_clear(ltl);
    return false;
}

void ltl_clear(struct ltl *ltl)
{
    for (size_t i = 0; i < ltl->atoms.count; i++) {
        free(ltl->atoms.item[i].text);
        expression_free(ltl->atoms.item[i].expression);
    }
    free(ltl->atoms.item);
    free(ltl->nodes.item);
    free(ltl->table);
    *ltl = (struct ltl){0};
}

/* ------------------------------------------------------------ making nodes */

static size_t hash(enum ltl_operation operation, uint32_t left, uint32_t right)
{
    uint64_t h = (uint64_t)left << 32 | right;
    h = (h ^ (uint64_t)operation << 58 ^ (uint64_t)operation) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 32 ^ h);
}

/* Where the node is, or the empty place where it belongs. */
static uint32_t *slot_of(const struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    size_t i = hash(operation, left, right) & (ltl->table_size - 1);
    for (;; i = (i + 1) & (ltl->table_size - 1)) {
        if (!ltl->table[i])
            return &ltl->table[i];
        const struct ltl_node *node = node_of(ltl, ltl->table[i] - 1);
        if (node->operation == operation && node->left == left && node->right == right)
            return &ltl->table[i];
    }
}

static bool grow_table(struct ltl *ltl)
{
    if (ltl->nodes.count * 2 < ltl->table_size)
        return true;
    size_t size = ltl->table_size ? ltl->table_size * 2 : 64;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(ltl->table);
    ltl->table = table;
    ltl->table_size = size;
    for (uint32_t i = 0; i < ltl->nodes.count; i++) {
        const struct ltl_node *node = node_of(ltl, i);
        *slot_of(ltl, node->operation, node->left, node->right) = i + 1;
    }
    return true;
}

/*
 * Pure eventualities and universalities as Etessami and Holzmann (CONCUR 2000) define them, and besides: if u is
 * universal then so is a U u, whose suffixes satisfy a U u or u; dually a R e is eventual.  For the other operators,
 * a W b = b R (a || b) and a M b = b U (a && b).
 */
static void classify(struct ltl_node *node, const struct ltl_node *l, const struct ltl_node *r)
{
    bool both_eventual = l->is_eventual && r->is_eventual, both_universal = l->is_universal && r->is_universal;
    switch (node->operation) {
    case LTL_FALSE:
    case LTL_TRUE: node->is_eventual = node->is_universal = true; break;
    case LTL_ATOM: break;
    case LTL_NOT:
        node->is_eventual = l->is_universal;
        node->is_universal = l->is_eventual;
        break;
    case LTL_FINALLY:
        node->is_eventual = true;
        node->is_universal = l->is_universal;
        break;
    case LTL_GLOBALLY:
        node->is_eventual = l->is_eventual;
        node->is_universal = true;
        break;
    case LTL_UNTIL:
    case LTL_RELEASE:
        node->is_eventual = r->is_eventual;
        node->is_universal = r->is_universal;
        break;
    case LTL_WEAK_UNTIL:
        node->is_eventual = both_eventual;
        node->is_universal = r->is_universal;
        break;
    case LTL_STRONG_RELEASE:
        node->is_eventual = r->is_eventual;
        node->is_universal = both_universal;
        break;
    case LTL_NEXT:
    case LTL_AND:
    case LTL_OR:
        node->is_eventual = both_eventual;
        node->is_universal = both_universal;
        break;
    case LTL_IMPLIES:
    case LTL_IFF:
    case LTL_XOR: node->is_eventual = node->is_universal = both_eventual && both_universal; break;
    }
}

uint32_t ltl_make(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    if (ltl->failed || limits_reached() || !grow_table(ltl)) {
        ltl->failed = true;
        return LTL_FALSE_NODE;
    }
    uint32_t *slot = slot_of(ltl, operation, left, right);
    if (*slot)
        return *slot - 1;
    struct ltl_node node = {.operation = operation, .left = left, .right = right, .depth = 1, .is_boolean = true};
    if (operation > LTL_ATOM) {
        const struct ltl_node *l = node_of(ltl, left), *r = ltl_is_binary(operation) ? node_of(ltl, right) : l;
        node.depth = 1 + (l->depth > r->depth ? l->depth : r->depth);
        bool is_temporal = (operation >= LTL_NEXT && operation <= LTL_GLOBALLY) || operation >= LTL_UNTIL;
        node.is_boolean = l->is_boolean && r->is_boolean && !is_temporal;
        node.has_next = l->has_next || r->has_next || operation == LTL_NEXT;
        classify(&node, l, r);
    } else {
        classify(&node, &node, &node);
    }
    uint32_t number = (uint32_t)ltl->nodes.count;
    if (number >= UINT32_MAX / 2 || !vector_push(&ltl->nodes, node)) {
        ltl->failed = true;
        return LTL_FALSE_NODE;
    }
    *slot = number + 1;
    return number;
}

enum portolan_status ltl_add_atom(struct ltl *ltl, const char *text, struct expression *expression, uint32_t *atom,
                                  struct portolan_error *error)
{
    for (*atom = 0; *atom < ltl->atoms.count; ++*atom)
        if (strcmp(ltl->atoms.item[*atom].text, text) == 0) {
            expression_free(expression);
            return PORTOLAN_OK;
        }
    enum portolan_status status = PORTOLAN_OK;
    struct ltl_atom added = {.text = NULL, .expression = expression};
    if (ltl->atoms.count == LTL_ATOMS) {
        status =
            fail(error, PORTOLAN_BAD_INPUT, "the formula has more than %d different atomic propositions", LTL_ATOMS);
        hint(error, "parts without temporal operators may be written as one comparison");
    } else if (!(added.text = strdup(text)) || !vector_push(&ltl->atoms, added)) {
        status = fail_memory(error);
    }
    if (status) {
        free(added.text);
        expression_free(expression);
    }
    return status;
}

/* ------------------------------------------------------------- normal form */

static uint32_t normal_binary(struct ltl *ltl, struct ltl_node node, bool negated)
{
    static const enum ltl_operation dual[] = {[LTL_AND] = LTL_OR,
                                              [LTL_OR] = LTL_AND,
                                              [LTL_UNTIL] = LTL_RELEASE,
                                              [LTL_RELEASE] = LTL_UNTIL,
                                              [LTL_WEAK_UNTIL] = LTL_STRONG_RELEASE,
                                              [LTL_STRONG_RELEASE] = LTL_WEAK_UNTIL};
    if (node.operation == LTL_IFF || node.operation == LTL_XOR) {
        bool differ = negated != (node.operation == LTL_XOR);
        uint32_t l = ltl_normal_form(ltl, node.left, false), not_l = ltl_normal_form(ltl, node.left, true);
        uint32_t r = ltl_normal_form(ltl, node.right, false), not_r = ltl_normal_form(ltl, node.right, true);
        return ltl_join(ltl, LTL_OR, ltl_join(ltl, LTL_AND, l, differ ? not_r : r),
                        ltl_join(ltl, LTL_AND, not_l, differ ? r : not_r));
    }
    bool implies = node.operation == LTL_IMPLIES;
    enum ltl_operation operation = implies ? LTL_OR : node.operation;
    uint32_t l = ltl_normal_form(ltl, node.left, negated != implies), r = ltl_normal_form(ltl, node.right, negated);
    if (negated)
        operation = dual[operation];
    return operation == LTL_AND || operation == LTL_OR ? ltl_join(ltl, operation, l, r)
                                                       : ltl_make(ltl, operation, l, r);
}

uint32_t ltl_normal_form(struct ltl *ltl, uint32_t formula, bool negated)
{
    if (ltl->failed)
        return LTL_FALSE_NODE;
    struct ltl_node node = *node_of(ltl, formula); /* a copy: making others moves it */
    if (node.normal[negated])
        return node.normal[negated] - 1;
    uint32_t result;
    switch (node.operation) {
    case LTL_FALSE:
    case LTL_TRUE: result = (node.operation == LTL_TRUE) != negated ? LTL_TRUE_NODE : LTL_FALSE_NODE; break;
    case LTL_ATOM: result = negated ? ltl_make(ltl, LTL_NOT, formula, 0) : formula; break;
    case LTL_NOT: result = ltl_normal_form(ltl, node.left, !negated); break;
    case LTL_NEXT: result = ltl_make(ltl, LTL_NEXT, ltl_normal_form(ltl, node.left, negated), 0); break;
    case LTL_FINALLY:
    case LTL_GLOBALLY:
        result = ltl_make(ltl, (node.operation == LTL_FINALLY) != negated ? LTL_FINALLY : LTL_GLOBALLY,
                          ltl_normal_form(ltl, node.left, negated), 0);
        break;
    default: result = normal_binary(ltl, node, negated);
    }
    if (!ltl->failed)
        ltl->nodes.item[formula].normal[negated] = result + 1;
    return result;
}

static bool is_negation(const struct ltl *ltl, uint32_t one, uint32_t other)
{
    const struct ltl_node *node = node_of(ltl, one);
    return node->operation == LTL_NOT && node->left == other;
}

/* The next operand of a chain; *chain becomes the rest, or LTL_TRUE_NODE and *more false at its end. */
static uint32_t take_operand(const struct ltl *ltl, enum ltl_operation operation, uint32_t *chain, bool *more)
{
    const struct ltl_node *node = node_of(ltl, *chain);
    uint32_t operand = *chain;
    *more = node->operation == operation;
    if (*more) {
        operand = node->left;
        *chain = node->right;
    }
    return operand;
}

/* Merges two ordered chains, the larger numbers outermost: then parts of one formula are shared. */
uint32_t ltl_join(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    uint32_t unit = operation == LTL_AND ? LTL_TRUE_NODE : LTL_FALSE_NODE;
    uint32_t zero = operation == LTL_AND ? LTL_FALSE_NODE : LTL_TRUE_NODE;
    VECTOR(uint32_t) operands = {0};
    bool more_left = left != unit, more_right = right != unit, collapsed = left == zero || right == zero;
    uint32_t result = unit;
    while (!collapsed && (more_left || more_right)) {
        uint32_t rest_left = left, rest_right = right, l = 0, r = 0;
        bool again_left = false, again_right = false;
        if (more_left)
            l = take_operand(ltl, operation, &rest_left, &again_left);
        if (more_right)
            r = take_operand(ltl, operation, &rest_right, &again_right);
        uint32_t larger = !more_right || (more_left && l > r) ? l : r;
        bool took_left = more_left && l == larger, took_right = more_right && r == larger;
        if (took_left)
            left = rest_left, more_left = again_left;
        if (took_right)
            right = rest_right, more_right = again_right;
        for (size_t i = 0; i < operands.count; i++)
            collapsed |= is_negation(ltl, operands.item[i], larger);
        if (!vector_push(&operands, larger))
            ltl->failed = collapsed = true;
    }
    for (size_t i = operands.count; i > 0 && !collapsed; i--)
        result = result == unit ? operands.item[i - 1] : ltl_make(ltl, operation, operands.item[i - 1], result);
    free(operands.item);
    return collapsed ? zero : result;
}

bool ltl_is_syntactic_safety(const struct ltl *ltl, uint32_t formula)
{
    const struct ltl_node *node = node_of(ltl, formula);
    if (node->is_boolean)
        return true;
    if (node->operation == LTL_FINALLY || node->operation == LTL_UNTIL || node->operation == LTL_STRONG_RELEASE)
        return false;
    return ltl_is_syntactic_safety(ltl, node->left) &&
           (!ltl_is_binary(node->operation) || ltl_is_syntactic_safety(ltl, node->right));
}

/* ---------------------------------------------------------------- printing */

static const struct {
    const char *symbol;
    unsigned precedence;
    bool associates; /* a op b op c needs no parentheses, as it is read or because it does not matter */
} printed[] = {[LTL_NOT] = {"!", 8, true},
               [LTL_NEXT] = {"X ", 8, true},
               [LTL_FINALLY] = {"F ", 8, true},
               [LTL_GLOBALLY] = {"G ", 8, true},
               [LTL_AND] = {" && ", 6, true},
               [LTL_OR] = {" || ", 5, true},
               [LTL_XOR] = {" xor ", 4, false},
               [LTL_IMPLIES] = {" -> ", 3, false},
               [LTL_IFF] = {" <-> ", 2, false},
               [LTL_UNTIL] = {" U ", 7, false},
               [LTL_RELEASE] = {" R ", 7, false},
               [LTL_WEAK_UNTIL] = {" W ", 7, false},
               [LTL_STRONG_RELEASE] = {" M ", 7, false}};

static void write_operand(const struct ltl *ltl, uint32_t formula, enum ltl_operation parent, FILE *out)
{
    enum ltl_operation own = node_of(ltl, formula)->operation;
    bool inside = own > LTL_ATOM && (printed[own].precedence < printed[parent].precedence ||
                                     (printed[own].precedence == printed[parent].precedence &&
                                      !(own == parent ? printed[own].associates : ltl_is_unary(own))));
    if (own == LTL_ATOM && ltl_is_unary(parent)) /* !(x <= 1): it could be read as (!x) <= 1 */
        inside = strpbrk(ltl->atoms.item[node_of(ltl, formula)->left].text, "=<>") != NULL;
    fputs(inside ? "(" : "", out);
    ltl_write(ltl, formula, out);
    fputs(inside ? ")" : "", out);
}

void ltl_write(const struct ltl *ltl, uint32_t formula, FILE *out)
{
    const struct ltl_node *node = node_of(ltl, formula);
    if (node->operation <= LTL_TRUE) {
        fputs(node->operation == LTL_TRUE ? "true" : "false", out);
    } else if (node->operation == LTL_ATOM) {
        fputs(ltl->atoms.item[node->left].text, out);
    } else if (ltl_is_unary(node->operation)) {
        fputs(printed[node->operation].symbol, out);
        write_operand(ltl, node->left, node->operation, out);
    } else {
        write_operand(ltl, node->left, node->operation, out);
        fputs(printed[node->operation].symbol, out);
        write_operand(ltl, node->right, node->operation, out);
    }
}
