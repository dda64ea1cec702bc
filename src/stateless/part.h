/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a sequence that a wake-up tree keeps: part.c.
 */
#ifndef STATELESS_PART_H
#define STATELESS_PART_H

#include "stateless/sequence.h"

/* The last step of a sequence, and some of its events, with all that happens before them there.  The clock is scratch of
 * the sequence's execution: there is one part at a time. */
struct part {
    const struct sequence *sequence;
    uint32_t *clock; /* of its events */
};

/* The least part. */
void part_make(struct part *part, const struct sequence *sequence);

static inline bool is_in_part(const struct part *part, const struct item *item)
{
    return item->number + 1 == part->sequence->length ||
           sequence_event(part->sequence, item->number)->order <= part->clock[item->agent];
}

/* Adds what it needs so that a step which is no weak initial of what is left of the sequence is none of the part. */
void part_tell_apart(struct part *part, const struct remainder *rest, const struct footprint *step);
/* Takes everything out of what is left of the sequence that is not in the part, and notes what is kept. */
void part_keep(const struct part *part, struct remainder *rest);

#endif
