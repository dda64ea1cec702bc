/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence of steps that could be taken from some node.  It keeps of each step who takes it and what it touches, for
 * questions up to the order of independent steps (JACM 2017, definitions 4.1 and 6.1):
 *
 *   p is an initial of v       a sequence equivalent to v begins with p
 *   p is a weak initial of v   a continuation of v is equivalent to a sequence that begins with p
 *   v \ p                      what is left of v after p was taken first
 */
#ifndef STATELESS_SEQUENCE_H
#define STATELESS_SEQUENCE_H

#include "stateless/execution.h"

struct item {
    uint32_t agent;
    uint32_t access_count;
    const struct portolan_access *accesses;
    uint64_t touched, written;
    uint32_t order;        /* among its agent's events */
    const uint32_t *floor; /* what it follows whatever it touches, as a clock; NULL: nothing */
};

struct sequence {
    uint32_t length;
    struct item items[];
};

/* Where a sequence is made. */
struct room {
    void *bytes;
    size_t size;
};

/* An agent's next step and what it touches, with the masks of an item. */
struct footprint {
    uint32_t agent;
    uint32_t access_count;
    uint64_t touched, written;
    const struct portolan_access *accesses;
};

struct footprint footprint_of(uint32_t agent, const struct portolan_access *accesses, uint32_t count);

static inline bool footprints_conflict(const struct footprint *a, const struct footprint *b)
{
    uint64_t common = (a->written & b->touched) | (a->touched & b->written);
    if (common == UINT64_C(1) << SHARED_BIT) /* perhaps different objects */
        return accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count);
    return common;
}

/* The given events, in this order, and then a step of another agent, with its floor; NULL when memory is short.  It is
 * good until the next one is made in the same room, or the execution changes. */
struct sequence *sequence_make(struct room *room, const struct execution *execution, const uint32_t *events,
                               size_t count, const struct footprint *last, const uint32_t *floor);

static inline struct footprint sequence_at(const struct sequence *sequence, uint32_t i)
{
    const struct item *item = &sequence->items[i];
    return (struct footprint){item->agent, item->access_count, item->touched, item->written, item->accesses};
}

/* Is the step a weak initial?  If its agent has no item, it must be independent of all items. */
bool is_weak_initial(const struct sequence *sequence, const struct footprint *step);
/* Is this item an initial: the first of its agent, and independent of all items before it? */
bool is_initial(const struct sequence *sequence, uint32_t item);
/* v \ p: what is left of a sequence. */
struct remainder {
    const struct sequence *sequence;
    bool *removed;
    uint32_t start; /* all before are removed */
    /* of all that is left; when stale, also of some that is not */
    uint64_t agents; /* a bit for each, modulo 64 */
    uint64_t touched, written;
    bool stale;
};

void remainder_make(struct remainder *rest, const struct sequence *sequence, bool *removed);

/* Takes a step out of what is left if it is a weak initial of it. */
bool take_out(struct remainder *rest, const struct footprint *step);

#endif
