/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/hint.h"

#include <stdlib.h>

static uint64_t agent_bit_of(const struct item *item)
{
    return UINT64_C(1) << (item->agent % 64);
}

/* Is it an event that raced with none, and not in the prefix? */
static bool is_lonely(const struct prefix *prefix, const struct item *item)
{
    if (is_in_prefix(prefix, item))
        return false;
    const struct event *e = sequence_event(prefix->sequence, item->number);
    return !e->race_count && !e->is_followed;
}

/* Adds the steps of agents that were in no race up to there, or the others.  The last step is in the prefix: nobody
 * need be told of it. */
static void add_steps(struct hint *hint, const struct remainder *rest, const struct prefix *prefix, bool lonely)
{
    const struct sequence *s = rest->sequence;
    uint64_t raced = 0;
    for (const struct item *item = &rest->item[rest->start]; item < &rest->item[rest->end]; item++) {
        if (!is_lonely(prefix, item))
            raced |= agent_bit_of(item);
        if (item->number + 1 < s->length && ((raced & agent_bit_of(item)) == 0) == lonely)
            hint->step[hint->count++] = (struct hinted_step){item->agent, sequence_event(s, item->number)->order};
    }
}

struct hint *hint_make(const struct remainder *rest, const struct prefix *prefix)
{
    struct hint *hint = malloc(sizeof *hint + (rest->end - rest->start) * sizeof *hint->step);
    if (!hint)
        return NULL;
    *hint = (struct hint){0};
    add_steps(hint, rest, prefix, true);
    hint->lonely = hint->count;
    add_steps(hint, rest, prefix, false);
    return hint;
}
