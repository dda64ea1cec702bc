/* SPDX-License-Identifier: Apache-2.0 */
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

struct shrinker {
    struct sample *sample;
    struct sample attempt;
    sample_fails *fails;
    void *user;
    bool progress;
};

/* Sets the attempt to the present sample. */
static void restart(struct shrinker *s)
{
    s->attempt.draft = s->sample->draft;
    s->attempt.formula_count = s->sample->formula_count;
    memcpy(s->attempt.formulas, s->sample->formulas, s->sample->formula_count * sizeof *s->sample->formulas);
}

/* Keeps the attempt when it fails too, then begins the next one. */
static bool keep(struct shrinker *s)
{
    bool kept = s->fails(s->user, &s->attempt);
    if (kept) {
        struct formula *formulas = s->sample->formulas;
        memcpy(formulas, s->attempt.formulas, s->attempt.formula_count * sizeof *formulas);
        s->sample->draft = s->attempt.draft;
        s->sample->formula_count = s->attempt.formula_count;
        s->progress = true;
    }
    restart(s);
    return kept;
}

/* ------------------------------------------------------- what formulas mention */

static bool mentions_place(const struct atom *atom, uint32_t place)
{
    for (uint32_t i = 0; atom->kind == ATOM_COMPARES && i < atom->places; i++)
        if (atom->place[i] == place)
            return true;
    return false;
}

static bool is_mentioned(const struct sample *sample, uint32_t number, bool place)
{
    for (uint32_t f = 0; f < sample->formula_count; f++)
        for (uint32_t a = 0; a < sample->formulas[f].atoms; a++) {
            const struct atom *atom = &sample->formulas[f].atom[a];
            if (place ? mentions_place(atom, number) : atom->kind == ATOM_FIREABLE && atom->transition == number)
                return true;
        }
    return false;
}

/* A place or transition has gone: those behind it move up. */
static void renumber(struct sample *sample, uint32_t gone, bool place)
{
    for (uint32_t f = 0; f < sample->formula_count; f++)
        for (uint32_t a = 0; a < sample->formulas[f].atoms; a++) {
            struct atom *atom = &sample->formulas[f].atom[a];
            for (uint32_t i = 0; place && i < atom->places; i++)
                atom->place[i] -= atom->place[i] > gone;
            if (!place)
                atom->transition -= atom->transition > gone;
        }
}

/* -------------------------------------------------------------------- the steps */

static void drop_formulas(struct shrinker *s)
{
    for (uint32_t f = s->sample->formula_count; f-- > 1;) {
        struct formula *formulas = s->attempt.formulas;
        s->attempt.formula_count--;
        memmove(formulas + f, formulas + f + 1, (s->attempt.formula_count - f) * sizeof *formulas);
        if (keep(s))
            continue;
        for (uint32_t a = s->sample->formulas[f].atoms; a-- > 0 && s->sample->formulas[f].atoms > 1;) {
            struct formula *formula = &s->attempt.formulas[f];
            formula->atom[a] = formula->atom[--formula->atoms];
            keep(s);
        }
    }
}

static void drop_nodes(struct shrinker *s)
{
    for (uint32_t t = s->sample->draft.transitions; t-- > 0;) {
        if (is_mentioned(s->sample, t, false))
            continue;
        draft_drop_transition(&s->attempt.draft, t);
        renumber(&s->attempt, t, false);
        keep(s);
    }
    for (uint32_t p = s->sample->draft.places; p-- > 0;) {
        if (is_mentioned(s->sample, p, true))
            continue;
        draft_drop_place(&s->attempt.draft, p);
        renumber(&s->attempt, p, true);
        keep(s);
    }
    for (uint32_t u = s->sample->draft.units; u-- > 0;) {
        draft_drop_unit(&s->attempt.draft, u);
        keep(s);
    }
}

/* Sets a number of the attempt to 0, or else lowers it by one; where is its place in the draft. */
static void lower(struct shrinker *s, size_t where)
{
    uint8_t *number = (uint8_t *)&s->attempt.draft + where;
    if (!*number)
        return;
    uint8_t before = *number;
    *number = 0;
    if (keep(s) || before == 1)
        return;
    *number = before - 1;
    keep(s);
}

static size_t place_of(const struct shrinker *s, const uint8_t *number)
{
    return (size_t)(number - (const uint8_t *)&s->attempt.draft);
}

static void lower_numbers(struct shrinker *s)
{
    for (uint32_t p = 0; p < s->sample->draft.places; p++) {
        lower(s, place_of(s, &s->attempt.draft.tokens[p]));
        for (uint32_t t = 0; t < s->sample->draft.transitions; t++) {
            const struct draft_arc *arc = &s->attempt.draft.arc[t][p];
            lower(s, place_of(s, &arc->consume));
            lower(s, place_of(s, &arc->produce));
            lower(s, place_of(s, &arc->read));
            lower(s, place_of(s, &arc->inhibit));
        }
    }
}

void shrink(struct sample *sample, sample_fails *fails, void *user)
{
    struct shrinker s = {.sample = sample, .fails = fails, .user = user};
    s.attempt.formulas = calloc((size_t)sample->formula_count + 1, sizeof *s.attempt.formulas);
    if (!s.attempt.formulas)
        return;
    restart(&s);
    do {
        s.progress = false;
        drop_formulas(&s);
        drop_nodes(&s);
        lower_numbers(&s);
    } while (s.progress);
    free(s.attempt.formulas);
}
