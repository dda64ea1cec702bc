/* SPDX-License-Identifier: Apache-2.0 */
/* Time, memory and signals: the limits of a whole command, and what is said when one is reached before there is an
 * answer. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "base/limits.h"
#include "cli/options.h"

/* From here on --time and --memory bound everything, and SIGINT, SIGTERM and SIGHUP ask to end; a second one ends at
 * once.  The settings must stay. */
void command_limits_begin(const struct settings *settings, const char *command);
void command_limits_end(void);
/* Becomes nonzero when the user asks to end. */
const volatile sig_atomic_t *command_interrupt(void);

/* The command ends without an answer: says so as the settings ask, in text, JSON and JUnit; the exit status. */
int report_stopped(const struct portolan_error *error);

#endif
