/* SPDX-License-Identifier: Apache-2.0 */
/* The questions of property files: one run answers all of them. */
#ifndef CLI_QUESTIONS_H
#define CLI_QUESTIONS_H

#include "cli/command.h"

/* Reads the files. */
enum portolan_status questions_make(struct job *job, const struct settings *settings, struct portolan_error *error);
/* Searches until each question has its answer or a limit is reached.  Then the job has one property for each question,
 * with its name, and one answer. */
enum portolan_status questions_search(struct job *job, struct portolan_error *error);

#endif
