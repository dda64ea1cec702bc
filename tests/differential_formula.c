/* SPDX-License-Identifier: Apache-2.0 */
#include "differential_formula.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const operators[] = {"=", "!=", "<", ">=", ">", "<="};

/* ------------------------------------------------------------------- drawing */

static void draw_atom(struct atom *atom, struct random *random, uint32_t places, uint32_t transitions)
{
    memset(atom, 0, sizeof *atom);
    atom->negated = random_chance(random, 25);
    atom->transition = random_below(random, transitions ? transitions : 1);
    atom->kind = transitions && (!places || random_chance(random, 30)) ? ATOM_FIREABLE : ATOM_COMPARES;
    atom->places = !places ? 0 : random_chance(random, 60) ? 1 : 2 + random_below(random, ATOM_PLACES - 1);
    for (uint32_t i = 0; i < atom->places; i++)
        atom->place[i] = random_below(random, places);
    atom->comparison = random_below(random, sizeof operators / sizeof *operators);
    atom->constant = random_below(random, 3 + atom->places);
}

void formula_random(struct formula *formula, struct random *random, uint32_t places, uint32_t transitions)
{
    memset(formula, 0, sizeof *formula);
    formula->kind = random_chance(random, 50) ? PORTOLAN_INVARIANT : PORTOLAN_REACH;
    if (random_chance(random, 30))
        formula->frame = FRAME_IN_DEADLOCKS + random_below(random, 4);
    formula->disjunction = random_chance(random, 50);
    formula->atoms = random_chance(random, 50) ? 1 : 2 + random_below(random, FORMULA_ATOMS - 1);
    for (uint32_t i = 0; i < formula->atoms; i++)
        draw_atom(&formula->atom[i], random, places, transitions);
}

/* --------------------------------------------------------------------- text */

struct writer {
    char *text;
    size_t size, used;
};

static void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = w->used < w->size ? vsnprintf(w->text + w->used, w->size - w->used, format, arguments) : 0;
    va_end(arguments);
    w->used += written > 0 ? (size_t)written : 0;
}

static void put_atom(struct writer *w, const struct atom *atom, const struct net *net)
{
    put(w, "%s(", atom->negated ? "!" : "");
    if (atom->kind == ATOM_FIREABLE) {
        put(w, "fireable(\"%s\")", net->transition_id[atom->transition]);
    } else {
        for (uint32_t i = 0; i < atom->places; i++)
            put(w, "%s\"%s\"", i ? " + " : "", net->place_id[atom->place[i]]);
        put(w, "%s %s %u", atom->places ? "" : "0", operators[atom->comparison], atom->constant);
    }
    put(w, ")");
}

void formula_text(const struct formula *formula, const struct net *net, char *text, size_t size)
{
    static const char *const opening[] = {[FRAME_NONE] = "(",
                                          [FRAME_IN_DEADLOCKS] = "deadlock -> (",
                                          [FRAME_AND_DEADLOCK] = "deadlock && (",
                                          [FRAME_OR_DEADLOCK] = "deadlock || (",
                                          [FRAME_AND_LIVE] = "!deadlock && ("};
    struct writer w = {.text = text, .size = size};
    text[0] = '\0';
    if (formula->kind == PORTOLAN_NO_DEADLOCK)
        return;
    put(&w, "%s", opening[formula->frame]);
    for (uint32_t i = 0; i < formula->atoms; i++) {
        put(&w, "%s", !i ? "" : formula->disjunction ? " || " : " && ");
        put_atom(&w, &formula->atom[i], net);
    }
    put(&w, ")");
}

/* --------------------------------------------------------------------- value */

static bool compare(uint64_t left, uint32_t comparison, uint64_t right)
{
    switch (comparison) {
    case 0: return left == right;
    case 1: return left != right;
    case 2: return left < right;
    case 3: return left >= right;
    case 4: return left > right;
    default: return left <= right;
    }
}

static bool atom_value(const struct atom *atom, const struct naive *naive, uint32_t state)
{
    if (atom->kind == ATOM_FIREABLE)
        return (naive_step(naive, state, atom->transition) != NAIVE_NONE) != atom->negated;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < atom->places; i++)
        sum += naive_marking(naive, state)[atom->place[i]];
    return compare(sum, atom->comparison, atom->constant) != atom->negated;
}

static bool formula_value(const struct formula *formula, const struct naive *naive, uint32_t state)
{
    bool inner = !formula->disjunction, deadlock = naive_enabled(naive, state) == 0;
    for (uint32_t i = 0; i < formula->atoms; i++) {
        bool value = atom_value(&formula->atom[i], naive, state);
        inner = formula->disjunction ? inner || value : inner && value;
    }
    switch (formula->frame) {
    case FRAME_IN_DEADLOCKS: return !deadlock || inner;
    case FRAME_AND_DEADLOCK: return deadlock && inner;
    case FRAME_OR_DEADLOCK: return deadlock || inner;
    case FRAME_AND_LIVE: return !deadlock && inner;
    case FRAME_NONE: break;
    }
    return inner;
}

bool formula_is_decided_by(const struct formula *formula, const struct naive *naive, uint32_t state)
{
    if (formula->kind == PORTOLAN_NO_DEADLOCK)
        return naive_enabled(naive, state) == 0;
    return formula_value(formula, naive, state) == (formula->kind == PORTOLAN_REACH);
}
