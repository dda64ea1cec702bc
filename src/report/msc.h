/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of processes that exchange messages: as text, and as a message sequence chart. */
#ifndef REPORT_MSC_H
#define REPORT_MSC_H

#include "portolan/portolan.h"

#include <stdio.h>

/* Refuses a system that has no messages view. */
bool has_chart(const struct portolan_system *system, struct portolan_error *error);

/* Writes the chart as SVG: a lifeline for each process, an arrow for each message, and `end` (unless NULL) below. */
enum portolan_status msc_write(struct portolan_system *system, const uint32_t *actions, size_t count, const char *end,
                               FILE *out, struct portolan_error *error);

/* "Acceptor[1] promise", then a line for what is received and one for what is sent, each indented; no newline at the
 * end.  The action must be enabled in the state. */
void messages_print(const struct portolan_system *system, const void *state, uint32_t action, int indent, FILE *out);

/* "on their way: vote(true) to Coordinator": a line, when there are messages that nobody has received yet. */
void messages_on_way_print(const struct portolan_system *system, const void *state, int indent, FILE *out);

#endif
