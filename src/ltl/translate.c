/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From LTL to generalised Büchi automata with acceptance on edges.
 *
 * J.-M. Couvreur, "On-the-fly verification of linear temporal logic", FM 1999,
 * with covers in place of decision diagrams, as in D. Giannakopoulou and F.
 * Lerda, "From states to transitions", FORTE 2002.
 *
 * A formula in normal form is equivalent to a disjunction of terms
 *
 *     literals  &&  X next  &&  promises
 *
 * by f U g = g || (f && X(f U g) && promise) and its relatives: a promise says
 * that the eventuality is put off.  A state of the automaton is a formula; the
 * terms of its cover are its edges; an edge is in the acceptance set of an
 * eventuality unless it makes that promise.
 *
 * What is left out, and why nothing is lost:
 *  - A term that is implied by another one with fewer promises.  If a word
 *    satisfies a state, follow the term that the truth of its subformulas
 *    picks, or the one it was left out for: what follows is satisfied again, and
 *    a promise made forever would be an eventuality that is true and never comes.
 *  - A state with the same cover as an earlier one: it has the same edges.
 */
#include "ltl/automaton.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <string.h>

enum { MAX_TERMS = 8192, MAX_STATES = 20000, MAX_PROMISES = 64 };

struct term {
    uint64_t positive, negative, promises;
    uint32_t next;
};

struct cover {
    bool known;
    VECTOR(struct term) terms; /* ordered */
};

struct translation {
    struct ltl *ltl;
    VECTOR(struct cover) covers;    /* by formula */
    uint32_t promise[MAX_PROMISES]; /* the formulas that are promised */
    uint32_t promises;
    VECTOR(uint32_t) states;   /* the formula of each */
    VECTOR(uint32_t) state_of; /* by formula, + 1 */
    bool failed, too_large;
};

/* ------------------------------------------------------------------ covers */

static bool absorbs(struct translation *translation, const struct term *one, const struct term *other)
{
    return !(one->positive & ~other->positive) && !(one->negative & ~other->negative) &&
           !(one->promises & ~other->promises) && ltl_implies(translation->ltl, other->next, one->next);
}

static void add_term(struct translation *translation, struct cover *cover, struct term term)
{
    translation->failed |= limits_reached();
    if (term.next == LTL_FALSE_NODE || (term.positive & term.negative) || translation->too_large || translation->failed)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < cover->terms.count; i++)
        if (absorbs(translation, &cover->terms.item[i], &term))
            return;
    for (size_t i = 0; i < cover->terms.count; i++)
        if (!absorbs(translation, &term, &cover->terms.item[i]))
            cover->terms.item[kept++] = cover->terms.item[i];
    cover->terms.count = kept;
    translation->too_large |= kept >= MAX_TERMS;
    translation->failed |= !vector_push(&cover->terms, term);
}

static int by_term(const void *left, const void *right)
{
    const struct term *a = left, *b = right;
    if (a->next != b->next)
        return a->next < b->next ? -1 : 1;
    if (a->promises != b->promises)
        return a->promises < b->promises ? -1 : 1;
    if (a->positive != b->positive)
        return a->positive < b->positive ? -1 : 1;
    return a->negative < b->negative ? -1 : a->negative > b->negative;
}

static const struct cover *cover_of(struct translation *translation, uint32_t formula);

static void add_union(struct translation *translation, struct cover *cover, uint32_t formula)
{
    const struct cover *part = cover_of(translation, formula);
    for (size_t i = 0; i < part->terms.count; i++)
        add_term(translation, cover, part->terms.item[i]);
}

/* Adds formula && extra. */
static void add_with(struct translation *translation, struct cover *cover, uint32_t formula, struct term extra)
{
    const struct cover *part = cover_of(translation, formula);
    for (size_t i = 0; i < part->terms.count; i++) {
        struct term term = part->terms.item[i];
        term.positive |= extra.positive;
        term.negative |= extra.negative;
        term.promises |= extra.promises;
        term.next = ltl_join(translation->ltl, LTL_AND, term.next, extra.next);
        add_term(translation, cover, term);
    }
}

static void add_product(struct translation *translation, struct cover *cover, uint32_t one, uint32_t other)
{
    cover_of(translation, other); /* before a pointer to the first is taken: covers may move */
    const struct cover *part = cover_of(translation, one);
    for (size_t i = 0; i < part->terms.count && !translation->too_large && !translation->failed; i++)
        add_with(translation, cover, other, part->terms.item[i]);
}

static uint64_t promise_of(struct translation *translation, uint32_t formula)
{
    uint32_t i = 0;
    while (i < translation->promises && translation->promise[i] != formula)
        i++;
    if (i == MAX_PROMISES) {
        translation->too_large = true;
        return 0;
    }
    if (i == translation->promises)
        translation->promise[translation->promises++] = formula;
    return UINT64_C(1) << i;
}

static void make_cover(struct translation *translation, uint32_t formula, struct cover *cover)
{
    struct ltl_node node = translation->ltl->nodes.item[formula];
    struct term nothing = {.next = LTL_TRUE_NODE}, again = {.next = formula}, literal = nothing;
    switch (node.operation) {
    case LTL_TRUE: add_term(translation, cover, nothing); break;
    case LTL_ATOM:
        literal.positive = UINT64_C(1) << node.left;
        add_term(translation, cover, literal);
        break;
    case LTL_NOT:
        literal.negative = UINT64_C(1) << translation->ltl->nodes.item[node.left].left;
        add_term(translation, cover, literal);
        break;
    case LTL_NEXT: add_term(translation, cover, (struct term){.next = node.left}); break;
    case LTL_AND: add_product(translation, cover, node.left, node.right); break;
    case LTL_OR:
        add_union(translation, cover, node.left);
        add_union(translation, cover, node.right);
        break;
    case LTL_FINALLY:
        again.promises = promise_of(translation, formula);
        add_union(translation, cover, node.left);
        add_term(translation, cover, again);
        break;
    case LTL_GLOBALLY: add_with(translation, cover, node.left, again); break;
    case LTL_UNTIL: again.promises = promise_of(translation, formula); /* fallthrough */
    case LTL_WEAK_UNTIL:
        add_union(translation, cover, node.right);
        add_with(translation, cover, node.left, again);
        break;
    case LTL_STRONG_RELEASE: again.promises = promise_of(translation, formula); /* fallthrough */
    case LTL_RELEASE:
        add_product(translation, cover, node.left, node.right);
        add_with(translation, cover, node.right, again);
        break;
    default: break; /* false has no terms; the rest is not in normal form */
    }
}

/* The pointer is good until the next call with another formula. */
static const struct cover *cover_of(struct translation *translation, uint32_t formula)
{
    static const struct cover nothing;
    while (translation->covers.count <= formula && !translation->failed)
        translation->failed |= !vector_push(&translation->covers, (struct cover){0});
    translation->failed |= translation->ltl->failed;
    if (translation->failed)
        return &nothing;
    if (!translation->covers.item[formula].known) {
        struct cover cover = {.known = true};
        make_cover(translation, formula, &cover);
        if (cover.terms.count)
            qsort(cover.terms.item, cover.terms.count, sizeof *cover.terms.item, by_term);
        if (translation->failed) {
            free(cover.terms.item);
            return &nothing;
        }
        translation->covers.item[formula] = cover;
    }
    return &translation->covers.item[formula];
}

/* ------------------------------------------------------------------ states */

static bool same_cover(const struct cover *one, const struct cover *other)
{
    if (one->terms.count != other->terms.count)
        return false;
    for (size_t i = 0; i < one->terms.count; i++)
        if (by_term(&one->terms.item[i], &other->terms.item[i]) != 0)
            return false;
    return true;
}

static uint32_t state_of(struct translation *translation, uint32_t formula)
{
    while (translation->state_of.count <= formula && !translation->failed)
        translation->failed |= !vector_push(&translation->state_of, 0);
    cover_of(translation, formula);
    if (translation->failed)
        return 0;
    uint32_t *known = &translation->state_of.item[formula];
    if (*known)
        return *known - 1;
    const struct cover *cover = &translation->covers.item[formula];
    for (uint32_t s = 0; s < translation->states.count && !(translation->failed |= limits_reached()); s++)
        if (same_cover(cover, &translation->covers.item[translation->states.item[s]])) {
            *known = s + 1;
            return s;
        }
    translation->too_large |= translation->states.count >= MAX_STATES;
    translation->failed |= !vector_push(&translation->states, formula);
    *known = (uint32_t)translation->states.count;
    return *known - 1;
}

static void add_edges(struct translation *translation, uint32_t state, struct automaton_edges *edges)
{
    uint32_t formula = translation->states.item[state];
    size_t count = cover_of(translation, formula)->terms.count;
    for (size_t i = 0; i < count && !translation->failed; i++) {
        struct term term = translation->covers.item[formula].terms.item[i];
        struct automaton_edge edge = {.source = state,
                                      .target = state_of(translation, term.next),
                                      .positive = term.positive,
                                      .negative = term.negative,
                                      .acceptance = ~term.promises};
        edges_add(edges, edge);
    }
}

static void translation_clear(struct translation *translation)
{
    for (size_t i = 0; i < translation->covers.count; i++)
        free(translation->covers.item[i].terms.item);
    free(translation->covers.item);
    free(translation->states.item);
    free(translation->state_of.item);
}

/* The automaton of a normal form, as the construction gives it. */
static enum portolan_status translate(struct ltl *ltl, uint32_t formula, struct automaton **out,
                                      struct portolan_error *error)
{
    struct translation translation = {.ltl = ltl};
    struct automaton_edges edges = {0};
    state_of(&translation, formula);
    for (uint32_t s = 0; s < translation.states.count && !translation.failed && !translation.too_large; s++)
        add_edges(&translation, s, &edges);
    if (!translation.failed && !translation.too_large)
        *out = automaton_new((uint32_t)translation.states.count, 0, translation.promises, ltl);
    if (*out) {
        for (size_t i = 0; i < edges.list.count; i++)
            edges.list.item[i].acceptance &= automaton_all_sets(*out);
        translation.failed |= !automaton_set_edges(*out, &edges);
    }
    free(edges.list.item);
    bool fine = *out && !translation.failed;
    if (!fine) {
        automaton_free(*out);
        *out = NULL;
    }
    translation_clear(&translation);
    if (fine)
        return PORTOLAN_OK;
    return translation.too_large ? fail(error, PORTOLAN_OVERFLOW, "the automaton of the formula would be too large")
                                 : fail_memory(error);
}

/* ---------------------------------------------------------------- the whole */

static enum portolan_status reduced(struct ltl *ltl, uint32_t formula, bool negated, struct automaton **out,
                                    struct portolan_error *error)
{
    uint32_t normal = ltl_group(ltl, ltl_simplify(ltl, ltl_normal_form(ltl, formula, negated)));
    if (ltl->failed)
        return fail_memory(error);
    enum portolan_status status = translate(ltl, normal, out, error);
    if (!status && !automaton_reduce(*out))
        status = fail_memory(error);
    return status;
}

/* Takes the smallest weak deterministic automaton, where there is one that is not larger. */
static bool make_weak(struct automaton *automaton, const struct automaton *complement)
{
    struct automaton *minimal;
    if (!automaton_minimise_weak(automaton, complement, &minimal))
        return false;
    if (minimal && minimal->states <= automaton->states)
        automaton_take(automaton, minimal);
    else
        automaton_free(minimal);
    return true;
}

enum portolan_status automaton_of_formula(struct ltl *ltl, uint32_t formula, const struct automaton_options *options,
                                          struct automaton **out, struct portolan_error *error)
{
    struct automaton *complement = NULL;
    enum portolan_status status;
    *out = NULL;
    if (options->unreduced) {
        uint32_t normal = ltl_normal_form(ltl, formula, options->negated);
        status = ltl->failed ? fail_memory(error) : translate(ltl, normal, out, error);
    } else {
        status = reduced(ltl, formula, options->negated, out, error);
        if (!status)
            status = reduced(ltl, formula, !options->negated, &complement, error);
        if (!status && !make_weak(*out, complement))
            status = fail_memory(error);
        else if (status == PORTOLAN_OVERFLOW && *out) /* only the complement is too large */
            status = PORTOLAN_OK;
    }
    if (!status && options->degeneralise &&
        (!automaton_degeneralise(*out) || (!options->unreduced && !automaton_reduce(*out))))
        status = fail_memory(error);
    if (!status && ((!options->unreduced && !automaton_sharpen(*out)) || !automaton_classify(*out)))
        status = fail_memory(error);
    automaton_free(complement);
    if (status) {
        automaton_free(*out);
        *out = NULL;
    }
    return status;
}
