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

/* Does item i, which is this step, have to stay behind the earlier item j? */
static bool must_follow(const struct sequence *s, uint32_t i, const struct footprint *step, uint32_t j)
{
    const struct event *before = sequence_event(s, j);
    const uint32_t *floor = i + 1 == s->length ? s->floor : floor_of(s->execution, sequence_event(s, i));
    if (floor && before->order <= floor[before->agent])
        return true;
    uint64_t common = common_objects(step->touched, step->written, before->touched, before->written);
    return common &&
           (is_certain(common) || accesses_conflict(step->accesses, step->access_count,
                                                    accesses_of(s->execution, s->events[j]), before->access_count));
}

bool is_initial(const struct sequence *s, uint32_t item)
{
    struct footprint step = sequence_at(s, item);
    for (uint32_t j = 0; j < item; j++)
        if (sequence_event(s, j)->agent == step.agent || must_follow(s, item, &step, j))
            return false;
    return true;
}

static void sum_up(struct remainder *rest)
{
    const struct sequence *s = rest->sequence;
    rest->agents = rest->touched = rest->written = 0;
    rest->stale = false;
    for (uint32_t i = rest->start; i < s->length; i++) {
        if (rest->removed[i])
            continue;
        struct footprint step = sequence_at(s, i);
        rest->agents |= UINT64_C(1) << (step.agent % 64);
        rest->touched |= step.touched;
        rest->written |= step.written;
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
        uint64_t common = common_objects(step->touched, step->written, rest->touched, rest->written);
        if (!common || (!rest->stale && is_certain(common)))
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

bool is_weak_initial(struct remainder *rest, const struct footprint *step, uint32_t *item)
{
    const struct sequence *s = rest->sequence;
    uint32_t i = rest->agents >> (step->agent % 64) & 1 ? rest->start : s->length;
    while (i < s->length && (rest->removed[i] || sequence_agent(s, i) != step->agent))
        i++;
    *item = i;
    if (i == s->length)
        return independent_of_all(rest, step);
    struct footprint own = sequence_at(s, i);
    for (uint32_t j = rest->start; j < i; j++)
        if (!rest->removed[j] && must_follow(s, i, &own, j))
            return false;
    return true;
}

bool take_out(struct remainder *rest, const struct footprint *step)
{
    uint32_t item;
    if (!is_weak_initial(rest, step, &item))
        return false;
    if (item == rest->sequence->length)
        return true;
    rest->removed[item] = rest->stale = true;
    while (rest->start < rest->sequence->length && rest->removed[rest->start])
        rest->start++;
    return true;
}
