/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper inserts the whole of v.e' into a wake-up tree; here it is v.v'.e' (reversals.c).  Whether that need be
 * inserted, and where, is decided by the whole.  What is kept of it is a prefix, up to the order of independent steps:
 * e', what happens before it, and as much more as is needed so that nothing is a weak initial of the prefix that sleeps
 * at the node, or is in the tree to the left of its place.
 *
 * That is enough.  Whatever begins with the whole begins with the prefix, so that there is a leaf for the sequence,
 * which is all that the proof of completeness asks of insert (JACM 2017, theorem 7.4).  And nobody is left asleep at
 * the leaf (definition 6.3, 2, for what is kept), so that something can be explored below it: no execution is blocked.
 *
 * Whole sequences give a tree a leaf for each combination of what v and v' found in other races.  Those are found again
 * below the one leaf that there is now.  How many leaves there are does not depend on what is beside a race then, only
 * on the different pasts of its second half; "Parsimonious optimal dynamic partial order reduction" (CAV 2024) has the
 * same prefix, and a bound on the pasts that are kept at a time, which this has not.
 *
 * It is not enough to go down the tree by the prefix: a branch that could begin it, but not the whole, would be taken
 * for one that leads to a leaf for the whole.
 */
#include "stateless/prefix.h"

static bool item_conflicts(const struct sequence *s, const struct item *item, const struct footprint *step)
{
    uint64_t common = common_objects(step->touched, step->written, item->touched, item->written);
    if (!common || is_certain(common))
        return common;
    struct footprint other = sequence_at(s, item->number);
    return footprints_conflict(&other, step);
}

static void add_event(struct prefix *prefix, uint32_t number)
{
    const struct sequence *s = prefix->sequence;
    clock_join(prefix->clock, clock_of(s->execution, s->events[number]), s->execution->stride);
}

/* What comes before the last step in the sequence need not be what it was in the execution. */
void prefix_make(struct prefix *prefix, const struct sequence *s)
{
    const struct footprint *last = &s->last;
    *prefix = (struct prefix){.sequence = s, .clock = s->execution->prefix};
    clock_clear(prefix->clock, s->execution->stride);
    for (uint32_t i = s->length - 1; i-- > 0;) {
        const struct event *e = sequence_event(s, i);
        struct item item = {e->touched, e->written, e->agent, i};
        if (e->order > prefix->clock[e->agent] &&
            (e->agent == last->agent || (s->floor && e->order <= s->floor[e->agent]) || item_conflicts(s, &item, last)))
            add_event(prefix, i);
    }
}

/* If the step's agent has an item in the prefix, so is the one behind which that must stay.  If it has none, then
 * something in conflict with the step must be there: of what is not, what comes first is taken.  The more of the
 * sequence's own there is in it, the seldomer the race has to be looked at again. */
void prefix_tell_apart(struct prefix *prefix, const struct remainder *rest, const struct footprint *step)
{
    const struct sequence *s = prefix->sequence;
    const struct item *own = NULL, *found = NULL;
    for (uint32_t i = rest->start; i < rest->end; i++) {
        const struct item *item = &rest->item[i];
        bool is_there = is_in_prefix(prefix, item);
        if (item->agent == step->agent) {
            if (is_there)
                return;
            own = own ? own : item;
        }
        if ((is_there || !found) && item_conflicts(s, item, step)) {
            if (is_there)
                return;
            found = item;
        }
    }
    if (found || own) /* else it can begin the sequence, but is not trusted: node_sleeps_through */
        add_event(prefix, found ? found->number : own->number);
}

/* Where nothing needs to be told from it, all is kept. */
void prefix_keep(const struct prefix *prefix, struct remainder *rest)
{
    uint32_t kept = rest->start;
    for (uint32_t i = rest->start; i < rest->end; i++)
        if (is_in_prefix(prefix, &rest->item[i]))
            rest->item[kept++] = rest->item[i];
    rest->end = kept > rest->start ? kept : rest->end;
    for (uint32_t i = rest->start; i < rest->end; i++)
        note_item(rest, &rest->item[i]);
}
