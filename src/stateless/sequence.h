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
    uint64_t common = common_objects(a->touched, a->written, b->touched, b->written);
    return common &&
           (is_certain(common) || accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count));
}

/* Some events of an execution, in this order, and then a step of an agent that follows its floor.  It owns nothing and
 * is good until the execution changes. */
struct sequence {
    const struct execution *execution;
    const uint32_t *events;
    uint32_t length; /* one more than events */
    uint32_t own;    /* events that came before the last step; the others came after it */
    struct footprint last;
    const uint32_t *floor;     /* what the last step follows whatever it touches, as a clock; NULL: nothing */
    struct dependence depends; /* of what became of it on what comes after the last step in the execution */
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

/* What is left of a sequence: its items one behind the other, with what is asked most. */
struct item {
    uint64_t touched, written;
    uint32_t agent;
    uint32_t number; /* in the sequence */
};

/* v \ p */
struct remainder {
    const struct sequence *sequence;
    struct item *item;   /* those left are from start to end */
    uint32_t start, end; /* end: the length of the sequence */
    /* of all that is left, and of some that is not */
    uint64_t agents; /* a bit for each, modulo 64 */
    uint64_t touched, written;
    struct dependence depends; /* on what was taken out, or kept, and is not the sequence's own */
};

/* All of the sequence; there is room for as many items. */
void remainder_make(struct remainder *rest, const struct sequence *sequence, struct item *room);
/* The same again, after steps were taken out. */
static inline void remainder_restore(struct remainder *rest)
{
    if (rest->start)
        remainder_make(rest, rest->sequence, rest->item);
    rest->depends = (struct dependence){0};
}
/* Is the step a weak initial of what is left?  If its agent has no item there, it must be independent of all that have.
 * *place is that of its item, or the end. */
bool is_weak_initial(struct remainder *rest, const struct footprint *step, uint32_t *place);
/* Takes a step out of what is left if it is a weak initial of it. */
bool take_out(struct remainder *rest, const struct footprint *step);

static inline bool is_last(const struct remainder *rest, uint32_t place)
{
    return rest->item[place].number + 1 == rest->sequence->length;
}

/* Notes an item that was taken out, or kept. */
static inline void note_item(struct remainder *rest, const struct item *item)
{
    const struct sequence *s = rest->sequence;
    if (item->number < s->own || item->number + 1 == s->length)
        return;
    masks_add(&rest->depends.events, item->touched, item->written);
    if (rest->depends.end <= s->events[item->number])
        rest->depends.end = s->events[item->number] + 1;
}

/* The same if it is the agent's step that is the first of what is left: nothing need be compared. */
static inline bool take_out_first(struct remainder *rest, uint32_t agent)
{
    if (rest->start == rest->end || rest->item[rest->start].agent != agent)
        return false;
    note_item(rest, &rest->item[rest->start++]);
    return true;
}

#endif
