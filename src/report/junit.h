/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as JUnit XML, which CI systems show as test results. */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include <stddef.h>
#include <stdio.h>

enum junit_outcome { JUNIT_PASSED, JUNIT_FAILED, JUNIT_ERROR, JUNIT_SKIPPED };

struct junit_case {
    const char *name;
    enum junit_outcome outcome;
    /* of all but passed ones */
    const char *type, *message;
    const char *text; /* of any number of lines, ended by a zero behind its size; NULL: none */
    size_t text_size;
};

/* Texts may hold any bytes: what XML cannot hold is written as "\x1b". */
struct junit_suite {
    const char *name;
    double seconds;
    struct junit_property {
        const char *name, *value;
    } properties[8]; /* ended by one without a name, if there are fewer */
    const struct junit_case *cases;
    size_t case_count;
};

void junit_write(const struct junit_suite *suite, FILE *out);

#endif
