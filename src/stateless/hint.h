/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order the steps of a sequence would best be taken of which a wake-up tree has a prefix: what is in no race
 * first, then the prefix, then the rest as it was.  Whoever follows it explores what was seen when the race was found,
 * and executions have more in common than if everybody chose anew after the prefix.
 */
#ifndef STATELESS_HINT_H
#define STATELESS_HINT_H

#include "stateless/prefix.h"

struct archive;

struct hinted_step {
    uint32_t agent, order; /* the agent's how manieth step it is */
};

struct hint {
    uint32_t count, next; /* those from here on were not taken as yet */
    uint32_t lonely;      /* so many come first that are in no race */
    struct hinted_step step[];
};

/* What is left of a sequence and not in the prefix; *hint is NULL when nothing is.  False when memory is short. */
bool hint_make(const struct remainder *rest, const struct prefix *prefix, struct hint **hint);

/* One, or NULL, into a file or out of it. */
void hint_keep(struct hint **hint, struct archive *archive);

static inline size_t hint_bytes(const struct hint *hint)
{
    return hint ? sizeof *hint + hint->count * sizeof *hint->step : 0;
}

#endif
