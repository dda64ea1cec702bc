/* SPDX-License-Identifier: Apache-2.0 */
/* For --coverage: the rules (lines, transitions) that never fired, and the messages that nobody took. */
#ifndef CLI_FIRED_H
#define CLI_FIRED_H

#include "cli/command.h"
#include "report/json.h"

struct messages_seen;

/* Before the search: has it note which messages are sent and taken.  Other callbacks must be set by now. */
enum portolan_status fired_begin(struct job *job, struct portolan_error *error);
void messages_seen_free(struct messages_seen *seen);

/* One line when it is known that something never fires; with --coverage a list. */
void fired_print(const struct job *job, FILE *out);
/* The object "coverage"; with --coverage it has the lists. */
void fired_json(const struct job *job, struct json *json);

#endif
