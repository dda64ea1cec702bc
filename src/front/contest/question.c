/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a formula of the contest asks of a model.
 *
 * Above the quantifiers over paths there are boolean operators only, with negations pushed down to the quantifiers.
 * What stands under one is a property by itself: "on some path finally" of a truth about states is reachability, "on
 * all paths globally" an invariant, every other formula without further quantifiers one of LTL, which must hold of all
 * paths, or of which some path must be a counterexample.  A truth about states alone is one about the initial state,
 * and so a formula of LTL, too.  Quantifiers inside of each other are those of CTL, which are refused, but for those
 * that say nothing new: EF EF f is EF f.
 */
#include "front/contest/formula.h"

#include <string.h>

enum { MOST_ASKED = 1000 }; /* properties of one formula: equivalences in each other double them */

struct maker {
    struct arena *arena;
    struct question *question;
    VECTOR(char) text; /* of the formula that is being written */
    bool failed;       /* memory is exhausted */
};

/* ------------------------------------------------------------------ as text */

static void append(struct maker *maker, const char *text)
{
    size_t length = strlen(text);
    if (!vector_reserve(&maker->text, length + 1)) {
        maker->failed = true;
        return;
    }
    memcpy(maker->text.item + maker->text.count, text, length + 1);
    maker->text.count += length;
}

static void append_formula(struct maker *maker, const struct formula *formula)
{
    static const struct {
        const char *before, *between, *behind;
    } forms[] = {
        [FORMULA_NOT] = {"!(", "", ")"},        [FORMULA_AND] = {"(", " && ", ")"},
        [FORMULA_OR] = {"(", " || ", ")"},      [FORMULA_XOR] = {"!(", " <-> ", ")"},
        [FORMULA_IMPLIES] = {"(", " -> ", ")"}, [FORMULA_IFF] = {"(", " <-> ", ")"},
        [FORMULA_FINALLY] = {"F (", "", ")"},   [FORMULA_GLOBALLY] = {"G (", "", ")"},
        [FORMULA_NEXT] = {"X (", "", ")"},      [FORMULA_UNTIL] = {"(", " U ", ")"},
    };
    if (formula->kind == FORMULA_STATE) {
        append(maker, formula->text);
        return;
    }
    append(maker, forms[formula->kind].before);
    for (const struct formula *operand = formula->operands; operand; operand = operand->next) {
        append_formula(maker, operand);
        append(maker, operand->next ? forms[formula->kind].between : "");
    }
    append(maker, forms[formula->kind].behind);
}

/* ------------------------------------------------------------------ as a question */

static void step(struct maker *maker, enum question_operator operation)
{
    maker->failed |= !vector_push(&maker->question->steps, operation);
}

/* Asks for a property whose text is the formula, or its negation. */
static void ask(struct maker *maker, enum portolan_kind kind, const struct formula *formula, bool of_negation,
                bool is_negated)
{
    maker->text.count = 0;
    append(maker, of_negation ? "!(" : "");
    append_formula(maker, formula);
    append(maker, of_negation ? ")" : "");
    if (maker->question->asked.count == MOST_ASKED)
        maker->question->refusal = "it is made of too many properties";
    if (maker->failed || maker->question->refusal)
        return;
    struct asked_property asked = {.kind = kind, .is_negated = is_negated};
    asked.text = arena_copy(maker->arena, maker->text.item, maker->text.count);
    maker->failed = !asked.text || !vector_push(&maker->question->asked, asked);
    step(maker, QUESTION_PROPERTY);
}

/* What EF f, or AG f, says of f when f says the same of its operand: EF EF f is EF f. */
static const struct formula *without_repetition(const struct formula *quantifier)
{
    const struct formula *path = quantifier->operands;
    while (path->operands && path->operands->kind == quantifier->kind && path->operands->operands->kind == path->kind &&
           (path->kind == FORMULA_FINALLY || path->kind == FORMULA_GLOBALLY) &&
           (path->kind == FORMULA_FINALLY) == (quantifier->kind == FORMULA_EXISTS))
        path = path->operands->operands;
    return path;
}

static void ask_of_paths(struct maker *maker, const struct formula *quantifier, bool is_negated)
{
    const struct formula *path = without_repetition(quantifier), *operand = path->operands;
    bool exists = quantifier->kind == FORMULA_EXISTS;
    if (path->has_paths) {
        maker->question->refusal = "CTL with nested path quantifiers is not supported";
        return;
    }
    bool of_states = operand && !operand->is_temporal && path->kind == (exists ? FORMULA_FINALLY : FORMULA_GLOBALLY);
    if (of_states) /* no path leads there: on all paths it is false forever */
        ask(maker, exists == is_negated ? PORTOLAN_INVARIANT : PORTOLAN_REACH, operand, is_negated, false);
    else
        ask(maker, PORTOLAN_LTL, path, exists, exists != is_negated);
}

static void ask_all(struct maker *maker, const struct formula *formula, bool is_negated);

/* The operands joined, each of them negated or not. */
static void ask_operands(struct maker *maker, const struct formula *formula, bool conjunction, bool first_is_negated,
                         bool others_are_negated)
{
    const struct formula *first = formula->operands;
    for (const struct formula *operand = first; operand; operand = operand->next) {
        ask_all(maker, operand, operand == first ? first_is_negated : others_are_negated);
        if (operand != first && !maker->question->refusal)
            step(maker, conjunction ? QUESTION_AND : QUESTION_OR);
    }
}

static void ask_all(struct maker *maker, const struct formula *formula, bool is_negated)
{
    if (maker->failed || maker->question->refusal)
        return;
    if (!formula->has_paths && formula->is_temporal) {
        maker->question->refusal = "a temporal operator has no quantifier over paths around it";
        return;
    }
    if (!formula->has_paths) { /* of the initial state */
        ask(maker, PORTOLAN_LTL, formula, is_negated, false);
        return;
    }
    bool differs = (formula->kind == FORMULA_XOR) != is_negated;
    switch (formula->kind) {
    case FORMULA_NOT: ask_all(maker, formula->operands, !is_negated); break;
    case FORMULA_AND: ask_operands(maker, formula, !is_negated, is_negated, is_negated); break;
    case FORMULA_OR: ask_operands(maker, formula, is_negated, is_negated, is_negated); break;
    case FORMULA_IMPLIES: ask_operands(maker, formula, is_negated, !is_negated, is_negated); break;
    case FORMULA_XOR:
    case FORMULA_IFF: /* both or none, one or the other */
        ask_operands(maker, formula, true, false, differs);
        ask_operands(maker, formula, true, true, !differs);
        step(maker, QUESTION_OR);
        break;
    default: ask_of_paths(maker, formula, is_negated);
    }
}

bool question_of_formula(const struct formula *formula, struct arena *arena, struct question *question)
{
    struct maker maker = {.arena = arena, .question = question};
    if (formula->kind == FORMULA_BOUND) {
        maker.failed =
            !vector_push(&question->asked, ((struct asked_property){.kind = PORTOLAN_MAXIMUM, .text = formula->text}));
        step(&maker, QUESTION_PROPERTY);
    } else {
        ask_all(&maker, formula, false);
    }
    free(maker.text.item);
    return !maker.failed;
}
