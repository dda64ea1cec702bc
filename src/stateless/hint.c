/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/hint.h"

#include "checkpoint/archive.h"

#include <stdlib.h>

enum { MOST_STEPS = 1 << 24 }; /* in a file */

static uint64_t agent_bit_of(const struct item *item)
{
    return UINT64_C(1) << (item->agent % 64);
}

/* Adds what is not in the prefix: the steps of agents that were in no race up to there, or the others. */
static void add_steps(struct hint *hint, const struct remainder *rest, const struct prefix *prefix, bool lonely)
{
    uint64_t raced = 0;
    for (const struct item *item = &rest->item[rest->start]; item < &rest->item[rest->end]; item++) {
        bool is_kept = is_in_prefix(prefix, item);
        const struct event *e = is_kept ? NULL : sequence_event(prefix->sequence, item->number);
        if (is_kept || e->race_count || e->followers)
            raced |= agent_bit_of(item);
        if (!is_kept && ((raced & agent_bit_of(item)) == 0) == lonely)
            hint->step[hint->count++] = (struct hinted_step){item->agent, e->order};
    }
}

bool hint_make(const struct remainder *rest, const struct prefix *prefix, struct hint **hint)
{
    uint32_t count = 0;
    for (uint32_t i = rest->start; i < rest->end; i++)
        count += !is_in_prefix(prefix, &rest->item[i]);
    *hint = NULL;
    if (!count)
        return true;
    *hint = malloc(sizeof **hint + count * sizeof *(*hint)->step);
    if (!*hint)
        return false;
    **hint = (struct hint){0};
    add_steps(*hint, rest, prefix, true);
    (*hint)->lonely = (*hint)->count;
    add_steps(*hint, rest, prefix, false);
    return true;
}

void hint_keep(struct hint **hint, struct archive *archive)
{
    struct hint head = *hint ? **hint : (struct hint){0};
    archive_bytes(archive, &head, sizeof head);
    if (archive->reading) {
        *hint = NULL;
        if (archive->failed || !head.count)
            return;
        if (head.count > MOST_STEPS || head.next > head.count || head.lonely > head.count ||
            !(*hint = malloc(sizeof head + head.count * sizeof *head.step))) {
            archive->failed = true;
            return;
        }
        **hint = head;
    }
    if (*hint)
        archive_bytes(archive, (*hint)->step, head.count * sizeof *head.step);
}
