/* SPDX-License-Identifier: Apache-2.0 */
/* What is true in a state, and whether a formula has a value there at all. */
#include "ltl/automaton.h"
#include "system/resting.h"

#include <stdio.h>

struct letter {
    uint64_t is_true, has_none; /* a bit for each atom */
};

static struct letter read_letter(const struct ltl *ltl, const struct portolan_system *system, const void *state,
                                 bool is_deadlock)
{
    struct letter letter = {0};
    for (size_t i = 0; i < ltl->atoms.count; i++) {
        enum expression_value value = expression_value(ltl->atoms.item[i].expression, system, state, is_deadlock);
        letter.is_true |= (uint64_t)(value == EXPRESSION_TRUE) << i;
        letter.has_none |= (uint64_t)(value == EXPRESSION_NO_VALUE) << i;
    }
    return letter;
}

/* The value of a part without temporal operators, from left to right. */
static enum expression_value value_of(const struct ltl *ltl, uint32_t part, const struct letter *letter)
{
    const struct ltl_node *node = &ltl->nodes.item[part];
    if (node->operation <= LTL_TRUE)
        return node->operation == LTL_TRUE ? EXPRESSION_TRUE : EXPRESSION_FALSE;
    if (node->operation == LTL_ATOM)
        return letter->has_none >> node->left & 1 ? EXPRESSION_NO_VALUE : (letter->is_true >> node->left & 1);
    enum expression_value left = value_of(ltl, node->left, letter);
    if (left == EXPRESSION_NO_VALUE)
        return left;
    if (node->operation == LTL_NOT)
        return !left;
    bool decides = node->operation == LTL_OR                                      ? left
                   : node->operation == LTL_AND || node->operation == LTL_IMPLIES ? !left
                                                                                  : false;
    if (decides)
        return node->operation != LTL_AND;
    enum expression_value right = value_of(ltl, node->right, letter);
    if (right == EXPRESSION_NO_VALUE || (node->operation != LTL_IFF && node->operation != LTL_XOR))
        return right;
    return (left == right) == (node->operation == LTL_IFF);
}

/* Has every largest part without temporal operators a value? */
static bool has_value(const struct ltl *ltl, uint32_t formula, const struct letter *letter)
{
    const struct ltl_node *node = &ltl->nodes.item[formula];
    if (node->is_boolean)
        return value_of(ltl, formula, letter) != EXPRESSION_NO_VALUE;
    return has_value(ltl, node->left, letter) &&
           (!ltl_is_binary(node->operation) || has_value(ltl, node->right, letter));
}

uint64_t ltl_valuation(const struct ltl *ltl, const struct portolan_system *system, const void *state, bool is_deadlock,
                       bool *no_value)
{
    if (ltl->resting && rests_within_step(system, state))
        return UINT64_C(1) << (ltl->resting - 1);
    struct letter letter = read_letter(ltl, system, state, is_deadlock);
    if (letter.has_none && no_value && (!ltl->stated || !has_value(ltl, ltl->stated - 1, &letter)))
        *no_value = true;
    return letter.is_true;
}

bool ltl_why_no_value(const struct ltl *ltl, const struct portolan_system *system, const void *state, bool is_deadlock,
                      char *text, size_t size)
{
    bool no_value = false;
    ltl_valuation(ltl, system, state, is_deadlock, &no_value);
    for (size_t i = 0; no_value && i < ltl->atoms.count; i++)
        if (expression_why_no_value(ltl->atoms.item[i].expression, system, state, is_deadlock, text, size))
            return true;
    return false;
}
