/* SPDX-License-Identifier: Apache-2.0 */
/* --explain with stubborn sets and lpor: in each state what was explored, why, and why the rest can wait. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/command.h"

struct explaining;

/* Listens to the search of a job; explaining_end is due.  NULL with a filled error. */
struct explaining *explaining_begin(struct job *job, struct portolan_error *error);
/* Prints what was heard, and forgets it; accepts NULL. */
enum portolan_status explaining_end(struct explaining *explaining, FILE *out, struct portolan_error *error);

#endif
