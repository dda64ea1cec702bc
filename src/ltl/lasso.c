/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTL on an ultimately periodic word, straight from the definition.
 *
 * Each subformula gets one truth value per position.  The successor of the
 * last position is the first of the loop, so the temporal operators are fixed
 * points: least for U, F, M (begin with false everywhere), greatest for R, G,
 * W (begin with true), of  f U g = g || f && X(f U g)  and its relatives.
 * Going backwards through the positions twice reaches them: the second round
 * starts from the right value at the place where the loop closes.
 *
 * This file shares nothing with the translation: it is there to judge it.
 */
#include "ltl/formula.h"

#include <stdlib.h>

struct lasso {
    const uint64_t *letters;
    size_t length, loop;
};

static size_t successor(const struct lasso *lasso, size_t position)
{
    return position + 1 < lasso->length ? position + 1 : lasso->loop;
}

static bool now(enum ltl_operation operation, bool left, bool right, bool next)
{
    switch (operation) {
    case LTL_NOT: return !left;
    case LTL_AND: return left && right;
    case LTL_OR: return left || right;
    case LTL_IMPLIES: return !left || right;
    case LTL_IFF: return left == right;
    case LTL_XOR: return left != right;
    case LTL_FINALLY: return left || next;
    case LTL_GLOBALLY: return left && next;
    case LTL_UNTIL:
    case LTL_WEAK_UNTIL: return right || (left && next);
    case LTL_RELEASE:
    case LTL_STRONG_RELEASE: return right && (left || next);
    default: return false;
    }
}

static void evaluate(const struct ltl_node *node, const struct lasso *lasso, const bool *left, const bool *right,
                     bool *value)
{
    enum ltl_operation operation = node->operation;
    bool greatest = operation == LTL_GLOBALLY || operation == LTL_RELEASE || operation == LTL_WEAK_UNTIL;
    for (size_t i = 0; i < lasso->length; i++)
        value[i] = operation == LTL_ATOM   ? lasso->letters[i] >> node->left & 1
                   : operation == LTL_NEXT ? left[successor(lasso, i)]
                                           : operation == LTL_TRUE || greatest;
    if (operation <= LTL_ATOM || operation == LTL_NEXT)
        return;
    for (int round = 0; round < 2; round++)
        for (size_t i = lasso->length; i-- > 0;)
            value[i] = now(operation, left[i], right[i], value[successor(lasso, i)]);
}

/* Marks what the formula is made of; children have smaller numbers. */
static void mark(const struct ltl *ltl, uint32_t formula, bool *wanted)
{
    wanted[formula] = true;
    for (uint32_t i = formula + 1; i-- > 0;) {
        const struct ltl_node *node = &ltl->nodes.item[i];
        if (wanted[i] && (ltl_is_unary(node->operation) || ltl_is_binary(node->operation)))
            wanted[node->left] = true;
        if (wanted[i] && ltl_is_binary(node->operation))
            wanted[node->right] = true;
    }
}

bool ltl_holds_on_lasso(const struct ltl *ltl, uint32_t formula, const uint64_t *letters, size_t length, size_t loop,
                        bool *holds)
{
    struct lasso lasso = {.letters = letters, .length = length, .loop = loop};
    size_t count = (size_t)formula + 1;
    bool *wanted = calloc(count, sizeof *wanted);
    bool *values = length <= SIZE_MAX / count ? malloc(count * length) : NULL;
    if (wanted && values) {
        mark(ltl, formula, wanted);
        for (uint32_t i = 0; i < count; i++) {
            const struct ltl_node *node = &ltl->nodes.item[i];
            const bool *left = values + (node->operation == LTL_ATOM ? 0 : node->left * length);
            const bool *right = ltl_is_binary(node->operation) ? values + node->right * length : left;
            if (wanted[i])
                evaluate(node, &lasso, left, right, values + i * length);
        }
        *holds = values[formula * length];
    }
    bool fine = wanted && values;
    free(wanted);
    free(values);
    return fine;
}
