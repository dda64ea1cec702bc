/* SPDX-License-Identifier: Apache-2.0 */
/* Traces for people, for programs, and as files that can be replayed. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "base/vector.h"
#include "portolan/portolan.h"
#include "report/json.h"
#include "system/stepper.h"

struct trace {
    char *text;              /* of the file, while it is read */
    const char *opened_with; /* what the model is to be opened with, NULL: nothing */
    VECTOR(uint32_t) actions;
    VECTOR(unsigned) lines; /* of the file it was read from, one an action */
    size_t cycle_start;     /* as in struct portolan_answer */
};

/* One line a step: the action and what it changes; then the last state.  Each step is fired again on the way.  What
 * cycle_start means is told in struct portolan_answer. */
enum portolan_status trace_print(struct portolan_system *system, const uint32_t *actions, size_t count,
                                 size_t cycle_start, FILE *out, struct portolan_error *error);
/* The same as a JSON array of steps, with a "message": what is to be said of the last state, or null. */
enum portolan_status trace_json(struct portolan_system *system, const uint32_t *actions, size_t count,
                                struct json *json, struct portolan_error *error);
/* "message": what is to be said of the state in which a trace ends, or null. */
void json_message(const struct stepper *stepper, struct json *json);
/* "cycle_start", null when there is no cycle. */
void json_cycle_start(struct json *json, size_t cycle_start);

/* A trace file: comment lines with '#', then one action name a line; a comment "# cycle" before what is repeated, and
 * "# opened with: ..." when the model was opened with a definition that nobody gave (else NULL). */
void trace_write(const struct portolan_system *system, const char *opened_with, const char *property,
                 const uint32_t *actions, size_t count, size_t cycle_start, FILE *out);
/* Reads the text; what it says about opening the model is known then.  trace_clear is due, also after a failure. */
enum portolan_status trace_open(const char *path, struct trace *trace, struct portolan_error *error);
/* Then its actions. */
enum portolan_status trace_read(const struct portolan_system *system, const char *path, struct trace *trace,
                                struct portolan_error *error);
void trace_clear(struct trace *trace);

#endif
