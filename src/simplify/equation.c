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
#include "simplify/decide.h"

#include "base/limits.h"
#include "property/state_expression.h"
#include "simplify/demands.h"
#include "simplify/simplex.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_SYSTEMS = 2000, MOST_ARCS = 60000 };

struct effect {
    uint32_t transition;
    int64_t change;
};

struct equation {
    const struct net *net;
    uint32_t *first; /* of each place, places + 1 entries */
    struct effect *effects;
    struct inequalities inequalities; /* of the property */
    struct inequalities traps;        /* that hold in every reachable marking */
    bool *empty;                      /* scratch, per place */
    int64_t *sum;                     /* scratch, per transition */
    double *firings;                  /* a solution, per transition */
    double *marking;                  /* and what it leads to, per place */
    uint32_t systems;                 /* looked at so far */
    FILE *proof;                      /* NULL: nobody wants it */
};

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
        for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
            const struct net_arc *arc = &net->arc[i];
            e->effects[e->first[arc->place + 1]++] =
                (struct effect){.transition = t, .change = (int64_t)arc->produce - arc->consume};
        }
    return true;
}

static bool equation_make(struct equation *e, const struct net *net, FILE *proof)
{
    *e = (struct equation){.net = net,
                           .proof = proof,
                           .sum = calloc((size_t)net->transitions + 1, sizeof *e->sum),
                           .firings = calloc((size_t)net->transitions + 1, sizeof *e->firings),
                           .marking = calloc((size_t)net->places + 1, sizeof *e->marking),
                           .empty = calloc((size_t)net->places + 1, sizeof *e->empty)};
    return lay_out_effects(e) && e->sum && e->firings && e->marking && e->empty;
}

static void equation_clear(struct equation *e)
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

/* Is there a proof that the inequalities have no solution? */
static bool is_refuted(struct equation *e)
{
    struct simplex_system system = {0};
    int64_t scale, *values = NULL;
    bool fine = dual(e, &system) && (values = calloc((size_t)system.columns + 1, sizeof *values)) != NULL;
    fine = fine && simplex_solve(&system, values, &scale);
    if (fine && e->proof)
        note_multipliers(e, values);
    free(values);
    simplex_clear(&system);
    return fine;
}

/* A solution of the inequalities, for what it is worth, and the marking that it leads to. */
static enum simplex_answer guess_marking(struct equation *e)
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
            for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
                puts |= net->arc[i].produce && e->empty[net->arc[i].place];
                takes |= net->arc[i].consume && e->empty[net->arc[i].place];
            }
            if (!takes || puts)
                continue;
            again = true;
            for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++)
                e->empty[net->arc[i].place] &= !net->arc[i].consume;
        }
    }
}

static void note_trap(const struct equation *e)
{
    fputs("trap", e->proof);
    for (uint32_t p = 0; p < e->net->places; p++)
        if (e->empty[p])
            fprintf(e->proof, " %" PRIu32, p);
    fputc('\n', e->proof);
}

/* Has the guess emptied a trap that is marked initially?  Then there is a new inequality. */
static bool add_trap(struct equation *e)
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
    if (marked && fine && e->proof)
        note_trap(e);
    return marked && fine && vector_push(&e->traps.item, made);
}

/* ------------------------------------------------------------------- branching */

static bool is_excluded(struct equation *e, struct demands *open);

/* Turns what can be said in inequalities into them; what is left are demands with several ways. */
static enum demand_outcome settle(struct equation *e, struct demands *open)
{
    size_t kept = 0;
    for (size_t i = 0; i < open->count; i++) {
        enum demand_outcome outcome = demand_reduce(e->net, open->item[i], &e->inequalities, open);
        if (outcome == DEMAND_IMPOSSIBLE || outcome == DEMAND_UNKNOWN)
            return outcome;
        if (outcome == DEMAND_OPEN)
            open->item[kept++] = open->item[i];
    }
    open->count = kept;
    return DEMAND_MET;
}

/* Does the marking that was guessed leave the transition disabled? */
static bool is_disabled(const struct equation *e, uint32_t t)
{
    for (uint32_t i = e->net->arc_offset[t]; i < e->net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &e->net->arc[i];
        double tokens = e->marking[arc->place];
        if ((arc->need && tokens < arc->need - 0.999) || (arc->inhibit && tokens > arc->inhibit - 0.001))
            return true;
    }
    return false;
}

/* An open demand that the guess does not meet, as far as that is looked at: the one with the fewest arcs. */
static size_t choose(const struct equation *e, const struct demands *open)
{
    size_t best = open->count;
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < open->count; i++) {
        const struct demand *demand = &open->item[i];
        uint32_t t = demand->number;
        uint32_t arcs = demand->kind == DEMAND_ENABLED ? e->net->arc_offset[t + 1] - e->net->arc_offset[t] : 2;
        if (arcs < fewest && (demand->kind != DEMAND_ENABLED || !is_disabled(e, t))) {
            best = i;
            fewest = arcs;
        }
    }
    return best;
}

/* One way to meet the demand that was chosen, with all that is open beside it. */
static bool way_is_excluded(struct equation *e, const struct demands *open, size_t chosen, const struct demand *way,
                            uint32_t size)
{
    struct demands next = {0};
    size_t terms = e->inequalities.terms.count, inequalities = e->inequalities.item.count;
    bool fine = true;
    for (size_t i = 0; i < open->count && fine; i++)
        fine = i == chosen || vector_push(&next, open->item[i]);
    for (uint32_t i = 0; i < size && fine; i++)
        fine = vector_push(&next, way[i]);
    bool excluded = fine && is_excluded(e, &next);
    e->inequalities.terms.count = terms;
    e->inequalities.item.count = inequalities;
    free(next.item);
    return excluded;
}

static bool every_way_is_excluded(struct equation *e, const struct demands *open, size_t chosen)
{
    struct demand_ways ways = {0};
    bool excluded = demand_ways(e->net, open->item[chosen], &ways);
    size_t next = 0;
    for (size_t i = 0; excluded && i < ways.sizes.count; next += ways.sizes.item[i++])
        excluded = way_is_excluded(e, open, chosen, ways.demands.item + next, ways.sizes.item[i]);
    demand_ways_clear(&ways);
    return excluded;
}

/* Can no solution of the state equation meet the demands? */
static bool is_excluded(struct equation *e, struct demands *open)
{
    if (++e->systems > MOST_SYSTEMS || limits_reached())
        return false;
    enum demand_outcome outcome = settle(e, open);
    if (outcome == DEMAND_IMPOSSIBLE && e->proof)
        fputs("impossible\n", e->proof);
    if (outcome != DEMAND_MET)
        return outcome == DEMAND_IMPOSSIBLE;
    enum simplex_answer answer = guess_marking(e);
    while (answer == SIMPLEX_SOLVED && ++e->systems <= MOST_SYSTEMS && add_trap(e))
        answer = guess_marking(e);
    if (answer != SIMPLEX_SOLVED)
        return answer == SIMPLEX_NONE && is_refuted(e);
    size_t chosen = choose(e, open);
    if (e->proof)
        fprintf(e->proof, "split %zu\n", chosen);
    return chosen < open->count && every_way_is_excluded(e, open, chosen);
}

/* ------------------------------------------------------------------- questions */

/* A marking in which an expression has no value decides the property, too, and inequalities know nothing of that. */
static bool always_has_value(const struct expression *expression)
{
    enum { SMALL = 1 << 20, MANY_NODES = 1 << 14 };
    bool always = expression->nodes.count < MANY_NODES;
    for (size_t i = 0; i < expression->nodes.count && always; i++) {
        const struct node *node = expression->nodes.item[i];
        if (node->kind == NODE_NUMBER)
            always = node->value < SMALL && node->value > -SMALL;
        else if (node->kind == NODE_BINARY && node->operation == OPERATION_MULTIPLY)
            always = (node->a->kind == NODE_NUMBER && node->b->kind == NODE_VARIABLE) ||
                     (node->a->kind == NODE_VARIABLE && node->b->kind == NODE_NUMBER);
        else if (node->kind == NODE_BINARY)
            always = node->operation == OPERATION_ADD || node->operation == OPERATION_SUBTRACT ||
                     node->operation >= OPERATION_EQUAL;
    }
    return always;
}

static bool add_demands(const struct net *net, const struct portolan_property *property, struct demands *open)
{
    bool fine = true;
    if (property->expression && !always_has_value(property->expression))
        return false;
    if (property->kind != PORTOLAN_NO_DEADLOCK) {
        struct demand truth = {
            .kind = DEMAND_TRUTH, .node = property->expression->tree, .wanted = property->kind == PORTOLAN_REACH};
        return vector_push(open, truth);
    }
    for (uint32_t t = 0; t < net->transitions && fine; t++) {
        struct demand disabled = {.kind = DEMAND_ENABLED, .number = t};
        fine = vector_push(open, disabled);
    }
    return fine;
}

bool state_equation_excludes(const struct net *net, const struct portolan_property *property, FILE *proof)
{
    struct equation e;
    struct demands open = {0};
    if (proof)
        fputs("equation\n", proof);
    if (net->transitions == 0 || net->places == 0 || net->arc_offset[net->transitions] > MOST_ARCS)
        return false;
    bool excluded = equation_make(&e, net, proof) && add_demands(net, property, &open) && is_excluded(&e, &open);
    free(open.item);
    equation_clear(&e);
    return excluded;
}
