/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper inserts the whole of v.e' into a wake-up tree, and we find all of v.v'.e' beside e (reversals.c).  Whether it
 * need be inserted, and where, is decided by the whole; what is kept of it is the least part, closed under
 * happens-before, of which nothing that sleeps at the node and nothing that is in the tree to the left of its place is a
 * weak initial.  Such a part is e' and what happens before it, mostly.
 *
 * That is enough.  All that begins with the whole begins with the part, so that there is a leaf for the sequence, which
 * is all that the proof of completeness asks of insert (JACM 2017, lemma 6.5 and theorem 7.4).  Nobody is left asleep at
 * the leaf: definition 6.3 (2) holds for what is kept.  So there is something to be explored below it, and no execution
 * is blocked.  Wake-up trees with whole sequences have a leaf for each combination of the other races that v and v' have
 * seen; those are found again below the one leaf that there is now.
 *
 * It would not be enough to go down the tree by the part: a branch that could begin it, and not the whole, would be
 * taken for one that leads to a leaf for the whole.
 */
#include "stateless/part.h"

static bool item_conflicts(const struct sequence *s, const struct item *item, const struct footprint *step)
{
    uint64_t common = common_objects(step->touched, step->written, item->touched, item->written);
    if (!common || is_certain(common))
        return common;
    struct footprint other = sequence_at(s, item->number);
    return footprints_conflict(&other, step);
}

static void add_event(struct part *part, uint32_t number)
{
    const struct sequence *s = part->sequence;
    clock_join(part->clock, clock_of(s->execution, s->events[number]), s->execution->stride);
}

/* What comes before the last step in the sequence need not be what it was in the execution. */
void part_make(struct part *part, const struct sequence *s)
{
    const struct footprint *last = &s->last;
    *part = (struct part){.sequence = s, .clock = s->execution->part};
    clock_clear(part->clock, s->execution->stride);
    for (uint32_t i = s->length - 1; i-- > 0;) {
        const struct event *e = sequence_event(s, i);
        struct item item = {e->touched, e->written, e->agent, i};
        if (e->order > part->clock[e->agent] &&
            (e->agent == last->agent || (s->floor && e->order <= s->floor[e->agent]) || item_conflicts(s, &item, last)))
            add_event(part, i);
    }
}

/* If the step's agent has an item in the part, so is the one behind which that must stay.  If it has none, then something
 * in conflict with the step must be there: of what is not, what comes first is taken.  The more of the sequence's own
 * there is in a part, the seldomer the race has to be looked at again. */
void part_tell_apart(struct part *part, const struct remainder *rest, const struct footprint *step)
{
    const struct sequence *s = part->sequence;
    const struct item *own = NULL, *found = NULL;
    for (uint32_t i = rest->start; i < rest->end; i++) {
        const struct item *item = &rest->item[i];
        bool is_there = is_in_part(part, item);
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
        add_event(part, found ? found->number : own->number);
}

/* Where nothing needs to be told from it, all is kept. */
void part_keep(const struct part *part, struct remainder *rest)
{
    uint32_t kept = rest->start;
    for (uint32_t i = rest->start; i < rest->end; i++)
        if (is_in_part(part, &rest->item[i]))
            rest->item[kept++] = rest->item[i];
    rest->end = kept > rest->start ? kept : rest->end;
    for (uint32_t i = rest->start; i < rest->end; i++)
        note_item(rest, &rest->item[i]);
}
