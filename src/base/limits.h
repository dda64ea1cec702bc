/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the calling thread may use: time, memory of the process, and a flag that asks it to end.
 *
 * Whatever may run long asks `limits_reached()` on its way, once per unit of work, and when the answer is true it
 * leaves as it would leave when an allocation fails; fail_memory() then reports PORTOLAN_STOPPED.  So there is one way
 * out of everything.  The question costs a few instructions: the clock is read once a millisecond or so, however long
 * a unit of work takes, and the resident set every few milliseconds.
 *
 * Limits are nested: those of a search within those of the command.  Threads that work for the one that began them
 * adopt them; the counters may be shared.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "portolan/portolan.h"

#include <stdatomic.h>

struct portolan_limits {
    struct portolan_limits *outer;
    int64_t start, deadline; /* nanoseconds of the monotonic clock; INT64_MAX: no deadline */
    size_t bytes;            /* of the resident set; 0: any */
    const volatile sig_atomic_t *interrupt;
    bool finishing;                   /* those around have been reached and no longer count */
    _Atomic(enum portolan_stop) stop; /* PORTOLAN_COMPLETE: none of them has been reached */
    _Atomic uint32_t until_look, interval;
    _Atomic int64_t last_look, next_weighing;
    int64_t patience;                /* nanoseconds: see limits_be_patient */
    _Atomic(enum portolan_stop) due; /* a limit that has been reached, and waits */
    int64_t due_since;
    void (*relieve)(void *user); /* makes the resident set smaller before the limit of memory counts; or NULL */
    void *relieved;
};

extern _Thread_local struct portolan_limits *limits_present;

/* seconds, bytes 0 and interrupt NULL: no such limit.  The caller owns the struct and ends them. */
void limits_begin(struct portolan_limits *limits, double seconds, size_t bytes, const volatile sig_atomic_t *interrupt);
void limits_end(struct portolan_limits *limits);
/* Where nobody has set limits: begins some without any, so that memory that runs out is noticed.  False: there are
 * limits, and nothing to end. */
bool limits_begin_if_none(struct portolan_limits *limits);
/* The present limits of another thread become those of this one. */
static inline void limits_adopt(struct portolan_limits *limits)
{
    limits_present = limits;
}

/* To finish with what there is (a trace, a report) once a limit may have been reached: new limits in which the present
 * time limit is exceeded by at most this part of it, that of memory by a tenth.  They end as others do. */
void limits_begin_finishing(struct portolan_limits *limits, double part);
#define FOR_A_WALK 0.1
#define FOR_A_PATH 0.3
#define FOR_REPLAYING 0.5
#define FOR_A_REPORT 0.8

/* From now on a limit that is reached is first told by limits_due() alone, so that a step can be finished;
 * limits_reached() tells it when that takes too long. */
void limits_be_patient(struct portolan_limits *limits);
enum portolan_stop limits_due(void);

bool limits_look(struct portolan_limits *limits);

/* Has a limit been reached?  Once true, it stays so. */
static inline bool limits_reached(void)
{
    struct portolan_limits *limits = limits_present;
    if (!limits)
        return false;
    uint32_t left = atomic_load_explicit(&limits->until_look, memory_order_relaxed);
    if (left == 0)
        return limits_look(limits);
    atomic_store_explicit(&limits->until_look, left - 1, memory_order_relaxed);
    return false;
}

/* May so many bytes be taken at once?  If not, the limit of memory counts as reached. */
bool limits_allow(size_t bytes);

/* Memory ran out where nobody can be told: the limit of memory counts as reached. */
void limits_run_out(void);
/* The same for something else. */
void limits_run_out_of(enum portolan_stop stop);
/* Until the present limits end: has `relieve` called, in any thread that adopted them, when the process is too large.
 * NULL: no longer. */
void limits_relieve(void (*relieve)(void *user), void *user);

/* How many bytes are left below the limit of memory; SIZE_MAX without one. */
size_t limits_room(void);

/* The time that is left; 0 when there is no limit, and hardly anything when it has been reached. */
double limits_seconds_left(void);

/* Which limit has been reached; PORTOLAN_COMPLETE: none. */
enum portolan_stop limits_stop(void);
/* The same, where something failed for want of memory: that counts as a limit too. */
enum portolan_stop limits_stop_or_memory(void);

/* Bytes of the process that are in memory now. */
size_t resident_bytes(void);
int64_t monotonic_now(void);

#endif
