/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Syntactic implication: a cheap sufficient test of "left implies right".
 *
 * F. Somenzi, R. Bloem, "Efficient Büchi automata from LTL formulae", CAV
 * 2000, with the weak operators and the rules for pure eventualities and
 * universalities of T. Babiak, M. Křetínský, V. Řehák, J. Strejček, "LTL to
 * Büchi automata translation: fast and more deterministic", TACAS 2012.
 *
 * Each rule is a valid implication; a search that grows too long gives up and
 * says no.
 */
#include "ltl/formula.h"

enum { BUDGET = 400 };

struct question {
    const struct ltl *ltl;
    unsigned steps; /* left */
};

static bool implies(struct question *question, uint32_t left, uint32_t right);

/* What holds now when the left side does decides. */
static bool by_left(struct question *question, const struct ltl_node *f, uint32_t right)
{
    switch (f->operation) {
    case LTL_AND: return implies(question, f->left, right) || implies(question, f->right, right);
    case LTL_OR:
    case LTL_UNTIL:
    case LTL_WEAK_UNTIL: return implies(question, f->left, right) && implies(question, f->right, right);
    case LTL_GLOBALLY: return implies(question, f->left, right);
    case LTL_RELEASE: return implies(question, f->right, right);
    case LTL_STRONG_RELEASE:
        return implies(question, f->right, right) ||
               (question->ltl->nodes.item[right].is_eventual && implies(question, f->left, right));
    case LTL_FINALLY:
    case LTL_NEXT: return question->ltl->nodes.item[right].is_eventual && implies(question, f->left, right);
    default: return false;
    }
}

/* What suffices now for the right side does. */
static bool by_right(struct question *question, uint32_t left, const struct ltl_node *g)
{
    const struct ltl_node *f = &question->ltl->nodes.item[left];
    switch (g->operation) {
    case LTL_AND:
    case LTL_RELEASE:
    case LTL_STRONG_RELEASE: return implies(question, left, g->left) && implies(question, left, g->right);
    case LTL_OR: return implies(question, left, g->left) || implies(question, left, g->right);
    case LTL_FINALLY: return implies(question, left, g->left);
    case LTL_UNTIL: return implies(question, left, g->right);
    case LTL_WEAK_UNTIL:
        return implies(question, left, g->right) || (f->is_universal && implies(question, left, g->left));
    case LTL_GLOBALLY:
    case LTL_NEXT: return f->is_universal && implies(question, left, g->left);
    default: return false;
    }
}

static bool is_until(enum ltl_operation operation)
{
    return operation == LTL_UNTIL || operation == LTL_WEAK_UNTIL;
}

static bool is_release(enum ltl_operation operation)
{
    return operation == LTL_RELEASE || operation == LTL_STRONG_RELEASE;
}

/* Both sides have the same shape, or nearly. */
static bool by_shape(struct question *question, const struct ltl_node *f, const struct ltl_node *g)
{
    enum ltl_operation left = f->operation, right = g->operation;
    if (left == right && left >= LTL_NEXT && left <= LTL_GLOBALLY)
        return implies(question, f->left, g->left);
    if ((left == LTL_UNTIL && is_until(right)) || (left == LTL_WEAK_UNTIL && left == right) ||
        (left == LTL_STRONG_RELEASE && is_release(right)) || (left == LTL_RELEASE && left == right))
        return implies(question, f->left, g->left) && implies(question, f->right, g->right);
    if (left == LTL_UNTIL && right == LTL_FINALLY)
        return implies(question, f->right, g->left);
    if (left == LTL_STRONG_RELEASE && right == LTL_FINALLY)
        return implies(question, f->left, g->left);
    if (left == LTL_GLOBALLY && right == LTL_RELEASE)
        return implies(question, f->left, g->right);
    if (left == LTL_GLOBALLY && right == LTL_WEAK_UNTIL)
        return implies(question, f->left, g->left);
    return false;
}

static bool implies(struct question *question, uint32_t left, uint32_t right)
{
    if (left == right || left == LTL_FALSE_NODE || right == LTL_TRUE_NODE)
        return true;
    if (left == LTL_TRUE_NODE || right == LTL_FALSE_NODE || question->steps == 0)
        return false;
    question->steps--;
    const struct ltl_node *f = &question->ltl->nodes.item[left], *g = &question->ltl->nodes.item[right];
    if (f->operation <= LTL_NOT && g->operation <= LTL_NOT)
        return false; /* different literals */
    return by_shape(question, f, g) || by_left(question, f, right) || by_right(question, left, g);
}

bool ltl_implies(struct ltl *ltl, uint32_t left, uint32_t right)
{
    struct question question = {.ltl = ltl, .steps = BUDGET};
    return implies(&question, left, right);
}
