/* SPDX-License-Identifier: Apache-2.0 */
/* The program's side of its supervision: what `portolan run` can see while it explores itself, and the report. */
#ifndef NATIVE_LIVE_H
#define NATIVE_LIVE_H

#include "native/run.h"
#include "native/supervision.h"
#include "portolan/portolan.h"

#include <stdio.h>

extern struct supervision *supervision; /* NULL: the program just runs */
extern struct live *own_live;           /* the part of it that is this process's */

/* Maps the memory shared with the supervisor, if there is one; false after saying what is wrong. */
bool supervision_join(void);
/* This process is the one with this number. */
void live_is(uint32_t number);
/* A search begins; there is one more thread; an execution is over. */
void live_begin(void);
void live_birth(uint32_t agent);
void live_executed(void);
/* For callbacks.progress. */
void live_progress(void *unused, const struct portolan_statistics *so_far);
/* A step is taken from a depth. */
static inline void live_step(uint32_t agent, size_t depth)
{
    if (!own_live)
        return;
    if (depth < LONGEST_SCHEDULE)
        own_live->order[depth] = (uint8_t)agent;
    atomic_store_explicit(&own_live->depth, (uint32_t)depth + 1, memory_order_release);
    atomic_store_explicit(&own_live->steps, run.taken, memory_order_relaxed);
}
/* Why the supervisor has asked to stop. */
enum portolan_stop reason_to_stop(void);
/* A part of the report: closing it makes it known. */
FILE *part_open(enum part part);
void part_close(FILE *file, enum part part);
/* The report is complete. */
void supervision_done(int exit_status);

#endif
