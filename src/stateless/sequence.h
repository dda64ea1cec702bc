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

/* Some events of an execution, in this order, and then a step of an agent that follows its floor.  It owns nothing and
 * is good until the execution changes. */
struct sequence {
    const struct execution *execution;
    const uint32_t *events;
    uint32_t length; /* one more than events */
    struct footprint last;
    const uint32_t *floor; /* what the last step follows whatever it touches, as a clock; NULL: nothing */
};

static inline const struct event *sequence_event(const struct sequence *sequence, uint32_t i)
{
    return &sequence->execution->events.item[sequence->events[i]];
}

static inline struct footprint sequence_at(const struct sequence *sequence, uint32_t i)
{
    if (i + 1 == sequence->length)
        return sequence->last;
    const struct event *e = sequence_event(sequence, i);
    return (struct footprint){e->agent, e->access_count, e->touched, e->written,
                              accesses_of(sequence->execution, sequence->events[i])};
}

static inline uint32_t sequence_agent(const struct sequence *sequence, uint32_t i)
{
    return i + 1 == sequence->length ? sequence->last.agent : sequence_event(sequence, i)->agent;
}

/* Is this item an initial: the first of its agent, and independent of all items before it? */
bool is_initial(const struct sequence *sequence, uint32_t item);

/* v \ p: what is left of a sequence. */
struct remainder {
    const struct sequence *sequence;
    bool *removed;  /* per item */
    uint32_t start; /* all before are removed */
    /* of all that is left; when stale, also of some that is not */
    uint64_t agents; /* a bit for each, modulo 64 */
    uint64_t touched, written;
    bool stale;
};

/* All of the sequence; `removed` has an entry per item, all false. */
void remainder_make(struct remainder *rest, const struct sequence *sequence, bool *removed);
/* Is the step a weak initial of what is left?  If its agent has no item there, it must be independent of all that have.
 * *item is that item, or the length of the sequence. */
bool is_weak_initial(struct remainder *rest, const struct footprint *step, uint32_t *item);
/* Takes a step out of what is left if it is a weak initial of it. */
bool take_out(struct remainder *rest, const struct footprint *step);

#endif
