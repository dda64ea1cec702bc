/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules after which the net has the same reachability graph, up to transitions side by side, on the places that are
 * left.  They preserve everything that is asked of states and of runs.
 *
 * Source: T. Murata, "Petri nets: properties, analysis and applications" (Proceedings of the IEEE 77, 1989) for
 * siphons; G. Berthelot, "Transformations and decompositions of nets" (1987) for implied places; F. Boenneland, J.
 * Dyhr, P. Jensen, M. Johannsen, J. Srba, "Stubborn versus structural reductions for Petri nets" (2019), rules C to H.
 */
#include "simplify/work.h"

#include "base/limits.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

/* ----------------------------------------- dead transitions, tests that always hold */

/* What may happen, seen from above: a place of which something may be added is as full as you like, one of which
 * something may be taken as empty as you like; all others stay as they are. */
struct outlook {
    struct work *work;
    bool *grows, *falls, *fires;
    VECTOR(uint32_t) open; /* transitions to be looked at (again) */
    uint32_t relaxed;      /* tests */
};

static bool may_hold(const struct outlook *o, const struct net_arc *arc)
{
    uint32_t tokens = o->work->place[arc->place].tokens;
    return (arc->need <= tokens || o->grows[arc->place]) &&
           (!arc->inhibit || arc->inhibit > tokens || o->falls[arc->place]);
}

static void look_again(struct outlook *o, uint32_t place, bool *mark)
{
    if (mark[place])
        return;
    mark[place] = true;
    const struct work_users *users = work_users_of(o->work, place);
    for (size_t i = 0; i < users->count; i++)
        if (!o->fires[users->item[i]])
            o->work->failed |= !vector_push(&o->open, users->item[i]);
}

static void look_at(struct outlook *o, uint32_t t)
{
    if (o->fires[t])
        return;
    for_work_arcs (arc, o->work, t)
        if (!may_hold(o, arc))
            return;
    o->fires[t] = true;
    for_work_arcs (arc, o->work, t) {
        if (arc_effect(arc) > 0)
            look_again(o, arc->place, o->grows);
        else if (arc_effect(arc) < 0)
            look_again(o, arc->place, o->falls);
    }
}

static bool outlook_make(struct outlook *o, struct work *work)
{
    *o = (struct outlook){.work = work,
                          .grows = calloc((size_t)work->original->places + 1, sizeof(bool)),
                          .falls = calloc((size_t)work->original->places + 1, sizeof(bool)),
                          .fires = calloc(work->transitions.count + 1, sizeof(bool))};
    if (!o->grows || !o->falls || !o->fires)
        return false;
    for_live_transitions(t, work) look_at(o, t);
    while (o->open.count && !work->failed) {
        look_at(o, o->open.item[--o->open.count]);
        work->failed |= limits_reached();
    }
    return !work->failed;
}

/* A test that holds wherever the net can get is none: the transition may do without it. */
static bool relax(const struct outlook *o, struct net_arc *arc)
{
    uint32_t tokens = o->work->place[arc->place].tokens;
    bool needless = !o->falls[arc->place] && arc->need && arc->need <= tokens;
    bool uninhibited = !o->grows[arc->place] && arc->inhibit > tokens;
    if (needless) {
        arc->produce -= arc->consume; /* it does not fall, so this is 0 or more */
        arc->need = arc->consume = 0;
    }
    if (uninhibited)
        arc->inhibit = 0;
    return needless || uninhibited;
}

static void relax_tests(struct outlook *o, uint32_t t)
{
    struct work_arcs *arcs = &o->work->transitions.item[t].arcs;
    size_t kept = 0;
    for (size_t i = 0; i < arcs->count; i++) {
        struct net_arc arc = arcs->item[i];
        if (relax(o, &arc))
            work_note(o->work, "%s %" PRIu32 "/%" PRIu32, o->relaxed++ ? "" : "relax", t, arc.place);
        if (arc_tests(&arc) || arc.produce)
            arcs->item[kept++] = arc;
    }
    arcs->count = kept;
}

static void remove_what_never_fires(const struct outlook *o)
{
    struct work *work = o->work;
    uint32_t before = work->fired[RULE_DEAD];
    for_live_transitions(t, work)
    {
        if (o->fires[t] || work->transitions.item[t].named)
            continue;
        work_note(work, "%s %" PRIu32, work->fired[RULE_DEAD] == before ? "dead" : "", t);
        work_remove_transition(work, t);
        work->fired[RULE_DEAD]++;
    }
    if (work->fired[RULE_DEAD] != before)
        work_note(work, "\n");
}

/*
 * A transition is dead that is not enabled even when what may grow is as full, and what may fall as empty, as can be.
 * Without inhibitor arcs and weights: one that needs a place of an initially unmarked siphon.
 */
void remove_dead_transitions(struct work *work)
{
    struct outlook o;
    bool fine = outlook_make(&o, work);
    work->failed |= !fine;
    if (fine) {
        remove_what_never_fires(&o);
        for_live_transitions(t, work) if (!work->transitions.item[t].named) relax_tests(&o, t);
        if (o.relaxed)
            work_note(work, "\n");
    }
    free(o.grows);
    free(o.falls);
    free(o.fires);
    free(o.open.item);
}

/* ------------------------------------------------------------------ places */

/* A place that no transition tests (a sink, a constant whose tests were relaxed) has no say in what happens. */
void remove_untested_places(struct work *work)
{
    for_live_places(p, work)
    {
        bool tested = work->place[p].observed, changes = false;
        const struct work_users *users = work_users_of(work, p);
        for (size_t i = 0; i < users->count && !tested; i++) {
            const struct net_arc *arc = work_arc(work, users->item[i], p);
            tested = arc_tests(arc);
            changes |= arc_effect(arc) != 0;
        }
        if (tested)
            continue;
        work_note(work, "untested %" PRIu32 "\n", p);
        work_remove_place(work, p);
        work->fired[changes ? RULE_UNTESTED : RULE_CONSTANT]++;
    }
}

/* Of the transitions that change the place the one with the fewest arcs; UINT32_MAX when none does. */
static uint32_t slimmest_changer(struct work *work, uint32_t place)
{
    const struct work_users *users = work_users_of(work, place);
    uint32_t best = UINT32_MAX;
    for (size_t i = 0; i < users->count; i++) {
        uint32_t t = users->item[i];
        if (arc_effect(work_arc(work, t, place)) != 0 &&
            (best == UINT32_MAX || work->transitions.item[t].arcs.count < work->transitions.item[best].arcs.count))
            best = t;
    }
    return best;
}

/* Whatever transition needs the place p needs enough of q, given that p always has factor * (q - tokens) + tokens. */
static bool test_is_implied(const struct work *work, const struct net_arc *p, const struct net_arc *q, uint32_t other,
                            int64_t factor)
{
    int64_t need = q ? q->need : 0;
    return !p->inhibit &&
           (!p->need || p->need <= factor * (need - work->place[other].tokens) + work->place[p->place].tokens);
}

/*
 * p is implied by q when each transition changes p by `factor` times what it changes q, and q's tests make sure that
 * p's hold.  Inhibitor arcs at p rule it out.
 */
static bool is_implied_by(struct work *work, uint32_t p, uint32_t q, int64_t factor)
{
    size_t changers_of_p = 0, changers_of_q = 0;
    const struct work_users *users = work_users_of(work, p);
    for (size_t i = 0; i < users->count; i++) {
        const struct net_arc *one = work_arc(work, users->item[i], p), *other = work_arc(work, users->item[i], q);
        if (arc_effect(one) != factor * (other ? arc_effect(other) : 0) ||
            !test_is_implied(work, one, other, q, factor))
            return false;
        changers_of_p += arc_effect(one) != 0;
    }
    users = work_users_of(work, q);
    for (size_t i = 0; i < users->count; i++)
        changers_of_q += arc_effect(work_arc(work, users->item[i], q)) != 0;
    return changers_of_p == changers_of_q;
}

static bool is_parallel_to_another(struct work *work, uint32_t p)
{
    uint32_t changer = slimmest_changer(work, p);
    if (changer == UINT32_MAX)
        return false;
    int64_t effect = arc_effect(work_arc(work, changer, p));
    for (size_t i = 0; i < work->transitions.item[changer].arcs.count; i++) {
        const struct net_arc *other = &work->transitions.item[changer].arcs.item[i];
        int64_t its_effect = arc_effect(other);
        if (other->place != p && its_effect && effect % its_effect == 0 && effect / its_effect > 0 &&
            is_implied_by(work, p, other->place, effect / its_effect)) {
            work_note(work, "implied %" PRIu32 " 1 %" PRIu32 "*%" PRId64 "\n", p, other->place, effect / its_effect);
            return true;
        }
    }
    return false;
}

void remove_parallel_places(struct work *work)
{
    for_live_places(p, work)
    {
        work->failed |= limits_reached();
        if (work->failed)
            return;
        if (work->place[p].observed || !is_parallel_to_another(work, p))
            continue;
        work_remove_place(work, p);
        work->fired[RULE_PARALLEL]++;
    }
}

/* --------------------------------------------------------------- transitions */

struct likeness { /* equal for transitions with the same effect */
    uint64_t effect, size;
    uint32_t transition;
};

static int by_likeness(const void *left, const void *right)
{
    const struct likeness *a = left, *b = right;
    if (a->effect != b->effect)
        return a->effect < b->effect ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->transition < b->transition ? -1 : a->transition > b->transition;
}

static struct likeness likeness_of(const struct work *work, uint32_t t)
{
    struct likeness likeness = {.transition = t, .size = work->transitions.item[t].arcs.count};
    for_work_arcs (arc, work, t) {
        const int64_t change[] = {arc->place, arc_effect(arc)};
        if (change[1])
            likeness.effect += XXH3_64bits(change, sizeof change);
    }
    return likeness;
}

static bool same_effect(const struct work *work, uint32_t one, uint32_t other)
{
    for (int turn = 0; turn < 2; turn++) {
        for_work_arcs (arc, work, turn ? other : one) {
            const struct net_arc *its = work_arc(work, turn ? one : other, arc->place);
            if (arc_effect(arc) != (its ? arc_effect(its) : 0))
                return false;
        }
    }
    return true;
}

/* Is `easy` enabled wherever `hard` is, by their arcs alone? */
static bool is_enabled_with(const struct work *work, uint32_t easy, uint32_t hard)
{
    for_work_arcs (arc, work, easy) {
        const struct net_arc *its = work_arc(work, hard, arc->place);
        if (arc->need > (its ? its->need : 0) ||
            (arc->inhibit && (!its || !its->inhibit || its->inhibit > arc->inhibit)))
            return false;
    }
    return true;
}

/*
 * A transition may go when another one with the same effect is enabled wherever it is: two equal ones among them.
 */
enum { NEIGHBOURS = 64 }; /* that a transition is compared with: many have no effect at all */

/* May the transition go because of another one with the same effect? */
static bool is_dominated_by(const struct work *work, uint32_t hard, uint32_t easy)
{
    return !work->transitions.item[hard].named && is_enabled_with(work, easy, hard) && same_effect(work, easy, hard);
}

static void compare_neighbours(struct work *work, const struct likeness *all, size_t count, size_t first)
{
    uint32_t one = all[first].transition;
    for (size_t i = first + 1; i < count && i <= first + NEIGHBOURS && all[i].effect == all[first].effect; i++) {
        uint32_t other = all[i].transition;
        bool other_goes = is_dominated_by(work, other, one);
        if (work->transitions.item[other].gone || (!other_goes && !is_dominated_by(work, one, other)))
            continue;
        work_note(work, "dominated %" PRIu32 " %" PRIu32 "\n", other_goes ? other : one, other_goes ? one : other);
        work_remove_transition(work, other_goes ? other : one);
        work->fired[RULE_DOMINATED]++;
        if (!other_goes)
            return;
    }
}

void remove_dominated_transitions(struct work *work)
{
    struct likeness *all = calloc((size_t)work->live_transitions + 1, sizeof *all);
    size_t count = 0;
    work->failed |= !all;
    if (!all)
        return;
    for_live_transitions(t, work) all[count++] = likeness_of(work, t);
    qsort(all, count, sizeof *all, by_likeness);
    for (size_t i = 0; i < count && !work->failed; i++) {
        if (!work->transitions.item[all[i].transition].gone)
            compare_neighbours(work, all, count, i);
        work->failed |= limits_reached();
    }
    free(all);
}

/* Another transition, among those that test one of its places, with tests that hold wherever its own do; UINT32_MAX
 * when there is none. */
static uint32_t find_cover(struct work *work, uint32_t t)
{
    for_work_arcs (arc, work, t) {
        const struct work_users *users = work_users_of(work, arc->place);
        for (size_t i = 0; i < users->count && i < NEIGHBOURS; i++)
            if (users->item[i] != t && is_enabled_with(work, users->item[i], t))
                return users->item[i];
    }
    return UINT32_MAX;
}

/*
 * A transition that changes nothing: what is reachable does not need it.  It keeps markings from being dead, so for
 * deadlocks it may go only where another one is enabled whenever it is.
 */
void remove_idle_transitions(struct work *work)
{
    if (work->question->exact)
        return;
    for_live_transitions(t, work)
    {
        bool idle = !work->transitions.item[t].named;
        for_work_arcs (arc, work, t)
            idle &= arc_effect(arc) == 0;
        uint32_t cover = idle && work->question->deadlocks ? find_cover(work, t) : UINT32_MAX;
        if (!idle || (work->question->deadlocks && cover == UINT32_MAX))
            continue;
        if (work->question->deadlocks)
            work_note(work, "idle %" PRIu32 " %" PRIu32 "\n", t, cover);
        else
            work_note(work, "idle %" PRIu32 "\n", t);
        work_remove_transition(work, t);
        work->fired[RULE_IDLE]++;
    }
}
