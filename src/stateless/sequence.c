/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initials, weak initials and remainders: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for optimal
 * dynamic partial order reduction", JACM 2017, definitions 4.1 and 6.1.
 */
#include "stateless/sequence.h"

#include <stdlib.h>
#include <string.h>

struct footprint footprint_of(uint32_t agent, const struct portolan_access *accesses, uint32_t count)
{
    struct footprint f = {.agent = agent, .access_count = count, .accesses = accesses};
    for (uint32_t i = 0; i < count; i++)
        add_to_masks(&accesses[i], &f.touched, &f.written);
    return f;
}

/* What an item follows whatever it touches. */
static const uint32_t *floor_at(const struct sequence *s, uint32_t i)
{
    return i + 1 == s->length ? s->floor : floor_of(s->execution, sequence_event(s, i));
}

bool is_initial(const struct sequence *s, uint32_t item)
{
    struct footprint step = sequence_at(s, item);
    const uint32_t *floor = floor_at(s, item);
    for (uint32_t j = 0; j < item; j++) {
        const struct event *e = sequence_event(s, j);
        uint64_t common = common_objects(step.touched, step.written, e->touched, e->written);
        if (e->agent == step.agent || (floor && e->order <= floor[e->agent]) ||
            (common &&
             (is_certain(common) || accesses_conflict(step.accesses, step.access_count,
                                                      accesses_of(s->execution, s->events[j]), e->access_count))))
            return false;
    }
    return true;
}

void remainder_make(struct remainder *rest, const struct sequence *s, struct item *room, uint32_t *clock)
{
    *rest = (struct remainder){.sequence = s, .item = room, .clock = clock};
}

/* Looks at one more item of the sequence; false when there is none. */
static bool look_at_next(struct remainder *rest)
{
    const struct sequence *s = rest->sequence;
    uint32_t next = rest->end;
    if (next == s->length)
        return false;
    struct item *item = &rest->item[rest->end++];
    if (next == s->place) {
        *item = (struct item){s->last.touched, s->last.written, s->last.agent, NO_EVENT, false, false, false};
    } else {
        uint32_t event = s->events[next > s->place ? next - 1 : next];
        const struct event *e = &s->execution->events.item[event];
        *item = (struct item){e->touched, e->written, e->agent, event, false, false, false};
    }
    rest->agents |= UINT64_C(1) << (item->agent % 64);
    rest->touched |= item->touched;
    rest->written |= item->written;
    return true;
}

struct footprint item_footprint(const struct remainder *rest, const struct item *item)
{
    const struct sequence *s = rest->sequence;
    if (item->event == NO_EVENT)
        return s->last;
    const struct event *e = &s->execution->events.item[item->event];
    return (struct footprint){e->agent, e->access_count, e->touched, e->written,
                              accesses_of(s->execution, item->event)};
}

static inline bool item_conflicts(const struct remainder *rest, const struct item *item, const struct footprint *step)
{
    uint64_t common = common_objects(step->touched, step->written, item->touched, item->written);
    if (!common || is_certain(common))
        return common;
    struct footprint other = item_footprint(rest, item);
    return accesses_conflict(step->accesses, step->access_count, other.accesses, other.access_count);
}

/*
 * The step is one that can be taken from the point where the sequence begins.  If no item before its agent's own is in
 * conflict with it, that item is the same step: an agent's step is determined by its past and by what it touches, and
 * whatever it must follow by birth or joining has happened where it can be taken.  If one is, its agent's own item has
 * to stay behind: otherwise it could be taken first, would be the same step, and so in conflict with the one before it.
 */
bool is_weak_initial(struct remainder *rest, const struct footprint *step, uint32_t *place)
{
    bool may_be_among = rest->agents >> (step->agent % 64) & 1 ||
                        common_objects(step->touched, step->written, rest->touched, rest->written);
    uint32_t i = may_be_among ? rest->start : rest->end;
    for (; i < rest->end || look_at_next(rest); i++) {
        bool own = rest->item[i].agent == step->agent;
        if (own || item_conflicts(rest, &rest->item[i], step)) {
            *place = i;
            return own;
        }
    }
    *place = i;
    return true;
}

bool take_out(struct remainder *rest, const struct footprint *step)
{
    uint32_t place;
    if (!is_weak_initial(rest, step, &place)) {
        rest->item[place].needed = true;
        return false;
    }
    if (place == rest->sequence->length) {
        masks_add(&rest->others, step->touched, step->written);
        return true;
    }
    note_item(rest, &rest->item[place]);
    for (; place > rest->start; place--)
        rest->item[place] = rest->item[place - 1];
    rest->start++;
    return true;
}

bool take_out_first(struct remainder *rest, uint32_t agent)
{
    if ((rest->start == rest->end && !look_at_next(rest)) || rest->item[rest->start].agent != agent)
        return false;
    note_item(rest, &rest->item[rest->start++]);
    return true;
}

/* Does the item happen before one of those with this clock, or before the last step? */
static bool precedes_kept(const struct remainder *rest, const struct item *item, bool last_is_kept)
{
    const struct event *e = &rest->sequence->execution->events.item[item->event];
    return e->order <= rest->clock[e->agent] || (last_is_kept && (e->agent == rest->sequence->last.agent ||
                                                                  item_conflicts(rest, item, &rest->sequence->last)));
}

static void keep_all(struct remainder *rest)
{
    while (look_at_next(rest)) {
    }
    for (uint32_t i = rest->start; i < rest->end; i++)
        rest->item[i].kept = true;
}

void keep_needed(struct remainder *rest)
{
    const struct sequence *s = rest->sequence;
    bool some = false, last_is_kept = false;
    for (uint32_t i = rest->start; i < rest->end; i++)
        some |= rest->item[i].needed;
    if (rest->whole || !some) {
        keep_all(rest);
        return;
    }
    memcpy(rest->clock, s->execution->zero, s->execution->stride * sizeof *rest->clock);
    for (uint32_t i = rest->end; i-- > rest->start;) {
        struct item *item = &rest->item[i];
        bool last = item->event == NO_EVENT;
        item->kept = item->needed || (!last && precedes_kept(rest, item, last_is_kept));
        last_is_kept |= last && item->kept;
        if (item->kept && (!last || s->floor))
            clock_join(s->execution, rest->clock, last ? s->floor : clock_of(s->execution, item->event));
    }
}

/* Does an item have to stay behind one of those before it? */
static bool is_held(const struct remainder *rest, uint32_t from, uint32_t place)
{
    const struct sequence *s = rest->sequence;
    const struct item *item = &rest->item[place];
    const uint32_t *clock = item->event == NO_EVENT ? s->floor : clock_of(s->execution, item->event);
    for (uint32_t i = from; clock && i < place; i++)
        if (!rest->item[i].passed && rest->item[i].event != NO_EVENT &&
            s->execution->events.item[rest->item[i].event].order <= clock[rest->item[i].agent])
            return true;
    return false;
}

bool goes_first(struct remainder *rest, const struct footprint *step, uint32_t *from, bool all)
{
    while (*from < rest->end && rest->item[*from].passed)
        ++*from;
    for (uint32_t i = *from; i < rest->end || look_at_next(rest); i++) {
        struct item *item = &rest->item[i];
        if (item->passed)
            continue;
        if (item->agent == step->agent) {
            item->passed = !item->kept && !is_held(rest, *from, i);
            if (item->passed)
                note_item(rest, item);
            return item->passed;
        }
        if (item_conflicts(rest, item, step))
            return false;
    }
    if (all)
        masks_add(&rest->others, step->touched, step->written);
    return all;
}

void pass_first(struct remainder *rest)
{
    const struct execution *x = rest->sequence->execution;
    while (look_at_next(rest)) {
    }
    for (uint32_t a = 0; a < x->agents; a++)
        rest->clock[a] = UINT32_MAX; /* the first event of each that is kept */
    for (uint32_t i = rest->start; i < rest->end; i++) {
        struct item *item = &rest->item[i];
        if (item->event == NO_EVENT) /* nothing follows it */
            continue;
        const struct event *e = &x->events.item[item->event];
        const uint32_t *clock = clock_of(x, item->event);
        if (item->kept && e->order < rest->clock[e->agent])
            rest->clock[e->agent] = e->order;
        item->passed = !item->kept;
        for (uint32_t a = 0; a < x->agents && item->passed; a++)
            item->passed = clock[a] < rest->clock[a];
        if (item->passed)
            note_item(rest, item);
    }
}
