/* Traces for people, for programs, and as files that can be replayed. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "base/vector.h"
#include "portolan/portolan.h"
#include "report/json.h"

struct trace {
    VECTOR(uint32_t) actions;
};

/* One line a step: the action and what it changes; then the last state.  Each step is fired again on the way. */
enum portolan_status trace_print(struct portolan_system *system, const uint32_t *actions, size_t count, FILE *out,
                                 struct portolan_error *error);
/* The same as a JSON array of steps. */
enum portolan_status trace_json(struct portolan_system *system, const uint32_t *actions, size_t count,
                                struct json *json, struct portolan_error *error);

/* A trace file: comment lines with '#', then one action name a line. */
enum portolan_status trace_write(const struct portolan_system *system, const char *path, const char *property,
                                 const uint32_t *actions, size_t count, struct portolan_error *error);
/* On PORTOLAN_OK trace->actions.item must be freed. */
enum portolan_status trace_read(const struct portolan_system *system, const char *path, struct trace *trace,
                                struct portolan_error *error);

#endif
