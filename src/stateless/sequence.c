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
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = object_bit(accesses[i].object);
        f.touched |= bit;
        f.written |= accesses[i].writes ? bit : 0;
    }
    return f;
}

static void *room_for(struct room *room, size_t size)
{
    if (size > room->size) {
        void *larger = realloc(room->bytes, size * 2);
        if (!larger)
            return NULL;
        room->bytes = larger;
        room->size = size * 2;
    }
    return room->bytes;
}

struct sequence *sequence_make(struct room *room, const struct execution *x, const uint32_t *events, size_t count,
                               const struct footprint *last, const uint32_t *floor)
{
    struct sequence *s = room_for(room, sizeof *s + (count + 1) * sizeof(struct item));
    if (!s)
        return NULL;
    s->length = (uint32_t)count + 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = &x->events.item[events[i]];
        s->items[i] = (struct item){.agent = e->agent,
                                    .access_count = e->access_count,
                                    .accesses = accesses_of(x, events[i]),
                                    .touched = e->touched,
                                    .written = e->written,
                                    .order = e->order,
                                    .floor = floor_of(x, e)};
    }
    s->items[count] = (struct item){.agent = last->agent,
                                    .access_count = last->access_count,
                                    .accesses = last->accesses,
                                    .touched = last->touched,
                                    .written = last->written,
                                    .floor = floor};
    return s;
}

/* Does item i have to stay behind the earlier item j? */
static bool must_follow(const struct sequence *s, uint32_t i, uint32_t j)
{
    const struct item *a = &s->items[i], *b = &s->items[j];
    if (a->floor && b->order <= a->floor[b->agent])
        return true;
    uint64_t common = (a->written & b->touched) | (a->touched & b->written);
    if (common == UINT64_C(1) << SHARED_BIT) /* perhaps different objects */
        return accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count);
    return common;
}

/* Is the item independent of those before? */
static bool independent_before(const struct sequence *s, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (must_follow(s, i, j))
            return false;
    return true;
}

bool is_weak_initial(const struct sequence *s, const struct footprint *step)
{
    uint32_t i = 0;
    while (i < s->length && s->items[i].agent != step->agent)
        i++;
    if (i < s->length)
        return independent_before(s, i);
    for (uint32_t j = 0; j < s->length; j++) {
        struct footprint other = sequence_at(s, j);
        if (footprints_conflict(step, &other))
            return false;
    }
    return true;
}

bool is_initial(const struct sequence *s, uint32_t item)
{
    for (uint32_t j = 0; j < item; j++)
        if (s->items[j].agent == s->items[item].agent)
            return false;
    return independent_before(s, item);
}

static void sum_up(struct remainder *rest)
{
    const struct sequence *s = rest->sequence;
    rest->agents = rest->touched = rest->written = 0;
    rest->stale = false;
    for (uint32_t i = rest->start; i < s->length; i++) {
        if (rest->removed[i])
            continue;
        rest->agents |= UINT64_C(1) << (s->items[i].agent % 64);
        rest->touched |= s->items[i].touched;
        rest->written |= s->items[i].written;
    }
}

void remainder_make(struct remainder *rest, const struct sequence *sequence, bool *removed)
{
    *rest = (struct remainder){.sequence = sequence, .removed = removed};
    sum_up(rest);
}

/* Is a step of an agent that has none left independent of all that is? */
static bool independent_of_all(struct remainder *rest, const struct footprint *step)
{
    for (;;) {
        uint64_t common = (step->written & rest->touched) | (step->touched & rest->written);
        if (!common || (!rest->stale && common != UINT64_C(1) << SHARED_BIT))
            return !common;
        if (!rest->stale)
            break;
        sum_up(rest);
    }
    for (uint32_t i = rest->start; i < rest->sequence->length; i++) {
        struct footprint other = sequence_at(rest->sequence, i);
        if (!rest->removed[i] && footprints_conflict(step, &other))
            return false;
    }
    return true;
}

bool take_out(struct remainder *rest, const struct footprint *step)
{
    const struct sequence *s = rest->sequence;
    while (rest->start < s->length && rest->removed[rest->start])
        rest->start++;
    uint32_t i = rest->agents >> (step->agent % 64) & 1 ? rest->start : s->length;
    while (i < s->length && (rest->removed[i] || s->items[i].agent != step->agent))
        i++;
    if (i == s->length)
        return independent_of_all(rest, step);
    for (uint32_t j = rest->start; j < i; j++)
        if (!rest->removed[j] && must_follow(s, i, j))
            return false;
    rest->removed[i] = true;
    rest->stale = true;
    return true;
}
