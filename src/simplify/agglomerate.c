/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agglomerations: a place p between transitions that only put tokens into it (the producers H) and transitions that
 * only take tokens from it (the consumers F) goes, and each h with each f becomes one transition, h then f.
 *
 * Post: f needs nothing but p, so it may fire at once after h.  What f puts is then there earlier, which does no harm
 * where nothing of it is observed or inhibited.  With several consumers h puts what one f takes; with one consumer h
 * may put several times that, and initial tokens are taken away at first.
 *
 * Pre: h puts nothing but what one f takes, so it may wait until f can follow at once.  What h takes is then there
 * longer, which does no harm where nothing of it is observed or inhibited; nobody else takes it or looks at it, so that
 * a token in p, once there, has not changed what else can happen.  p has no tokens initially.
 *
 * Free: as pre, but others may take what h takes.  A token that h has put into p and that no f takes may have been
 * missed by somebody, so deadlocks are lost; what is observed can be reached without that h.
 *
 * In each case weights of other arcs, tests of h (post) and of f (pre, free) are free, inhibitor arcs among them.  Pre
 * and post preserve deadlocks and what is observed, not both at once and not runs.
 *
 * Source: G. Berthelot (1987); S. Haddad, J.-F. Pradat-Peyre, "New efficient Petri nets reductions for parallel
 * programs verification" (2006); Y. Thierry-Mieg, "Structural reductions revisited" (2020), which has free
 * agglomeration.
 */
#include "simplify/work.h"

#include "base/limits.h"

#include <inttypes.h>

/* The place and who is around it. */
struct spot {
    struct work *work;
    uint32_t place;
    struct work_users producers, consumers;
    uint32_t weight; /* that each consumer takes */
};

static void spot_clear(struct spot *spot)
{
    free(spot->producers.item);
    free(spot->consumers.item);
}

/* False when somebody does more than putting or taking, or when consumers take different weights. */
static bool spot_make(struct spot *spot, struct work *work, uint32_t place)
{
    *spot = (struct spot){.work = work, .place = place};
    const struct work_users *users = work_users_of(work, place);
    for (size_t i = 0; i < users->count; i++) {
        uint32_t t = users->item[i];
        const struct net_arc *arc = work_arc(work, t, place);
        bool takes = arc_only_takes(arc);
        if (work->transitions.item[t].named || (!takes && !arc_only_puts(arc)) ||
            (takes && spot->weight && spot->weight != arc->consume))
            return false;
        if (takes)
            spot->weight = arc->consume;
        if (takes ? !vector_push(&spot->consumers, t) : !vector_push(&spot->producers, t)) {
            work->failed = true;
            return false;
        }
    }
    return spot->producers.count && spot->consumers.count;
}

/* ----------------------------------------------------------------- conditions */

static bool may_be_early(const struct spot *spot, uint32_t consumer)
{
    for_work_arcs (arc, spot->work, consumer)
        if (arc->place != spot->place && (!arc_only_puts(arc) || spot->work->place[arc->place].observed ||
                                          work_is_inhibited(spot->work, arc->place)))
            return false;
    return true;
}

static bool allows_post(const struct spot *spot)
{
    uint32_t tokens = spot->work->place[spot->place].tokens;
    bool several = spot->consumers.count > 1;
    if (several ? tokens != 0 : tokens % spot->weight != 0)
        return false;
    for (size_t i = 0; i < spot->producers.count; i++) {
        uint32_t put = work_arc(spot->work, spot->producers.item[i], spot->place)->produce;
        if (several ? put != spot->weight : put % spot->weight != 0)
            return false;
    }
    for (size_t i = 0; i < spot->consumers.count; i++)
        if (!may_be_early(spot, spot->consumers.item[i]))
            return false;
    return true;
}

/* Does nobody but the transition take from the place, or look at it? */
static bool has_one_tester(struct work *work, uint32_t place, uint32_t transition)
{
    const struct work_users *users = work_users_of(work, place);
    for (size_t i = 0; i < users->count; i++)
        if (users->item[i] != transition && !arc_only_puts(work_arc(work, users->item[i], place)))
            return false;
    return true;
}

static bool may_be_late(const struct spot *spot, uint32_t producer, bool alone)
{
    struct work *work = spot->work;
    bool takes = false;
    for_work_arcs (arc, work, producer) {
        if (arc->place == spot->place) {
            if (arc->produce != spot->weight)
                return false;
            continue;
        }
        if (!arc_only_takes(arc) || work->place[arc->place].observed || work_is_inhibited(work, arc->place) ||
            (alone && !has_one_tester(work, arc->place, producer)))
            return false;
        takes = true;
    }
    return takes;
}

static bool allows_pre(const struct spot *spot, bool alone)
{
    if (spot->work->place[spot->place].tokens)
        return false;
    for (size_t i = 0; i < spot->producers.count; i++)
        if (!may_be_late(spot, spot->producers.item[i], alone))
            return false;
    return true;
}

/* The net must not become larger than it was: a few more transitions only where others have gone before. */
enum { MOST_PAIRS = 24 };

static bool is_worth_it(const struct spot *spot)
{
    size_t before = spot->producers.count + spot->consumers.count;
    if (spot->producers.count > UINT32_MAX / spot->consumers.count)
        return false;
    size_t after = spot->producers.count * spot->consumers.count;
    return after <= before || (after <= MOST_PAIRS && spot->work->live_transitions - before + after <=
                                                          (size_t)spot->work->original->transitions);
}

/* ------------------------------------------------------------------ the change */

/* h, then `times` times f, at one place that both may know.  Where f needs something h has put nothing, and where f
 * fires several times it needs nothing. */
static bool join_arcs(const struct net_arc *h, const struct net_arc *f, uint32_t times, struct net_arc *joined)
{
    static const struct net_arc none;
    uint32_t place = h ? h->place : f->place;
    h = h ? h : &none;
    f = f ? f : &none;
    uint64_t need = f->need ? (uint64_t)h->consume + f->need : h->need;
    uint64_t consume = (uint64_t)h->consume + f->consume, produce = h->produce + (uint64_t)f->produce * times;
    if (need > NET_MAX_TOKENS || consume > NET_MAX_TOKENS || produce > NET_MAX_TOKENS)
        return false;
    *joined = (struct net_arc){.place = place,
                               .need = (uint32_t)need,
                               .inhibit = h->inhibit ? h->inhibit : f->inhibit,
                               .consume = (uint32_t)consume,
                               .produce = (uint32_t)produce};
    return true;
}

/* The arcs of h then f, without the place between them; false when a weight would be too large. */
static bool join(const struct spot *spot, uint32_t producer, uint32_t consumer, uint32_t times, struct work_arcs *out)
{
    const struct work_arcs *one = &spot->work->transitions.item[producer].arcs,
                           *two = &spot->work->transitions.item[consumer].arcs;
    size_t i = 0, j = 0;
    while (i < one->count || j < two->count) {
        const struct net_arc *h = i < one->count ? &one->item[i] : NULL, *f = j < two->count ? &two->item[j] : NULL;
        if (h && f && h->place != f->place) {
            if (h->place < f->place)
                f = NULL;
            else
                h = NULL;
        }
        i += h != NULL;
        j += f != NULL;
        struct net_arc joined;
        if ((h ? h : f)->place == spot->place)
            continue;
        if (!join_arcs(h, f, times, &joined))
            return false;
        spot->work->failed |= !vector_push(out, joined);
    }
    return true;
}

static void add_pair(const struct spot *spot, uint32_t producer, uint32_t consumer, struct work_arcs arcs,
                     uint32_t times)
{
    const struct work_transition *all = spot->work->transitions.item;
    struct recipe_part first = {all[producer].recipe, 1}, second = {all[consumer].recipe, times};
    work_add_transition(spot->work, arcs, recipes_compose(&spot->work->recipes, first, second));
}

static uint32_t times_of(const struct spot *spot, uint32_t producer)
{
    return work_arc(spot->work, producer, spot->place)->produce / spot->weight;
}

/* Does every pair have arcs that a net may have? */
static bool can_join(const struct spot *spot)
{
    bool fine = true;
    for (size_t i = 0; i < spot->producers.count && fine; i++)
        for (size_t j = 0; j < spot->consumers.count && fine; j++) {
            struct work_arcs arcs = {0};
            uint32_t producer = spot->producers.item[i];
            fine = join(spot, producer, spot->consumers.item[j], times_of(spot, producer), &arcs);
            free(arcs.item);
        }
    return fine && !spot->work->failed;
}

static void replace_by_pairs(const struct spot *spot)
{
    struct work *work = spot->work;
    for (size_t i = 0; i < spot->producers.count; i++)
        for (size_t j = 0; j < spot->consumers.count; j++) {
            struct work_arcs arcs = {0};
            uint32_t producer = spot->producers.item[i], consumer = spot->consumers.item[j];
            uint32_t times = times_of(spot, producer);
            join(spot, producer, consumer, times, &arcs);
            add_pair(spot, producer, consumer, arcs, times);
        }
    for (size_t i = 0; i < spot->producers.count; i++)
        work_remove_transition(work, spot->producers.item[i]);
    for (size_t j = 0; j < spot->consumers.count; j++)
        work_remove_transition(work, spot->consumers.item[j]);
    work_remove_place(work, spot->place);
}

/* The one consumer takes the initial tokens at once. */
static bool empty_at_first(const struct spot *spot)
{
    struct work *work = spot->work;
    uint32_t consumer = spot->consumers.item[0], times = work->place[spot->place].tokens / spot->weight;
    if (!times)
        return true;
    for_work_arcs (arc, work, consumer)
        if ((uint64_t)arc->produce * times + work->place[arc->place].tokens > NET_MAX_TOKENS)
            return false;
    struct recipe_part part = {work->transitions.item[consumer].recipe, times};
    for_work_arcs (arc, work, consumer)
        work->place[arc->place].tokens += arc->produce * times;
    work->place[spot->place].tokens = 0;
    work->failed |= !vector_push(&work->recipes.at_first, part);
    return true;
}

static void put_off(const struct spot *spot)
{
    for (size_t i = 0; i < spot->producers.count; i++) {
        uint32_t recipe = spot->work->transitions.item[spot->producers.item[i]].recipe;
        spot->work->failed |= !vector_push(&spot->work->recipes.at_last, recipe);
    }
}

static void agglomerate_place(struct work *work, uint32_t place)
{
    struct spot spot;
    if (spot_make(&spot, work, place) && is_worth_it(&spot)) {
        bool post = allows_post(&spot), pre = !post && allows_pre(&spot, true);
        bool free_one = !post && !pre && !work->question->deadlocks && allows_pre(&spot, false);
        if ((post || pre || free_one) && can_join(&spot) && (!post || empty_at_first(&spot))) {
            if (pre)
                put_off(&spot);
            work_note(work, "%s %" PRIu32 "\n", post ? "post" : pre ? "pre" : "free", place);
            replace_by_pairs(&spot);
            work->fired[post ? RULE_POST : pre ? RULE_PRE : RULE_FREE]++;
        }
    }
    spot_clear(&spot);
}

void agglomerate(struct work *work)
{
    if (work->question->exact)
        return;
    for_live_places(p, work)
    {
        work->failed |= limits_reached();
        if (work->failed)
            return;
        if (!work->place[p].observed)
            agglomerate_place(work, p);
    }
}
