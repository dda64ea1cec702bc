/* SPDX-License-Identifier: Apache-2.0 */
/* Files of properties: the table of readers. */
#ifndef LIBRARY_PROPERTIES_H
#define LIBRARY_PROPERTIES_H

#include "property/question.h"

/* Reads what a file asks of a system, whose names it uses; the name of the file tells the format.  The questions are to
 * be cleared also after a failure. */
enum portolan_status questions_read(const char *path, const struct portolan_system *system, struct questions *questions,
                                    struct portolan_error *error);

#endif
