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
    uint32_t place;  /* so many events come before the last step at most: the others are independent of it */
    uint32_t depth;  /* events from this one on came after the last step: they are not its own */
    struct footprint last;
    const uint32_t *floor; /* what the last step follows whatever it touches, as a clock; NULL: nothing */
    struct masks until;    /* what became of it is the same with other events after the last step, if those are not in
                              conflict with these */
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

/* One of what is left of a sequence, with what is asked most. */
struct item {
    uint64_t touched, written;
    uint32_t agent;
    uint32_t event; /* NO_EVENT: the last step */
    bool needed;    /* it keeps another step from being a weak initial */
    bool kept;      /* it is needed, or has to come before one that is */
    bool passed;    /* it was found by goes_first */
};

/* v \ p.  The last step comes as early as it can: right behind the events that came before it. */
struct remainder {
    const struct sequence *sequence;
    struct item *item;   /* those left are from start on; there is room for all */
    uint32_t start, end; /* end: so many were looked at; the rest is taken from the sequence when it matters */
    bool whole;          /* all of it is needed */
    /* of all that is left and was looked at, and of some that is not left */
    uint64_t agents; /* a bit for each, modulo 64 */
    uint64_t touched, written;
    struct masks others; /* of what was taken out, the steps that are not the sequence's own */
    uint32_t *clock;     /* room for one */
};

/* All of the sequence; there is room for as many items, and a clock. */
void remainder_make(struct remainder *rest, const struct sequence *sequence, struct item *room, uint32_t *clock);
/* Is the step a weak initial of what is left?  *place is that of its item, or the length of the sequence when it has
 * none; if it is no weak initial, that of the first item in conflict with it. */
bool is_weak_initial(struct remainder *rest, const struct footprint *step, uint32_t *place);
/* Takes a step out of what is left if it is a weak initial of it; else notes what is needed to keep it from being one.
 */
bool take_out(struct remainder *rest, const struct footprint *step);
/* The same if it is the agent's step that is the first of what is left: nothing need be compared. */
bool take_out_first(struct remainder *rest, uint32_t agent);
/* Marks of what is left what is needed, and what has to come before that. */
void keep_needed(struct remainder *rest);
/* Can the step be taken before all that is kept, and after those that this was asked of before?  One that has no item
 * can only if all those could (`all`), since it may follow any of them.  *from is rest->start at first. */
bool goes_first(struct remainder *rest, const struct footprint *step, uint32_t *from, bool all);
/* Marks what is left and does not happen after anything that is kept. */
void pass_first(struct remainder *rest);
struct footprint item_footprint(const struct remainder *rest, const struct item *item);

/* Notes an item that was taken out, or kept. */
static inline void note_item(struct remainder *rest, const struct item *item)
{
    if (item->event != NO_EVENT && item->event >= rest->sequence->depth)
        masks_add(&rest->others, item->touched, item->written);
}

#endif
