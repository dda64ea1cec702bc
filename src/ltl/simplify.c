/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewriting of formulas in negation normal form.
 *
 * Sources of the rules: K. Etessami, G. Holzmann, "Optimizing Büchi automata",
 * CONCUR 2000 (pure eventualities and universalities); F. Somenzi, R. Bloem,
 * "Efficient Büchi automata from LTL formulae", CAV 2000 (implication); T.
 * Babiak et al., "LTL to Büchi automata translation: fast and more
 * deterministic", TACAS 2012 (formulas that are both eventual and universal).
 *
 * In the comments e is a pure eventuality, u a pure universality and q both:
 * a q is true of all suffixes of a word or of none.
 */
#include "ltl/formula.h"

static const struct ltl_node *node_of(const struct ltl *ltl, uint32_t formula)
{
    return &ltl->nodes.item[formula];
}

static bool is(const struct ltl *ltl, uint32_t formula, enum ltl_operation operation)
{
    return node_of(ltl, formula)->operation == operation;
}

static bool is_constant_in_time(const struct ltl *ltl, uint32_t formula) /* q */
{
    return node_of(ltl, formula)->is_eventual && node_of(ltl, formula)->is_universal;
}

static bool contradict(struct ltl *ltl, uint32_t left, uint32_t right)
{
    uint32_t negated = ltl_normal_form(ltl, right, true);
    return !ltl->failed && ltl_implies(ltl, left, negated);
}

/* ------------------------------------------------------------------ chains */

/* for (each operand of a chain) */
#define for_operands(operand, ltl, operation, formula)                                                                 \
    for (uint32_t rest_##operand = (formula), operand = first_operand(ltl, operation, rest_##operand),                 \
                  more_##operand = 1;                                                                                  \
         more_##operand; more_##operand = is(ltl, rest_##operand, operation),                                          \
                  rest_##operand = more_##operand ? node_of(ltl, rest_##operand)->right : 0,                           \
                  operand = first_operand(ltl, operation, rest_##operand))

static uint32_t first_operand(const struct ltl *ltl, enum ltl_operation operation, uint32_t formula)
{
    return is(ltl, formula, operation) ? node_of(ltl, formula)->left : formula;
}

enum part { PART_EVENTUAL, PART_UNIVERSAL, PART_CONSTANT };

static bool belongs(const struct ltl *ltl, uint32_t formula, enum part part)
{
    const struct ltl_node *node = node_of(ltl, formula);
    return part == PART_EVENTUAL    ? node->is_eventual
           : part == PART_UNIVERSAL ? node->is_universal
                                    : node->is_eventual && node->is_universal;
}

/* Splits a chain into the operands of a kind and the others; each part is the unit of the operator when empty. */
static void split(struct ltl *ltl, enum ltl_operation operation, uint32_t formula, enum part part, uint32_t *inside,
                  uint32_t *outside)
{
    *inside = *outside = operation == LTL_AND ? LTL_TRUE_NODE : LTL_FALSE_NODE;
    for_operands(operand, ltl, operation, formula)
    {
        uint32_t *side = belongs(ltl, operand, part) ? inside : outside;
        *side = ltl_join(ltl, operation, *side, operand);
    }
}

static uint32_t simple(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right);

/* ------------------------------------------------------------ && and || */

/* One operator for two operands: G a && G b, F a || F b, X a && X b, (a U b) && (c U b), ...; or fails. */
static bool fuse(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right, uint32_t *fused)
{
    struct ltl_node f = *node_of(ltl, left), g = *node_of(ltl, right);
    bool and = operation == LTL_AND;
    if (f.operation != g.operation)
        return false;
    switch (f.operation) {
    case LTL_NEXT: *fused = simple(ltl, LTL_NEXT, simple(ltl, operation, f.left, g.left), 0); return true;
    case LTL_GLOBALLY:
    case LTL_FINALLY:
        if (and == (f.operation == LTL_GLOBALLY)) {
            if (is_constant_in_time(ltl, left) || is_constant_in_time(ltl, right))
                return false; /* simple_finally would take it apart again */
            *fused = simple(ltl, f.operation, simple(ltl, operation, f.left, g.left), 0);
            return true;
        }
        /* G F a || G F b, F G a && F G b */
        f = *node_of(ltl, f.left), g = *node_of(ltl, g.left);
        if (f.operation != g.operation || f.operation != (and? LTL_GLOBALLY : LTL_FINALLY))
            return false;
        *fused = simple(ltl, f.operation, simple(ltl, operation, f.left, g.left), 0);
        *fused = simple(ltl, and? LTL_FINALLY : LTL_GLOBALLY, *fused, 0);
        return true;
    case LTL_UNTIL:
    case LTL_WEAK_UNTIL:
        if (and? f.right != g.right : f.left != g.left)
            return false;
        *fused = and? simple(ltl, f.operation, simple(ltl, LTL_AND, f.left, g.left), f.right)
                    : simple(ltl, f.operation, f.left, simple(ltl, LTL_OR, f.right, g.right));
        return true;
    case LTL_RELEASE:
    case LTL_STRONG_RELEASE:
        if (and? f.left != g.left : f.right != g.right)
            return false;
        *fused = and? simple(ltl, f.operation, f.left, simple(ltl, LTL_AND, f.right, g.right))
                    : simple(ltl, f.operation, simple(ltl, LTL_OR, f.left, g.left), f.right);
        return true;
    default: return false;
    }
}

/* a && X G a = G a, a || X F a = F a; false when the two are not of this kind. */
static bool unroll(struct ltl *ltl, enum ltl_operation operation, uint32_t now, uint32_t later, uint32_t *result)
{
    enum ltl_operation temporal = operation == LTL_AND ? LTL_GLOBALLY : LTL_FINALLY;
    if (!is(ltl, later, LTL_NEXT))
        return false;
    *result = node_of(ltl, later)->left;
    return is(ltl, *result, temporal) && node_of(ltl, *result)->left == now;
}

/* Adds one operand to a simplified chain. */
static uint32_t add_operand(struct ltl *ltl, enum ltl_operation operation, uint32_t chain, uint32_t added)
{
    bool and = operation == LTL_AND;
    uint32_t unit = and? LTL_TRUE_NODE : LTL_FALSE_NODE, zero = and? LTL_FALSE_NODE : LTL_TRUE_NODE;
    uint32_t kept = unit, joined;
    if (chain == unit || added == zero || ltl->failed)
        return added;
    for_operands(operand, ltl, operation, chain)
    {
        if (and? ltl_implies(ltl, operand, added) : ltl_implies(ltl, added, operand))
            return chain;
        if (and? contradict(ltl, operand, added) : ltl_implies(ltl, ltl_normal_form(ltl, operand, true), added))
            return zero;
        if (and? ltl_implies(ltl, added, operand) : ltl_implies(ltl, operand, added))
            continue;
        if (fuse(ltl, operation, operand, added, &joined) || unroll(ltl, operation, operand, added, &joined) ||
            unroll(ltl, operation, added, operand, &joined)) {
            added = joined;
            continue;
        }
        kept = ltl_join(ltl, operation, kept, operand);
    }
    return ltl_join(ltl, operation, kept, added);
}

static uint32_t simple_chain(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    uint32_t unit = operation == LTL_AND ? LTL_TRUE_NODE : LTL_FALSE_NODE;
    if (right == unit)
        return left;
    for_operands(operand, ltl, operation, right) left = add_operand(ltl, operation, left, operand);
    return left;
}

/* ---------------------------------------------------------------- X, F, G */

static uint32_t simple_next(struct ltl *ltl, uint32_t body)
{
    for (int i = 0; i < 2; i++) { /* X(a && q) = X a && q, X(a || q) = X a || q, X q = q */
        enum ltl_operation operation = i ? LTL_OR : LTL_AND;
        uint32_t constant, rest, unit = i ? LTL_FALSE_NODE : LTL_TRUE_NODE;
        split(ltl, operation, body, PART_CONSTANT, &constant, &rest);
        if (constant != unit)
            return simple(ltl, operation, constant, rest == unit ? unit : simple_next(ltl, rest));
    }
    return ltl_make(ltl, LTL_NEXT, body, 0);
}

/*
 * F and G are dual.  With F: F e = e; F(a || F b) = F(a || b); F(a || u) = F a || F u for temporal u; F(a && q) =
 * F a && q; F X a = X F a; F(a U b) = F b; F(a M b) = F(a && b).
 */
static uint32_t simple_finally(struct ltl *ltl, enum ltl_operation operation, uint32_t body)
{
    bool finally = operation == LTL_FINALLY;
    enum ltl_operation wide = finally ? LTL_OR : LTL_AND, narrow = finally ? LTL_AND : LTL_OR;
    uint32_t wide_unit = finally ? LTL_FALSE_NODE : LTL_TRUE_NODE, narrow_unit = 1 - wide_unit;
    struct ltl_node node = *node_of(ltl, body);
    if (finally ? node.is_eventual : node.is_universal)
        return body;
    if (node.operation == LTL_NEXT)
        return simple(ltl, LTL_NEXT, simple(ltl, operation, node.left, 0), 0);
    if (node.operation == (finally ? LTL_UNTIL : LTL_RELEASE))
        return simple(ltl, operation, node.right, 0);
    if (node.operation == (finally ? LTL_STRONG_RELEASE : LTL_WEAK_UNTIL))
        return simple(ltl, operation, simple(ltl, narrow, node.left, node.right), 0);
    uint32_t part, rest;
    split(ltl, narrow, body, PART_CONSTANT, &part, &rest);
    if (part != narrow_unit)
        return simple(ltl, narrow, part, simple(ltl, operation, rest, 0));
    if (node.operation == wide) {
        uint32_t inner = wide_unit; /* F(a || F b) */
        bool changed = false;
        for_operands(operand, ltl, wide, body)
        {
            bool same = is(ltl, operand, operation);
            changed |= same;
            inner = simple(ltl, wide, inner, same ? node_of(ltl, operand)->left : operand);
        }
        if (changed)
            return simple(ltl, operation, inner, 0);
        split(ltl, wide, body, finally ? PART_UNIVERSAL : PART_EVENTUAL, &part, &rest);
        if (part != wide_unit && rest != wide_unit)
            return simple(ltl, wide, simple(ltl, operation, part, 0), simple(ltl, operation, rest, 0));
    }
    return ltl_make(ltl, operation, body, 0);
}

/*
 * G F and F G are dual.  With G F: G F(a && e) = G F a && G F e; G F(a || b) = G F a || G F b where one is temporal;
 * G F X a = G F a; G F G a = F G a.
 */
static bool simple_repeatedly(struct ltl *ltl, enum ltl_operation outer, uint32_t body, uint32_t *result)
{
    bool repeatedly = outer == LTL_GLOBALLY;
    enum ltl_operation inner = repeatedly ? LTL_FINALLY : LTL_GLOBALLY;
    enum ltl_operation narrow = repeatedly ? LTL_AND : LTL_OR, wide = repeatedly ? LTL_OR : LTL_AND;
    uint32_t narrow_unit = repeatedly ? LTL_TRUE_NODE : LTL_FALSE_NODE, part, rest;
    if (!is(ltl, body, inner))
        return false;
    uint32_t core = node_of(ltl, body)->left;
    split(ltl, narrow, core, repeatedly ? PART_EVENTUAL : PART_UNIVERSAL, &part, &rest);
    if (part != narrow_unit) {
        *result = simple(ltl, outer, simple(ltl, inner, part, 0), 0);
        *result = simple(ltl, narrow, *result, simple(ltl, outer, simple(ltl, inner, rest, 0), 0));
        return true;
    }
    if (is(ltl, core, LTL_NEXT)) {
        *result = simple(ltl, outer, simple(ltl, inner, node_of(ltl, core)->left, 0), 0);
        return true;
    }
    if (is(ltl, core, wide)) { /* take out what is temporal; boolean operands stay together */
        uint32_t together = repeatedly ? LTL_FALSE_NODE : LTL_TRUE_NODE;
        bool found = false;
        *result = together;
        for_operands(operand, ltl, wide, core)
        {
            bool movable = is(ltl, operand, LTL_NEXT) || is(ltl, operand, outer) ||
                           belongs(ltl, operand, repeatedly ? PART_UNIVERSAL : PART_EVENTUAL);
            found |= movable;
            if (movable)
                *result = simple(ltl, wide, *result, simple(ltl, outer, simple(ltl, inner, operand, 0), 0));
            else
                together = ltl_join(ltl, wide, together, operand);
        }
        if (found)
            *result = simple(ltl, wide, *result, simple(ltl, outer, simple(ltl, inner, together, 0), 0));
        return found;
    }
    return false;
}

static uint32_t simple_unary(struct ltl *ltl, enum ltl_operation operation, uint32_t body)
{
    uint32_t result;
    if (body == LTL_TRUE_NODE || body == LTL_FALSE_NODE)
        return body;
    if (operation == LTL_NEXT)
        return simple_next(ltl, body);
    if (simple_repeatedly(ltl, operation, body, &result))
        return result;
    return simple_finally(ltl, operation, body);
}

/* ------------------------------------------------------------- U, R, W, M */

/* a U (b || q) = (a U b) || q and the like: q leaves the right operand of U or R. */
static bool pull_constant(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right,
                          uint32_t *result)
{
    for (int i = 0; i < 2; i++) {
        enum ltl_operation chain = i ? LTL_OR : LTL_AND;
        uint32_t constant, rest, unit = i ? LTL_FALSE_NODE : LTL_TRUE_NODE;
        split(ltl, chain, right, PART_CONSTANT, &constant, &rest);
        if (constant != unit && rest != unit) {
            *result = simple(ltl, chain, constant, simple(ltl, operation, left, rest));
            return true;
        }
    }
    return false;
}

/* Rules of U and, by duality, of R. */
static uint32_t simple_until(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    bool until = operation == LTL_UNTIL;
    enum ltl_operation wide = until ? LTL_OR : LTL_AND, narrow = until ? LTL_AND : LTL_OR;
    enum ltl_operation eventually = until ? LTL_FINALLY : LTL_GLOBALLY;
    struct ltl_node f = *node_of(ltl, left), g = *node_of(ltl, right);
    uint32_t result;
    /* a U e = e, a R u = u; a U b = b where a implies b, a R b = b where b implies a */
    if ((until ? g.is_eventual : g.is_universal) ||
        (until ? ltl_implies(ltl, left, right) : ltl_implies(ltl, right, left)))
        return right;
    /* a U b = F b where !b implies a; a R b = G b where a implies !b */
    if (until ? ltl_implies(ltl, ltl_normal_form(ltl, right, true), left) : contradict(ltl, left, right))
        return simple(ltl, eventually, right, 0);
    /* u U b = b || (u && F b), e R b = b && (e || G b) */
    if (until ? f.is_universal : f.is_eventual)
        return simple(ltl, wide, right, simple(ltl, narrow, left, simple(ltl, eventually, right, 0)));
    if (f.operation == LTL_NEXT && g.operation == LTL_NEXT)
        return simple(ltl, LTL_NEXT, simple(ltl, operation, f.left, g.left), 0);
    /* (a U b) U b = a U b; a U (b U c) = b U c where a implies b */
    if (f.operation == operation && f.right == right)
        return left;
    if (g.operation == operation && (until ? ltl_implies(ltl, left, g.left) : ltl_implies(ltl, g.left, left)))
        return right;
    if (pull_constant(ltl, operation, left, right, &result))
        return result;
    /* (a || b) U b = a U b: operands of the left that imply the right one */
    uint32_t kept = until ? LTL_FALSE_NODE : LTL_TRUE_NODE;
    if (f.operation == wide) {
        for_operands(operand, ltl, wide, left)
        {
            if (!(until ? ltl_implies(ltl, operand, right) : ltl_implies(ltl, right, operand)))
                kept = ltl_join(ltl, wide, kept, operand);
        }
        if (kept != left)
            return simple(ltl, operation, kept, right);
    }
    return ltl_make(ltl, operation, left, right);
}

/* Rules of W and, by duality, of M. */
static uint32_t simple_weak(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    bool weak = operation == LTL_WEAK_UNTIL;
    enum ltl_operation wide = weak ? LTL_OR : LTL_AND;
    struct ltl_node f = *node_of(ltl, left), g = *node_of(ltl, right);
    /* a W b = b where a implies b; a M b = b where b implies a */
    if (weak ? ltl_implies(ltl, left, right) : ltl_implies(ltl, right, left))
        return right;
    /* a W b = true where !b implies a; a M b = false where a implies !b */
    if (weak ? ltl_implies(ltl, ltl_normal_form(ltl, right, true), left) : contradict(ltl, left, right))
        return weak ? LTL_TRUE_NODE : LTL_FALSE_NODE;
    /* u W b = u || b, e M b = e && b */
    if (weak ? f.is_universal : f.is_eventual)
        return simple(ltl, wide, left, right);
    /* a W e = e || G a, a M u = u && F a */
    if (weak ? g.is_eventual : g.is_universal)
        return simple(ltl, wide, right, simple(ltl, weak ? LTL_GLOBALLY : LTL_FINALLY, left, 0));
    if (f.operation == LTL_NEXT && g.operation == LTL_NEXT)
        return simple(ltl, LTL_NEXT, simple(ltl, operation, f.left, g.left), 0);
    if (g.operation == operation && (weak ? ltl_implies(ltl, left, g.left) : ltl_implies(ltl, g.left, left)))
        return right;
    return ltl_make(ltl, operation, left, right);
}

static uint32_t simple_binary(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    bool until = operation == LTL_UNTIL || operation == LTL_WEAK_UNTIL;
    if (operation == LTL_AND || operation == LTL_OR)
        return simple_chain(ltl, operation, left, right);
    /* constants on the right: a U true, a U false, a W false = G a, a M true = F a; and dually */
    if (right == (until ? LTL_TRUE_NODE : LTL_FALSE_NODE))
        return right;
    if (right == LTL_FALSE_NODE || right == LTL_TRUE_NODE)
        return operation == LTL_WEAK_UNTIL       ? simple(ltl, LTL_GLOBALLY, left, 0)
               : operation == LTL_STRONG_RELEASE ? simple(ltl, LTL_FINALLY, left, 0)
                                                 : right;
    /* and on the left: false U b = b, true U b = F b, true W b = true, false M b = false */
    if (left == (until ? LTL_FALSE_NODE : LTL_TRUE_NODE))
        return right;
    if (left == LTL_FALSE_NODE || left == LTL_TRUE_NODE)
        return operation == LTL_UNTIL     ? simple(ltl, LTL_FINALLY, right, 0)
               : operation == LTL_RELEASE ? simple(ltl, LTL_GLOBALLY, right, 0)
                                          : left;
    if (left == right)
        return left;
    return operation == LTL_UNTIL || operation == LTL_RELEASE ? simple_until(ltl, operation, left, right)
                                                              : simple_weak(ltl, operation, left, right);
}

/* Makes a formula of simplified operands. */
static uint32_t simple(struct ltl *ltl, enum ltl_operation operation, uint32_t left, uint32_t right)
{
    if (ltl->failed)
        return LTL_FALSE_NODE;
    return ltl_is_unary(operation) ? simple_unary(ltl, operation, left) : simple_binary(ltl, operation, left, right);
}

uint32_t ltl_simplify(struct ltl *ltl, uint32_t formula)
{
    if (ltl->failed)
        return LTL_FALSE_NODE;
    struct ltl_node node = *node_of(ltl, formula);
    if (node.simple)
        return node.simple - 1;
    uint32_t result = formula;
    if (node.operation >= LTL_NEXT) {
        uint32_t left = ltl_simplify(ltl, node.left);
        uint32_t right = ltl_is_binary(node.operation) ? ltl_simplify(ltl, node.right) : 0;
        result = simple(ltl, node.operation, left, right);
    }
    if (!ltl->failed)
        ltl->nodes.item[formula].simple = result + 1;
    return result;
}

/* ---------------------------------------------------------------- grouping */

/*
 * F a || e = F(a || e), F a && q = F(a && q): one state waits for all of them.  Of several F in a conjunction one
 * that is constant in time is taken (F G a).
 */
static uint32_t group_chain(struct ltl *ltl, enum ltl_operation operation, uint32_t formula)
{
    uint32_t unit = operation == LTL_AND ? LTL_TRUE_NODE : LTL_FALSE_NODE;
    uint32_t inside = unit, outside = unit;
    bool taken = false, grouped = false;
    for_operands(operand, ltl, operation, formula)
    {
        bool is_finally = is(ltl, operand, LTL_FINALLY);
        bool constant = is_constant_in_time(ltl, operand);
        bool opens = is_finally && (operation == LTL_OR || (constant && !taken));
        bool joins = operation == LTL_OR ? node_of(ltl, operand)->is_eventual : constant;
        uint32_t *side = opens || joins ? &inside : &outside;
        *side = ltl_join(ltl, operation, *side, opens ? node_of(ltl, operand)->left : operand);
        taken |= opens;
        grouped |= !opens && joins;
    }
    if (!taken || (operation == LTL_AND && !grouped))
        return formula;
    return ltl_join(ltl, operation, outside, ltl_make(ltl, LTL_FINALLY, inside, 0));
}

uint32_t ltl_group(struct ltl *ltl, uint32_t formula)
{
    if (ltl->failed)
        return LTL_FALSE_NODE;
    struct ltl_node node = *node_of(ltl, formula);
    if (node.grouped)
        return node.grouped - 1;
    uint32_t result = formula;
    if (node.operation >= LTL_NEXT) {
        uint32_t left = ltl_group(ltl, node.left);
        uint32_t right = ltl_is_binary(node.operation) ? ltl_group(ltl, node.right) : 0;
        bool is_chain = node.operation == LTL_AND || node.operation == LTL_OR;
        result = is_chain ? ltl_join(ltl, node.operation, left, right) : ltl_make(ltl, node.operation, left, right);
        if (!ltl->failed && (is(ltl, result, LTL_AND) || is(ltl, result, LTL_OR)))
            result = group_chain(ltl, node_of(ltl, result)->operation, result);
    }
    if (!ltl->failed)
        ltl->nodes.item[formula].grouped = result + 1;
    return result;
}
