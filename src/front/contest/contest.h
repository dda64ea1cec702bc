/* SPDX-License-Identifier: Apache-2.0 */
/* Property files of the Model Checking Contest (https://mcc.lip6.fr). */
#ifndef FRONT_CONTEST_CONTEST_H
#define FRONT_CONTEST_CONTEST_H

#include "property/question.h"

/* Reads a property file about a system; "-" is standard input.  A formula that cannot be answered becomes a question
 * with a refusal; a name that the system does not have is an error, with its line and column. */
enum portolan_status contest_read(const char *path, const struct portolan_system *system, struct questions *questions,
                                  struct portolan_error *error);
/* The same from memory, for tests and fuzzers; name stands for the file in errors. */
enum portolan_status contest_read_memory(const char *name, const char *text, size_t length,
                                         const struct portolan_system *system, struct questions *questions,
                                         struct portolan_error *error);

#endif
