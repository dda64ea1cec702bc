/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The present execution as a partial order: its events, what they touched, and
 * a clock vector per event.  e happens before f when the clock of f has
 * counted e.  Events are numbered by their position; the step that event i
 * takes leads from depth i to depth i + 1.
 */
#ifndef STATELESS_EXECUTION_H
#define STATELESS_EXECUTION_H

#include "base/agent_set.h"
#include "base/clock_vector.h"
#include "base/vector.h"
#include "stateless/machine.h"

#define NO_EVENT UINT32_MAX

/* The first objects have a bit each, the others share the upper half. */
static inline uint64_t object_bit(uint32_t object)
{
    return UINT64_C(1) << (object < 32 ? object : 32 + object % 32);
}

/* What an access adds to the masks of its step.  One that commutes with its like is in the shared half as well: two of
 * those meet there only, so that nothing is certain. */
static inline void add_to_masks(const struct portolan_access *access, uint64_t *touched, uint64_t *written)
{
    uint64_t bit = object_bit(access->object), shared = UINT64_C(1) << (32 + access->object % 32);
    *touched |= access->group ? shared : bit;
    *written |= access->group ? bit | shared : access->writes ? bit : 0;
}

/* What a set of steps touches and writes. */
struct masks {
    uint64_t touched, written;
};
static const struct masks ALL_OBJECTS = {~UINT64_C(0), ~UINT64_C(0)};

static inline void masks_add(struct masks *masks, uint64_t touched, uint64_t written)
{
    masks->touched |= touched;
    masks->written |= written;
}

/* What a judgement depends on, besides events that it is about: on steps that nothing may be in conflict with, and on
 * events.  For as long as those are there, up to a position, it does not matter what comes after them; when they are
 * gone, they are such steps. */
struct dependence {
    struct masks steps, events;
    uint32_t end;
};
static const struct dependence ON_EVERYTHING = {.steps = {~UINT64_C(0), ~UINT64_C(0)}};

static inline void dependence_add(struct dependence *all, const struct dependence *more)
{
    masks_add(&all->steps, more->steps.touched, more->steps.written);
    masks_add(&all->events, more->events.touched, more->events.written);
    all->end = all->end > more->end ? all->end : more->end;
}

struct event {
    uint32_t agent;
    uint32_t order; /* the agent's own events, counted from 1 */
    uint32_t action;
    uint32_t waits_for;
    uint32_t first_touch; /* its touches are consecutive, in the order of its accesses */
    uint32_t access_count;
    uint32_t previous; /* of the same agent, or NO_EVENT */
    uint32_t floor;    /* where its floor is, or NO_EVENT */
    uint32_t after;    /* the last event that it follows directly, + 1; 0: none */
    uint32_t first_race, race_count;
    bool varies;
    uint32_t followers;        /* events that race with it */
    uint64_t touched, written; /* masks of objects: object_bit */
    struct dependence open;    /* of all races of this event and those before it */
};

/* What the masks say of a conflict: none, one for certain, or perhaps one. */
static inline uint64_t common_objects(uint64_t touched, uint64_t written, uint64_t other_touched,
                                      uint64_t other_written)
{
    return (written & other_touched) | (touched & other_written);
}

static inline bool masks_meet(const struct masks *a, const struct masks *b)
{
    return common_objects(a->touched, a->written, b->touched, b->written);
}

static inline bool is_certain(uint64_t common)
{
    return (uint32_t)common;
}

/* One access, linked with the accesses of the same object before it. */
struct touch {
    uint32_t event;
    uint32_t last_write; /* touch of the last write before, or NO_EVENT */
    uint32_t last_read;  /* touch of the last read since that write, or NO_EVENT */
};

/* A race of an event with an earlier one. */
struct race {
    uint32_t first;
    bool settled; /* its reversal was explored from the node before the first: it need not be looked at again */
    struct dependence depends; /* nor before something changes on which it depends, where the method knows of that */
};

/* An event that another one follows directly. */
struct predecessor {
    uint32_t event;
    uint32_t found; /* its number among those found */
};

struct execution {
    uint32_t agents;
    uint32_t stride;  /* numbers in a clock: one per agent, and zeros up to whole vectors */
    uint32_t varying; /* events whose footprint varies */
    VECTOR(struct event) events;
    VECTOR(struct touch) touches;
    VECTOR(struct portolan_access) accesses; /* parallel to touches */
    VECTOR(uint32_t) clocks;                 /* stride per event */
    VECTOR(uint32_t) floors;                 /* the same for what an event follows by birth or joining */
    struct heads {
        uint32_t write, read;
    } * objects; /* per object its last touches */
    size_t object_capacity;
    VECTOR(struct race) races;               /* by event */
    uint32_t *last_of;                       /* per agent: its last event */
    uint32_t *follows;                       /* scratch: events */
    uint32_t *zero;                          /* the clock before everything */
    uint32_t *prefix;                        /* scratch: a clock (prefix.h) */
    VECTOR(struct predecessor) predecessors; /* scratch of appending */
    agent_set *met;                          /* NULL, or per agent a bit for each other whose events it followed */
};

bool execution_make(struct execution *execution, const struct machine *machine);
void execution_clear(struct execution *execution);
size_t execution_bytes(const struct execution *execution);

/* Appends a step of an agent, which x->follows[0..followed) come before; false when memory is short. */
bool execution_append(struct execution *execution, uint32_t agent, const struct portolan_step *step, size_t followed);
/* Forgets all events from position `length` on. */
void execution_cut(struct execution *execution, size_t length);

static inline const uint32_t *clock_of(const struct execution *x, uint32_t event)
{
    return x->clocks.item + (size_t)event * x->stride;
}

static inline const struct portolan_access *accesses_of(const struct execution *x, uint32_t event)
{
    return x->accesses.item + x->events.item[event].first_touch;
}

/* What an event follows by birth or joining, as a clock; NULL: nothing. */
static inline const uint32_t *floor_of(const struct execution *x, const struct event *e)
{
    return e->floor == NO_EVENT ? NULL : x->floors.item + e->floor;
}
/* The same of a step that was not taken, from x->follows; `floor` has room for a clock. */
void make_floor(const struct execution *execution, size_t followed, uint32_t *floor);

/* Does `first` happen before `second`, or are they the same? */
static inline bool happens_before(const struct execution *x, uint32_t first, uint32_t second)
{
    const struct event *e = &x->events.item[first];
    return clock_of(x, second)[e->agent] >= e->order;
}

static inline bool events_conflict(const struct execution *x, uint32_t a, uint32_t b)
{
    return accesses_conflict(accesses_of(x, a), x->events.item[a].access_count, accesses_of(x, b),
                             x->events.item[b].access_count);
}

/* The races of an event: with the events of other agents that conflict directly with it, do not happen before its
 * agent's previous event, and have nothing between them and it.  Events have a race_count. */
static inline struct race *races_of(const struct execution *x, uint32_t event)
{
    return x->races.item + x->events.item[event].first_race;
}

/* The last event before position `limit` that writes the object, or NO_EVENT; and the one before such an event. */
uint32_t last_writer(const struct execution *execution, uint32_t object);
uint32_t writer_before(const struct execution *execution, uint32_t event, uint32_t object);

#endif
