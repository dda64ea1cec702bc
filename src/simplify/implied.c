/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implied places: p has enough tokens whenever all other places of a transition have.  That is so when there are
 * factors y(q) >= 0 of the other places with effect of t on p >= sum of y(q) * effect of t on q for each transition t
 *     M0(p) + sum of y(q) * (need of t at q - M0(q)) >= need of t at p               for each t that needs p
 * since then p always has at least M0(p) + sum of y(q) * (M(q) - M0(q)) tokens.  The factors are found by the simplex
 * method and checked in integers.  Without p exactly the same can happen; inhibitor arcs at p rule it out.
 *
 * Source: M. Silva, E. Teruel, J. M. Colom, "Linear algebraic and linear programming techniques for the analysis of
 * place/transition net systems" (1998), structurally implicit places.
 */
#include "simplify/work.h"

#include "base/limits.h"
#include "simplify/simplex.h"

#include <inttypes.h>

enum { MOST_NODES = 600 };            /* places and transitions: one linear program for each place */
static const double most_seconds = 1; /* for all of them */

/* Adds the row of a transition: what it does, or what it needs. */
static bool add_row(const struct work *work, struct simplex_system *system, uint32_t t, uint32_t place, bool needs)
{
    const struct net_arc *arc = work_arc(work, t, place);
    uint32_t row = (uint32_t)system->bounds.count;
    int64_t bound = !arc ? 0 : needs ? (int64_t)arc->need - work->place[place].tokens : -arc_effect(arc);
    bool fine = vector_push(&system->bounds, bound);
    for_live_places(q, work)
    {
        const struct net_arc *its = q == place ? NULL : work_arc(work, t, q);
        int64_t tokens = q == place ? 0 : work->place[q].tokens;
        int64_t value = needs ? (its ? (int64_t)its->need : 0) - tokens : its ? -arc_effect(its) : 0;
        struct simplex_entry entry = {.row = row, .column = q, .value = value};
        fine = fine && (!value || vector_push(&system->entries, entry));
    }
    return fine;
}

static void note_factors(const struct work *work, uint32_t place, const int64_t *factors, int64_t scale)
{
    work_note(work, "implied %" PRIu32 " %" PRId64, place, scale);
    for_live_places(q, work) if (q != place && factors[q]) work_note(work, " %" PRIu32 "*%" PRId64, q, factors[q]);
    work_note(work, "\n");
}

static bool is_implied(const struct work *work, uint32_t place)
{
    struct simplex_system system = {.columns = work->original->places};
    int64_t scale, *factors = calloc((size_t)system.columns + 1, sizeof *factors);
    bool fine = factors != NULL;
    for_live_transitions(t, work)
    {
        const struct net_arc *arc = work_arc(work, t, place);
        fine = fine && add_row(work, &system, t, place, false) &&
               (!arc || !arc->need || add_row(work, &system, t, place, true));
    }
    fine = fine && simplex_solve(&system, factors, &scale);
    if (fine)
        note_factors(work, place, factors, scale);
    simplex_clear(&system);
    free(factors);
    return fine;
}

void remove_implied_places(struct work *work)
{
    struct portolan_limits limits;
    if (work->question->thought == 0 || work->live_places + work->live_transitions > MOST_NODES)
        return;
    limits_begin(&limits, work->question->thought < most_seconds ? work->question->thought : most_seconds, 0, NULL);
    for_live_places(p, work)
    {
        if (limits_reached())
            break;
        if (work->place[p].observed || work_is_inhibited(work, p) || !is_implied(work, p))
            continue;
        work_remove_place(work, p);
        work->fired[RULE_IMPLIED]++;
    }
    limits_end(&limits);
}
