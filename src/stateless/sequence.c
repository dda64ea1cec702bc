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

static void add_item(struct remainder *rest, struct item item)
{
    rest->item[item.number] = item;
    rest->agents |= UINT64_C(1) << (item.agent % 64);
    rest->touched |= item.touched;
    rest->written |= item.written;
}

void remainder_make(struct remainder *rest, const struct sequence *s, struct item *room)
{
    uint32_t last = s->length - 1;
    *rest = (struct remainder){.sequence = s, .item = room, .end = s->length};
    for (uint32_t i = 0; i < last; i++) {
        const struct event *e = sequence_event(s, i);
        add_item(rest, (struct item){e->touched, e->written, e->agent, i});
    }
    add_item(rest, (struct item){s->last.touched, s->last.written, s->last.agent, last});
}

static inline uint64_t common_with(const struct item *item, const struct footprint *step)
{
    return common_objects(step->touched, step->written, item->touched, item->written);
}

/* Do they conflict, an item and a step that meet in these objects? */
static bool conflicts(const struct remainder *rest, const struct item *item, const struct footprint *step,
                      uint64_t common)
{
    if (is_certain(common))
        return true;
    struct footprint other = sequence_at(rest->sequence, item->number);
    return accesses_conflict(step->accesses, step->access_count, other.accesses, other.access_count);
}

static bool items_conflict(const struct remainder *rest, const struct item *a, const struct item *b)
{
    uint64_t common = common_objects(a->touched, a->written, b->touched, b->written);
    if (!common || is_certain(common))
        return common;
    struct footprint step = sequence_at(rest->sequence, b->number);
    return conflicts(rest, a, &step, common);
}

/* Is a step of an agent that has none left independent of all that is?  The last step is the likeliest that it is not:
 * the race was reversed for it. */
static bool independent_of_all(struct remainder *rest, const struct footprint *step)
{
    if (rest->start == rest->end || !common_objects(step->touched, step->written, rest->touched, rest->written))
        return true;
    for (uint32_t i = rest->end; i-- > rest->start;) {
        uint64_t common = common_with(&rest->item[i], step);
        if (common && conflicts(rest, &rest->item[i], step, common))
            return false;
    }
    return true;
}

/* Must the item stay behind one of those before it? */
static bool is_held(const struct remainder *rest, uint32_t place)
{
    const struct sequence *s = rest->sequence;
    const struct item *item = &rest->item[place];
    const uint32_t *floor = s->floor || s->execution->floors.count ? floor_at(s, item->number) : NULL;
    for (const struct item *before = &rest->item[rest->start]; before < item; before++)
        if (items_conflict(rest, before, item) ||
            (floor && sequence_event(s, before->number)->order <= floor[before->agent]))
            return true;
    return false;
}

bool is_weak_initial(struct remainder *rest, const struct footprint *step, uint32_t *place)
{
    uint32_t i = rest->agents >> (step->agent % 64) & 1 ? rest->start : rest->end;
    while (i < rest->end && rest->item[i].agent != step->agent)
        i++;
    *place = i;
    return i == rest->end ? independent_of_all(rest, step) : !is_held(rest, i);
}

bool take_out(struct remainder *rest, const struct footprint *step)
{
    uint32_t place;
    if (!is_weak_initial(rest, step, &place))
        return false;
    if (place == rest->end) {
        masks_add(&rest->depends.steps, step->touched, step->written);
        return true;
    }
    note_item(rest, &rest->item[place]);
    for (; place > rest->start; place--)
        rest->item[place] = rest->item[place - 1];
    rest->start++;
    return true;
}
