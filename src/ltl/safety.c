/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a formula a safety property?  B. Alpern, F. Schneider, "Recognizing safety and
 * liveness", 1987: the limit closure of an automaton in which every state accepts
 * something is the same automaton with all runs accepting.  The language is one of
 * safety exactly when it is its own closure, that is when the closure accepts no word
 * on which the formula is false.  Formulas without F, U and M in normal form are (A. P. Sistla,
 * "Safety, liveness and fairness in temporal logic", 1994).
 */
#include "ltl/automaton.h"

#include "base/diagnostic.h"

enum portolan_status ltl_safety(struct ltl *ltl, uint32_t formula, enum ltl_answer *answer,
                                struct portolan_error *error)
{
    struct automaton *positive = NULL, *negative = NULL, *product = NULL;
    uint32_t normal = ltl_simplify(ltl, ltl_normal_form(ltl, formula, false));
    if (ltl->failed)
        return fail_memory(error);
    *answer = LTL_YES;
    if (ltl_is_syntactic_safety(ltl, normal))
        return PORTOLAN_OK;
    *answer = LTL_UNKNOWN;
    enum portolan_status status = automaton_of_formula(ltl, formula, &(struct automaton_options){0}, &positive, error);
    if (!status)
        status = automaton_of_formula(ltl, formula, &(struct automaton_options){.negated = true}, &negative, error);
    if (!status) {
        bool empty;
        positive->sets = 0; /* reduced: every state accepts something */
        for (uint32_t e = 0; e < positive->first[positive->states]; e++)
            positive->edges[e].acceptance = 0;
        product = automaton_product(positive, negative);
        if (product && automaton_is_empty(product, &empty))
            *answer = empty ? LTL_YES : LTL_NO;
        else
            status = fail_memory(error);
    }
    automaton_free(positive);
    automaton_free(negative);
    automaton_free(product);
    return status == PORTOLAN_OVERFLOW ? PORTOLAN_OK : status;
}
