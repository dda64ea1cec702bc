/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix of a sequence that a wake-up tree keeps: prefix.c.
 */
#ifndef STATELESS_PREFIX_H
#define STATELESS_PREFIX_H

#include "stateless/sequence.h"

/* The last step of a sequence, and some of its events, with all that happens before them there.  The clock is scratch
 * of the sequence's execution: there is one prefix at a time. */
struct prefix {
    const struct sequence *sequence;
    uint32_t *clock; /* of its events */
};

/* The least one: the last step, and what happens before it. */
void prefix_make(struct prefix *prefix, const struct sequence *sequence);

static inline bool is_in_prefix(const struct prefix *prefix, const struct item *item)
{
    return item->number + 1 == prefix->sequence->length ||
           sequence_event(prefix->sequence, item->number)->order <= prefix->clock[item->agent];
}

/* Adds what it needs so that a step which is no weak initial of what is left of the sequence is none of the prefix. */
void prefix_tell_apart(struct prefix *prefix, const struct remainder *rest, const struct footprint *step);
/* Takes out of what is left of the sequence all that is not in the prefix, and notes what is kept. */
void prefix_keep(const struct prefix *prefix, struct remainder *rest);

#endif
