/* SPDX-License-Identifier: Apache-2.0 */
/* A trace of agents as a table: a row for each step, a column for each agent. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "portolan/portolan.h"

#include <stdio.h>

/* Are its agents threads, so that traces are shown so, with few switches? */
bool has_columns(const struct portolan_system *system);
/* The same, or it offers the columns view. */
bool has_table(const struct portolan_system *system);

/* Prints the steps, what became of the variables, and why each agent that has not ended cannot go on. */
enum portolan_status columns_print(struct portolan_system *system, const uint32_t *actions, size_t count,
                                   size_t cycle_start, FILE *out, struct portolan_error *error);

/* Whose next step the action is, in a system that has columns; false when memory is exhausted. */
bool step_agent(const struct portolan_system *system, const void *state, uint32_t action, uint32_t *agent);

/* How often another agent goes on than the one before. */
size_t count_switches(struct portolan_system *system, const uint32_t *actions, size_t count);

#endif
