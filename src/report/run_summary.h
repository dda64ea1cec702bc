/* SPDX-License-Identifier: Apache-2.0 */
/* What a search through the schedules of a C program covered: told by the program itself, or by its supervisor. */
#ifndef REPORT_RUN_SUMMARY_H
#define REPORT_RUN_SUMMARY_H

#include "portolan/portolan.h"
#include "report/json.h"

#include <stdio.h>

/* The verdicts by exit status: "holds", "violated", "refused", "unknown". */
const char *run_verdict(int exit_status);
/* Why the verdict is open; `reservation` is a reason that the search does not know, or NULL. */
void describe_unknown(const struct portolan_result *result, const struct portolan_options *options,
                      const char *reservation, char *text, size_t size);
void print_counts(const struct portolan_result *result, const struct portolan_options *options, FILE *out);
/* The fields that these lines have in JSON. */
void json_counts(const struct portolan_result *result, struct json *json);

struct run_answer {
    const struct portolan_result *result;
    const char *program, *kind, *message;
    int exit_status;
    const char *text; /* the whole report */
    size_t text_size;
    const char *reservations[3]; /* NULL: no more */
};

void run_junit(const struct run_answer *answer, FILE *out);

#endif
