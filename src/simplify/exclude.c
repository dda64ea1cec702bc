/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the state equation exclude every marking that decides a property?  The property is taken apart into inequalities
 * and demands that can be met in several ways (a transition is disabled by one of its places).  As long as a solution
 * of the inequalities leaves a demand open, each way to meet it is looked at.
 *
 * A way that is refuted without what it added refutes all that is open as it was before: then the other ways need not
 * be looked at, and the demand was of no importance.  So each demand and each inequality knows the splits that it
 * depends on.  The tree that is left is written as the proof.
 *
 * Source: P. Prosser, "Hybrid algorithms for the constraint satisfaction problem" (1993), conflict-directed
 * backjumping.
 */
#include "simplify/decide.h"

#include "base/limits.h"
#include "property/state_expression.h"
#include "simplify/equation.h"

#include <string.h>

enum { MOST_SYSTEMS = 2000, MOST_ARCS = 60000 };

/* What has been refuted: by the inequalities alone, or each way to meet a demand. */
struct refutation {
    struct demand demand;
    struct refutation *ways; /* NULL: a leaf */
    size_t count;
    uint64_t levels; /* the splits that it depends on, a bit each */
};

static void refutation_clear(struct refutation *refutation)
{
    for (size_t i = 0; i < refutation->count; i++)
        refutation_clear(&refutation->ways[i]);
    free(refutation->ways);
    *refutation = (struct refutation){0};
}

/* The last bit stands for all levels from there on: what has it is never thought to be independent of one of them. */
enum { LAST_LEVEL = 63 };

static uint64_t level_bit(uint32_t depth)
{
    return UINT64_C(1) << (depth < LAST_LEVEL ? depth : LAST_LEVEL);
}

/* Turns what can be said in inequalities into them; what is left are demands with several ways. */
static enum demand_outcome settle(struct equation *e, struct demands *open)
{
    size_t kept = 0;
    for (size_t i = 0; i < open->count; i++) {
        size_t others = open->count, inequalities = e->inequalities.item.count;
        uint64_t levels = open->item[i].levels;
        enum demand_outcome outcome = demand_reduce(e->net, open->item[i], &e->inequalities, open);
        if (outcome == DEMAND_IMPOSSIBLE || outcome == DEMAND_UNKNOWN)
            return outcome;
        for (size_t j = others; j < open->count; j++)
            open->item[j].levels = levels;
        for (size_t j = inequalities; j < e->inequalities.item.count; j++)
            e->inequalities.item.item[j].levels = levels;
        if (outcome == DEMAND_OPEN)
            open->item[kept++] = open->item[i];
    }
    open->count = kept;
    return DEMAND_MET;
}

/* Does the marking that was guessed leave the transition disabled? */
static bool is_disabled(const struct equation *e, uint32_t t)
{
    for_arcs (arc, e->net, t) {
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

/* All that is open but the demand that is split, and one way to meet that. */
static bool open_with_way(const struct demands *open, size_t chosen, const struct demand *way, uint32_t size,
                          struct demands *next)
{
    bool fine = true;
    for (size_t i = 0; i < open->count && fine; i++)
        fine = i == chosen || vector_push(next, open->item[i]);
    for (uint32_t i = 0; i < size && fine; i++)
        fine = vector_push(next, way[i]);
    return fine;
}

/* ------------------------------------------------------------------- searching */

static bool refute(struct equation *e, struct demands *open, uint32_t depth, struct refutation *out);

static bool refute_way(struct equation *e, struct demands *next, uint32_t depth, struct refutation *out)
{
    size_t terms = e->inequalities.terms.count, inequalities = e->inequalities.item.count;
    bool refuted = refute(e, next, depth, out);
    e->inequalities.terms.count = terms;
    e->inequalities.item.count = inequalities;
    return refuted;
}

/* The way was refuted without its split: that refutes everything here. */
static void take_instead(struct refutation *out, struct refutation way)
{
    refutation_clear(out);
    *out = way;
}

static bool refute_ways(struct equation *e, const struct demands *open, size_t chosen, uint32_t depth,
                        const struct demand_ways *ways, struct refutation *out)
{
    const struct demand *first = ways->demands.item;
    out->levels = open->item[chosen].levels;
    for (size_t i = 0; i < ways->sizes.count; first += ways->sizes.item[i++]) {
        struct refutation way = {0};
        struct demands next = {0};
        bool refuted =
            open_with_way(open, chosen, first, ways->sizes.item[i], &next) && refute_way(e, &next, depth + 1, &way);
        free(next.item);
        if (!refuted || !(way.levels & level_bit(depth))) {
            take_instead(out, way);
            return refuted;
        }
        out->ways[out->count++] = way;
        out->levels |= depth < LAST_LEVEL ? way.levels & ~level_bit(depth) : way.levels;
    }
    return true;
}

static bool refute_demand(struct equation *e, const struct demands *open, size_t chosen, uint32_t depth,
                          struct refutation *out)
{
    struct demand_ways ways = {0};
    out->demand = open->item[chosen];
    bool fine = demand_ways(e->net, open->item[chosen], &ways) &&
                (out->ways = calloc(ways.sizes.count + 1, sizeof *out->ways)) != NULL;
    for (size_t i = 0; fine && i < ways.demands.count; i++)
        ways.demands.item[i].levels = open->item[chosen].levels | level_bit(depth);
    fine = fine && refute_ways(e, open, chosen, depth, &ways, out);
    demand_ways_clear(&ways);
    return fine;
}

/* Can no solution of the state equation meet the demands?  `out` is to be cleared in any case. */
static bool refute(struct equation *e, struct demands *open, uint32_t depth, struct refutation *out)
{
    if (++e->systems > MOST_SYSTEMS || limits_reached())
        return false;
    enum demand_outcome outcome = settle(e, open);
    out->levels = UINT64_MAX; /* what is impossible may depend on everything */
    if (outcome != DEMAND_MET)
        return outcome == DEMAND_IMPOSSIBLE;
    enum simplex_answer answer = equation_guess(e);
    while (answer == SIMPLEX_SOLVED && ++e->systems <= MOST_SYSTEMS && equation_add_trap(e))
        answer = equation_guess(e);
    if (answer != SIMPLEX_SOLVED)
        return answer == SIMPLEX_NONE && equation_is_refuted(e, false, &out->levels);
    size_t chosen = choose(e, open);
    return chosen < open->count && refute_demand(e, open, chosen, depth, out);
}

/* --------------------------------------------------------------------- writing */

static bool write_refutation(struct equation *e, struct demands *open, const struct refutation *refutation);

static bool write_way(struct equation *e, struct demands *next, const struct refutation *refutation)
{
    size_t terms = e->inequalities.terms.count, inequalities = e->inequalities.item.count;
    bool fine = write_refutation(e, next, refutation);
    e->inequalities.terms.count = terms;
    e->inequalities.item.count = inequalities;
    return fine;
}

static bool same_demand(const struct demand *one, const struct demand *other)
{
    return one->kind == other->kind && one->wanted == other->wanted && one->node == other->node &&
           one->number == other->number && one->bound == other->bound;
}

static bool write_split(struct equation *e, const struct demands *open, const struct refutation *refutation)
{
    struct demand_ways ways = {0};
    size_t chosen = 0;
    while (chosen < open->count && !same_demand(&open->item[chosen], &refutation->demand))
        chosen++;
    bool fine = chosen < open->count && demand_ways(e->net, open->item[chosen], &ways);
    fprintf(e->proof, "split %zu\n", chosen);
    const struct demand *first = ways.demands.item;
    for (size_t i = 0; fine && i < ways.sizes.count; first += ways.sizes.item[i++]) {
        struct demands next = {0};
        fine =
            open_with_way(open, chosen, first, ways.sizes.item[i], &next) && write_way(e, &next, &refutation->ways[i]);
        free(next.item);
    }
    demand_ways_clear(&ways);
    return fine;
}

/* The tree again, with the numbers that its demands and inequalities have now that some splits are gone. */
static bool write_refutation(struct equation *e, struct demands *open, const struct refutation *refutation)
{
    uint64_t levels;
    enum demand_outcome outcome = settle(e, open);
    if (outcome == DEMAND_IMPOSSIBLE)
        return fputs("impossible\n", e->proof) >= 0;
    if (outcome != DEMAND_MET || limits_reached())
        return false;
    return refutation->ways ? write_split(e, open, refutation) : equation_is_refuted(e, true, &levels);
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

/* Writes the proof, if one is wanted. */
static bool write_proof(struct equation *e, const struct portolan_property *property,
                        const struct refutation *refutation)
{
    struct demands open = {0};
    if (!e->proof)
        return true;
    e->inequalities.terms.count = e->inequalities.item.count = 0;
    fputs("equation\n", e->proof);
    equation_write_traps(e);
    bool fine = add_demands(e->net, property, &open) && write_refutation(e, &open, refutation);
    free(open.item);
    return fine;
}

bool state_equation_excludes(const struct net *net, const struct portolan_property *property, FILE *proof)
{
    struct equation e;
    struct demands open = {0};
    struct refutation refutation = {0};
    if (net->transitions == 0 || net->places == 0 || net->arc_offset[net->transitions] > MOST_ARCS)
        return false;
    bool excluded = equation_make(&e, net, proof) && add_demands(net, property, &open) &&
                    refute(&e, &open, 0, &refutation) && write_proof(&e, property, &refutation);
    refutation_clear(&refutation);
    free(open.item);
    equation_clear(&e);
    return excluded;
}
