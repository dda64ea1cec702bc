/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people and for files; running a schedule again. */
#ifndef NATIVE_REPORT_H
#define NATIVE_REPORT_H

#include "native/failure.h"
#include "native/operations.h"
#include "native/record.h"
#include "portolan/portolan.h"

#include <stdbool.h>
#include <stdio.h>

const char *failure_word(enum failure_kind kind);
const char *operation_word(enum operation kind);
/* Runs the failing schedule again, records it, and says what was found; returns the exit status.  No result: a schedule
 * is replayed. */
int report(const struct portolan_result *result, FILE *errors);
/* Runs the failing schedule until there is nothing left to learn from it; false when memory is short. */
bool learn_from_schedule(void);

/* A run of the failing schedule. */
struct shown {
    size_t taken; /* the step that was to be taken last */
    char *output; /* of the program */
    size_t output_size;
};

/* --- record.c */

bool record_open(void);
void record_put(enum record_item item, const void *content, size_t size);
void record_search(const struct portolan_result *result, int exit_status);
/* All about the failure at which the present run ended. */
void record_error(const struct failure *failure, const struct shown *shown);
void record_close(void);

/* --- schedule_file.c */

void write_schedule(FILE *file);
/* Reads the schedule of a file; false after saying what is wrong. */
bool read_schedule(const char *path, FILE *errors);

/* --- debug.c */

extern struct debugger {
    bool follows;   /* the schedule that is run, ... */
    bool announces; /* ... and a thread is resumed only to be seen by it */
} debugger;

/* Runs the failing schedule for a debugger; returns the exit status. */
int debug_schedule(void);
/* Calls the function at which the debugger stops, in the context of the present thread. */
void announce(void);

#endif
