/* SPDX-License-Identifier: Apache-2.0 */
/* What check does for --certify. */
#ifndef CLI_CERTIFY_H
#define CLI_CERTIFY_H

#include "certify/certify.h"
#include "cli/command.h"

/* Before the search: refuses what has no certificate, and has the search recorded.  path may be NULL. */
enum portolan_status certify_begin(struct job *job, const char *path, struct record *record,
                                   struct portolan_error *error);
/* After it: writes the certificate when nothing wrong was found; `tell` prints a line about it. */
enum portolan_status certify_end(struct job *job, const char *path, struct record *record, bool tell,
                                 struct portolan_error *error);

#endif
