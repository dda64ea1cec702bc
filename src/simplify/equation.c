/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state equation: a marking M that is reached from the initial one, M0, by firing each transition t x(t) times is
 * M = M0 + C x, where C has the effect of each transition on each place.  So when no x >= 0 gives a marking without
 * negative entries that has the property looked for, none is reachable with it.  Tests, read and inhibitor arcs do not
 * matter here, which makes it a condition that is necessary and not sufficient.
 *
 * The property is taken apart into inequalities a x <= b.  They have no solution when, by Farkas, some y >= 0 has
 * y a >= 0 for each transition and y b < 0; the simplex method finds y, and it is checked in integers, so that
 * "no solution" is a proof.  Where a demand can be met in several ways (a transition is disabled by one of its places),
 * each of them is looked at, as long as a solution of the others leaves the question open.
 *
 * A set of places from which no transition takes tokens without putting some into it is a trap: marked once, it stays
 * marked.  A solution that empties one that is marked initially is no reachable marking; then "the trap is marked" is
 * one more inequality.
 *
 * Source: T. Murata (1989), section IV; J. Esparza, S. Melzer, "Verification of safety properties using integer
 * programming: beyond the state equation" (2000).
 */
#include "simplify/equation.h"

#include "base/limits.h"

#include <inttypes.h>
#include <string.h>

static bool lay_out_effects(struct equation *e)
{
    const struct net *net = e->net;
    uint32_t arcs = net->arc_offset[net->transitions];
    e->first = calloc((size_t)net->places + 2, sizeof *e->first);
    e->effects = calloc((size_t)arcs + 1, sizeof *e->effects);
    if (!e->first || !e->effects)
        return false;
    for (uint32_t i = 0; i < arcs; i++)
        e->first[net->arc[i].place + 2]++;
    for (uint32_t p = 0; p < net->places; p++)
        e->first[p + 2] += e->first[p + 1];
    for (uint32_t t = 0; t < net->transitions; t++)
        for_arcs (arc, net, t) {
            e->effects[e->first[arc->place + 1]++] =
                (struct effect){.transition = t, .change = (int64_t)arc->produce - arc->consume};
        }
    return true;
}

bool equation_make(struct equation *e, const struct net *net, FILE *proof)
{
    *e = (struct equation){.net = net,
                           .proof = proof,
                           .sum = calloc((size_t)net->transitions + 1, sizeof *e->sum),
                           .firings = calloc((size_t)net->transitions + 1, sizeof *e->firings),
                           .marking = calloc((size_t)net->places + 1, sizeof *e->marking),
                           .empty = calloc((size_t)net->places + 1, sizeof *e->empty)};
    return lay_out_effects(e) && e->sum && e->firings && e->marking && e->empty;
}

void equation_clear(struct equation *e)
{
    inequalities_clear(&e->inequalities);
    inequalities_clear(&e->traps);
    free(e->empty);
    free(e->first);
    free(e->effects);
    free(e->sum);
    free(e->firings);
    free(e->marking);
}

/* ------------------------------------------------------------- linear systems */

/* As a row over transitions: a in e->sum, b returned. */
static int64_t row_of(struct equation *e, const struct inequality_term *terms, size_t count, int64_t bound)
{
    memset(e->sum, 0, e->net->transitions * sizeof *e->sum);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = terms[i].place;
        bound -= terms[i].factor * e->net->initial[p];
        for (uint32_t j = e->first[p]; j < e->first[p + 1]; j++)
            e->sum[e->effects[j].transition] += terms[i].factor * e->effects[j].change;
    }
    return bound;
}

static size_t inequality_count(const struct equation *e)
{
    return e->net->places + e->traps.item.count + e->inequalities.item.count;
}

/* Inequality `number`: first those that say that no place has a negative count, then traps, then the property. */
static int64_t inequality_row(struct equation *e, size_t number)
{
    if (number < e->net->places) {
        struct inequality_term term = {.place = (uint32_t)number, .factor = -1};
        return row_of(e, &term, 1, 0);
    }
    number -= e->net->places;
    const struct inequalities *of = number < e->traps.item.count ? &e->traps : &e->inequalities;
    const struct inequality *one = &of->item.item[of == &e->traps ? number : number - e->traps.item.count];
    return row_of(e, of->terms.item + one->first, one->count, one->bound);
}

static bool put(struct simplex_system *system, uint32_t row, uint32_t column, int64_t value)
{
    struct simplex_entry entry = {.row = row, .column = column, .value = value};
    return value == 0 || vector_push(&system->entries, entry);
}

/* -a x >= -b for each inequality. */
static bool primal(struct equation *e, struct simplex_system *system)
{
    size_t count = inequality_count(e);
    bool fine = true;
    system->columns = e->net->transitions;
    for (size_t i = 0; i < count && fine; i++) {
        int64_t bound = inequality_row(e, i);
        fine = vector_push(&system->bounds, -bound);
        for (uint32_t t = 0; t < e->net->transitions && fine; t++)
            fine = put(system, (uint32_t)i, t, -e->sum[t]);
        fine = fine && !limits_reached();
    }
    return fine;
}

/* y a >= 0 for each transition, -y b >= 1. */
static bool dual(struct equation *e, struct simplex_system *system)
{
    size_t count = inequality_count(e);
    uint32_t last = e->net->transitions;
    bool fine = true;
    system->columns = (uint32_t)count;
    for (uint32_t t = 0; t < last && fine; t++)
        fine = vector_push(&system->bounds, 0);
    fine = fine && vector_push(&system->bounds, 1);
    for (size_t i = 0; i < count && fine; i++) {
        int64_t bound = inequality_row(e, i);
        for (uint32_t t = 0; t < last && fine; t++)
            fine = put(system, t, (uint32_t)i, e->sum[t]);
        fine = fine && put(system, last, (uint32_t)i, -bound) && !limits_reached();
    }
    return fine;
}

/* The multipliers of the inequalities: of places, traps and demands. */
static void note_multipliers(const struct equation *e, const int64_t *values)
{
    size_t places = e->net->places, traps = e->traps.item.count, count = inequality_count(e);
    fputs("none", e->proof);
    for (size_t i = 0; i < count; i++)
        if (values[i])
            fprintf(e->proof, " %c%zu*%" PRId64,
                    i < places           ? 'p'
                    : i < places + traps ? 't'
                                         : 'd',
                    i < places           ? i
                    : i < places + traps ? i - places
                                         : i - places - traps,
                    values[i]);
    fputc('\n', e->proof);
}

/* What the inequalities of demands with a factor depend on. */
static uint64_t levels_used(const struct equation *e, const int64_t *values)
{
    uint64_t used = 0;
    size_t others = e->net->places + e->traps.item.count;
    for (size_t i = 0; i < e->inequalities.item.count; i++)
        used |= values[others + i] ? e->inequalities.item.item[i].levels : 0;
    return used;
}

bool equation_is_refuted(struct equation *e, bool write, uint64_t *used)
{
    struct simplex_system system = {0};
    int64_t scale, *values = NULL;
    bool fine = dual(e, &system) && (values = calloc((size_t)system.columns + 1, sizeof *values)) != NULL;
    fine = fine && simplex_solve(&system, values, &scale);
    if (fine && write)
        note_multipliers(e, values);
    *used = fine ? levels_used(e, values) : 0;
    free(values);
    simplex_clear(&system);
    return fine;
}

enum simplex_answer equation_guess(struct equation *e)
{
    struct simplex_system system = {0};
    enum simplex_answer answer = primal(e, &system) ? simplex_guess(&system, e->firings) : SIMPLEX_GAVE_UP;
    simplex_clear(&system);
    for (uint32_t p = 0; p < e->net->places && answer == SIMPLEX_SOLVED; p++) {
        e->marking[p] = e->net->initial[p];
        for (uint32_t j = e->first[p]; j < e->first[p + 1]; j++)
            e->marking[p] += (double)e->effects[j].change * e->firings[e->effects[j].transition];
    }
    return answer;
}

/* ----------------------------------------------------------------------- traps */

/* Of the empty places the largest trap: whoever takes from it without putting something into it takes places away. */
static void shrink_to_trap(struct equation *e)
{
    const struct net *net = e->net;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t t = 0; t < net->transitions; t++) {
            bool puts = false, takes = false;
            for_arcs (arc, net, t) {
                puts |= arc->produce && e->empty[arc->place];
                takes |= arc->consume && e->empty[arc->place];
            }
            if (!takes || puts)
                continue;
            again = true;
            for_arcs (arc, net, t)
                e->empty[arc->place] &= !arc->consume;
        }
    }
}

void equation_write_traps(const struct equation *e)
{
    for (size_t i = 0; i < e->traps.item.count; i++) {
        const struct inequality *trap = &e->traps.item.item[i];
        fputs("trap", e->proof);
        for (size_t j = 0; j < trap->count; j++)
            fprintf(e->proof, " %" PRIu32, e->traps.terms.item[trap->first + j].place);
        fputc('\n', e->proof);
    }
}

bool equation_add_trap(struct equation *e)
{
    struct inequality made = {.first = e->traps.terms.count, .bound = -1};
    bool marked = false, fine = true;
    for (uint32_t p = 0; p < e->net->places; p++)
        e->empty[p] = e->marking[p] < 0.001;
    shrink_to_trap(e);
    for (uint32_t p = 0; p < e->net->places && fine; p++) {
        struct inequality_term term = {.place = p, .factor = -1};
        marked |= e->empty[p] && e->net->initial[p];
        fine = !e->empty[p] || vector_push(&e->traps.terms, term);
    }
    made.count = e->traps.terms.count - made.first;
    if (!marked)
        e->traps.terms.count = made.first;
    return marked && fine && vector_push(&e->traps.item, made);
}
