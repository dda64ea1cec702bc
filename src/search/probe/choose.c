/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe sets: which actions to explore, and what part of the trace each may
 * forget (discharge).  Kastenberg & Rensink, definition 14, with the first
 * condition as in Burgman's thesis, equation 2.10a, and the second one weakened:
 *
 *   1. an enabled action that depends on one in the set is in the set;
 *   2. one action of the set, the keeper, discharges only what is in the prime
 *      cause of every enabled action outside the set (the documents ask it of
 *      all; search.c shows where it is needed);
 *   3. each action discharges a part of its own prime cause, down-closed;
 *   4. no trace holds an action twice: the keeper is not in what it keeps of
 *      the trace, and the others discharge at least their earlier occurrence.
 *      Where that cannot be had, all enabled actions are explored and
 *      discharge their whole prime cause.
 *
 * The strategies:
 *   independent     (thesis, definition 39) one action that no other enabled one
 *                   depends on, nothing discharged; else all
 *   reversing-free  (paper, section 4.3) each action discharges what it reverses,
 *                   that is, what changed one of its entities the other way; the
 *                   keeper only as much of it as condition 2 allows
 *   reversing-free-strict   as printed: all actions meet condition 2 and discharge
 *                   all that they reverse, so traces are free of reversals
 *   all-but-one     (paper, end of section 4.3) all discharge their whole
 *                   prime cause but the keeper, which discharges nothing
 *
 * Proviso age: the set must hold an action that has been enabled and passed
 * over for longest.
 */
#include "search/probe/probe.h"

#include "base/limits.h"

#include <string.h>

static uint64_t *cause(const struct prober *p, uint32_t i)
{
    return p->cause + (size_t)i * p->trace.words;
}

static uint64_t *discharge(const struct prober *p, uint32_t i)
{
    return p->discharge + (size_t)i * p->trace.words;
}

static uint64_t *conflict(const struct prober *p, uint32_t i)
{
    return p->conflict + (size_t)i * p->conflict_words;
}

static bool in_trace(const struct prober *p, uint32_t i)
{
    return p->in_trace[p->enabled.item[i]] == p->trace.stamp;
}

/* ------------------------------------------------------------- preparations */

static bool make_room(struct prober *p)
{
    size_t enabled = p->enabled.count;
    p->conflict_words = bit_words((uint32_t)enabled);
    return limits_allow(enabled * p->conflict_words * sizeof *p->conflict) &&
           vector_grow((void **)&p->cause, &p->cause_capacity, enabled * p->trace.words, sizeof *p->cause) &&
           vector_grow((void **)&p->discharge, &p->discharge_capacity, enabled * p->trace.words,
                       sizeof *p->discharge) &&
           vector_grow((void **)&p->conflict, &p->conflict_capacity, enabled * p->conflict_words,
                       sizeof *p->conflict) &&
           vector_grow((void **)&p->member, &p->member_capacity, 2 * p->conflict_words, sizeof *p->member) &&
           vector_grow((void **)&p->age, &p->age_capacity, enabled, sizeof *p->age);
}

/* Definition 47 of the thesis: with the counts of the target, does a disable b?  Only as printed. */
static bool disables_here(const struct prober *p, uint32_t a, uint32_t b)
{
    const struct touch *x = touches_of(p, a), *y = touches_of(p, b);
    for (uint32_t i = 0; i < p->actions.item[a].count; i++)
        for (uint32_t j = 0; j < p->actions.item[b].count; j++) {
            uint32_t count = p->trace.count[x[i].entity] + (uint32_t)x[i].change;
            if (x[i].entity == y[j].entity && (count < y[j].low || count > y[j].high))
                return true;
        }
    return false;
}

static bool in_conflict(const struct prober *p, uint32_t a, uint32_t b)
{
    return p->options->printed_local ? disables_here(p, a, b) || disables_here(p, b, a) : depend(p, a, b);
}

static void find_conflicts(struct prober *p)
{
    uint32_t count = (uint32_t)p->enabled.count;
    memset(p->conflict, 0, count * p->conflict_words * sizeof *p->conflict);
    for (uint32_t i = 0; i < count && !limits_reached(); i++)
        for (uint32_t j = 0; j < i; j++)
            if (in_conflict(p, p->enabled.item[i], p->enabled.item[j])) {
                bit_set(conflict(p, i), j);
                bit_set(conflict(p, j), i);
            }
}

/* The age of each enabled action, and the greatest: of the enabled ones, or as printed of all that have one. */
static void load_ages(struct prober *p)
{
    size_t length = 0;
    const uint32_t *item = p->ages_now == NOTHING ? NULL : sequence_get(&p->ages, p->ages_now, &length);
    memset(p->age, 0, p->enabled.count * sizeof *p->age);
    p->oldest = 0;
    for (size_t i = 0; i < length; i += 2) {
        uint32_t age = item[i + 1] + p->age_printed;
        bool counts = p->age_printed;
        for (uint32_t j = 0; j < p->enabled.count; j++)
            if (p->enabled.item[j] == item[i]) {
                p->age[j] = age;
                counts = true;
            }
        if (counts && age > p->oldest)
            p->oldest = age;
    }
}

/* -------------------------------------------------------------- reversing-free */

static bool discharges_reversed(const struct prober *p)
{
    return p->options->strategy == PROBE_REVERSING_FREE || p->options->strategy == PROBE_REVERSING_FREE_STRICT;
}

static bool reverses(const struct prober *p, uint32_t a, uint32_t b)
{
    const struct touch *x = touches_of(p, a), *y = touches_of(p, b);
    for (uint32_t i = 0; i < p->actions.item[a].count; i++)
        for (uint32_t j = 0; j < p->actions.item[b].count; j++)
            if (x[i].entity == y[j].entity &&
                ((x[i].change > 0 && y[j].change < 0) || (x[i].change < 0 && y[j].change > 0)))
                return true;
    return false;
}

/* What action i reverses or repeats, and all below. */
static void find_reversed(const struct prober *p, uint32_t i)
{
    const struct trace *t = &p->trace;
    uint64_t *set = discharge(p, i);
    memset(set, 0, t->words * sizeof *set);
    for (uint32_t event = 0; event < t->events; event++) {
        if (!bit_get(cause(p, i), event) ||
            !(t->action[event] == p->enabled.item[i] || reverses(p, p->enabled.item[i], t->action[event])))
            continue;
        bit_set(set, event);
        for (size_t w = 0; w < t->words; w++)
            set[w] |= events_below(t, event)[w];
    }
}

/* Condition 2 for all actions: those without some of what action i discharges in their prime cause join. */
static void add_deprived(const struct prober *p, uint32_t i, uint64_t *set)
{
    for (uint32_t j = 0; j < p->enabled.count; j++)
        if (!set_within(discharge(p, i), cause(p, j), p->trace.words))
            bit_set(set, j);
}

/* Adds what conditions 1 and (for all actions) 2 ask for beside the actions of the set. */
static void close_set(const struct prober *p, uint64_t *set)
{
    uint32_t before = 0, size = set_size(set, p->conflict_words), i;
    while (before < size && size < p->enabled.count && !limits_reached()) {
        before = size;
        for (size_t w = 0; w < p->conflict_words; w++)
            for_bits(i, set[w], w)
            {
                for (size_t v = 0; v < p->conflict_words; v++)
                    set[v] |= conflict(p, i)[v];
                if (p->options->strategy == PROBE_REVERSING_FREE_STRICT)
                    add_deprived(p, i, set);
            }
        size = set_size(set, p->conflict_words);
    }
}

/* --------------------------------------------------------------------- choice */

struct offer {
    bool valid;
    uint32_t keeper; /* index of an enabled action; NOTHING when all discharge */
    uint64_t size, cost;
};

static uint64_t next_random(struct prober *p)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return p->random >> 33;
}

/* The member that is not in what it keeps of the trace and has the shortest prime cause. */
static uint32_t find_keeper(const struct prober *p, const uint64_t *set)
{
    uint32_t best = NOTHING, least = UINT32_MAX, i;
    for (size_t w = 0; w < p->conflict_words; w++)
        for_bits(i, set[w], w)
        {
            uint32_t size = set_size(cause(p, i), p->trace.words);
            bool repeats = in_trace(p, i) && p->options->strategy != PROBE_REVERSING_FREE_STRICT && !p->age_printed;
            if (repeats || size >= least)
                continue;
            best = i;
            least = size;
        }
    return best;
}

static bool holds_oldest(const struct prober *p, const uint64_t *set)
{
    uint32_t i;
    for (size_t w = 0; w < p->conflict_words; w++)
        for_bits(i, set[w], w) if (p->age[i] == p->oldest) return true;
    return false;
}

/* Lower is better. */
static uint64_t cost_of(struct prober *p, const uint64_t *set, uint32_t keeper)
{
    uint64_t cost = 0;
    uint32_t i;
    for (size_t w = 0; w < p->conflict_words; w++)
        for_bits(i, set[w], w)
        {
            if (p->options->choice == PROBE_LEAST_INFLUENCE)
                cost += p->actions.item[p->enabled.item[i]].count;
            else if (discharges_reversed(p))
                cost += p->trace.events - set_size(discharge(p, i), p->trace.words);
            else
                cost += i == keeper ? p->trace.events : p->trace.events - set_size(cause(p, i), p->trace.words);
        }
    return p->options->choice == PROBE_RANDOM ? next_random(p) : cost;
}

/* Judges the closure of one action as a probe set. */
static struct offer judge(struct prober *p, const uint64_t *set)
{
    struct offer offer = {.keeper = NOTHING, .size = set_size(set, p->conflict_words)};
    if (p->aging && !holds_oldest(p, set))
        return offer;
    offer.valid = true;
    if (p->options->strategy == PROBE_INDEPENDENT)
        offer.valid = offer.size == 1;
    offer.keeper = find_keeper(p, set);
    offer.valid &= offer.keeper != NOTHING;
    offer.cost = cost_of(p, set, offer.keeper);
    return offer;
}

static bool is_better(const struct prober *p, const struct offer *offer, const struct offer *best)
{
    if (!offer->valid || !best->valid)
        return offer->valid;
    if (p->options->choice == PROBE_RANDOM)
        return offer->cost < best->cost;
    return offer->size != best->size ? offer->size < best->size : offer->cost < best->cost;
}

/* Puts the best closure into the first set of p->member; NOTHING valid: all actions. */
static struct offer find_best(struct prober *p)
{
    uint64_t *best_set = p->member, *set = p->member + p->conflict_words;
    size_t bytes = p->conflict_words * sizeof *set;
    struct offer best = {0};
    bool repeats = p->options->strategy != PROBE_REVERSING_FREE_STRICT && p->options->choice != PROBE_RANDOM;
    memset(best_set, 0, bytes);
    for (uint32_t i = 0; i < p->enabled.count && !limits_reached(); i++) {
        if (repeats && bit_get(best_set, i))
            continue; /* conflicts are mutual: its closure is the best one so far */
        memset(set, 0, bytes);
        bit_set(set, i);
        close_set(p, set);
        struct offer offer = judge(p, set);
        if (!is_better(p, &offer, &best))
            continue;
        best = offer;
        memcpy(best_set, set, bytes);
    }
    return best;
}

/* -------------------------------------------------------------------- the set */

static bool choose_all(struct prober *p)
{
    for (uint32_t i = 0; i < p->enabled.count; i++)
        if (!vector_push(&p->chosen, ((struct probed){p->enabled.item[i], cause(p, i)})))
            return false;
    return true;
}

/* Condition 2 for the keeper: what it discharges is in the prime cause of all that is passed over. */
static void keep_needed(const struct prober *p, uint64_t *discharged)
{
    for (uint32_t j = 0; j < p->enabled.count; j++)
        if (!bit_get(p->member, j))
            for (size_t w = 0; w < p->trace.words; w++)
                discharged[w] &= cause(p, j)[w];
}

static bool choose_members(struct prober *p, uint32_t keeper)
{
    uint32_t i;
    for (size_t w = 0; w < p->conflict_words; w++)
        for_bits(i, p->member[w], w)
        {
            struct probed probed = {.action = p->enabled.item[i], .discharged = cause(p, i)};
            if (discharges_reversed(p))
                probed.discharged = discharge(p, i);
            if (i == keeper && p->options->strategy == PROBE_INDEPENDENT)
                memset(probed.discharged, 0, p->trace.words * sizeof *probed.discharged);
            else if (i == keeper) /* nothing to do where all meet condition 2 */
                keep_needed(p, probed.discharged);
            if (!vector_push(&p->chosen, probed))
                return false;
        }
    return true;
}

bool choose_probe_set(struct prober *p)
{
    p->chosen.count = 0;
    if (p->enabled.count == 0)
        return true;
    if (!make_room(p))
        return false;
    find_conflicts(p);
    for (uint32_t i = 0; i < p->enabled.count && !limits_reached(); i++) {
        trace_cause(p, p->enabled.item[i], cause(p, i));
        if (discharges_reversed(p))
            find_reversed(p, i);
    }
    if (p->aging)
        load_ages(p);
    struct offer best = find_best(p);
    if (limits_reached())
        return false;
    p->chosen_all = !best.valid || (best.size == p->enabled.count && p->options->strategy == PROBE_ALL_BUT_ONE);
    p->keeper = p->chosen_all ? NOTHING : p->enabled.item[best.keeper];
    return p->chosen_all ? choose_all(p) : choose_members(p, best.keeper);
}
