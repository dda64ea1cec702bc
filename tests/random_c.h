/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs in two languages at once, line by line: C for `portolan cc`, and .dl (docs/threads.md).  Both have
 * the same threads and the same values at the end; a program that is exact also has as many equivalence classes of
 * schedules in one as in the other.
 */
#ifndef TESTS_RANDOM_C_H
#define TESTS_RANDOM_C_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TWIN_LINES = 160 };

struct twin_line {
    char c[160], dl[160];
};

struct twin {
    struct twin_line lines[TWIN_LINES];
    size_t count;
    bool exact;
    bool looks_round; /* a loop looks at several places: an execution that ends within a round does not count */
    bool plain;       /* some accesses are not atomic, and under a lock or not */
    unsigned values;  /* of the shared variables at the start: 2 bits each */
};

/* The variables of the .dl program that the C program reports at its end, in this order; NULL ends them. */
extern const char *const twin_outcome[];

void random_twin(uint64_t seed, struct twin *twin);
/* One program in C, or C++, with all of them; its arguments are the number of one and of an open file for the outcomes.
 */
void twins_write_c(const struct twin *twins, size_t count, bool cplusplus, FILE *out);
void twin_write_dl(const struct twin *twin, FILE *out);

#endif
