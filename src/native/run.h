/* SPDX-License-Identifier: Apache-2.0 */
/* The present run of the program: the steps that were taken, and how it ends. */
#ifndef NATIVE_RUN_H
#define NATIVE_RUN_H

#include "base/vector.h"
#include "native/failure.h"
#include "native/operations.h"

#include <stddef.h>

/* An event of the present execution, as far as going back needs it. */
struct step_record {
    uint32_t agent;
    struct pending operation;
    object_content before[2]; /* what its objects were like */
    uint64_t words[2];        /* of an access to memory: all of the aligned word, or of two */
    object_content after;
    uint64_t result;
};

extern struct run {
    uint32_t number;
    size_t top; /* how many steps were taken */
    VECTOR(struct step_record) steps;
    struct failure failure;
    bool beginning; /* no step was taken yet */
    bool process_exits;
    int exit_status;
    uint64_t count, taken; /* runs and steps, so far */
} run;

/* Prepares for a search with room for so many agents; false when memory is short. */
bool run_prepare(uint32_t agents);
/* Resets everything and runs main to its first visible operation. */
void begin_run(void);
/* The thread goes on as soon as the running one stops. */
void make_ready(uint32_t agent);
/* Is it a step of the search, or does it happen at once? */
bool is_step(const struct pending *operation);
/* Does the agent have a next step, which may wait? */
bool has_step(uint32_t agent);
/* Can the agent take its next step?  False also when it has none. */
bool can_step(uint32_t agent);
/* Takes it; false when memory is short. */
bool take_step(uint32_t agent);
/* Does somebody wait, and nobody can go on but in loops that never end? */
bool is_stuck(void);

/* --- readers.c */

struct lock_state {
    bool written;
    uint32_t readers;
};

/* What a read-write lock is like at a depth of the present execution, and after another event of it. */
struct lock_state lock_at(uint32_t object, size_t depth);
void lock_take(struct lock_state *state, uint32_t object, size_t event);

#endif
