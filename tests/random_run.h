/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the testers with random models. */
#ifndef TESTS_RANDOM_RUN_H
#define TESTS_RANDOM_RUN_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How many (--models N, or whatever the tester calls them), of which seed, from which number on. */
struct random_run {
    uint64_t count, seed, first;
    const char *keep, *write; /* --keep PLACE, for what failed; --write PLACE, for all; NULL: nowhere */
};

/* For who waits for a long run: now and then, on standard error, how far it is. */
static inline void random_run_tell(uint64_t done, uint64_t count, uint64_t next)
{
    enum { SECONDS = 10 };
    static time_t last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    last = last ? last : now.tv_sec;
    if (now.tv_sec - last < SECONDS)
        return;
    last = now.tv_sec;
    fprintf(stderr, "%" PRIu64 " of %" PRIu64 " done, next number %" PRIu64 "\n", done, count, next);
}

/* False, after saying why, when an argument is none of these; what is not said stays as it is. */
static inline bool random_run_read(struct random_run *run, const char *option, int count, char **arguments)
{
    for (int i = 1; i < count; i += 2) {
        uint64_t *number = strcmp(arguments[i], option) == 0      ? &run->count
                           : strcmp(arguments[i], "--seed") == 0  ? &run->seed
                           : strcmp(arguments[i], "--first") == 0 ? &run->first
                                                                  : NULL;
        const char **place = strcmp(arguments[i], "--keep") == 0    ? &run->keep
                             : strcmp(arguments[i], "--write") == 0 ? &run->write
                                                                    : NULL;
        if (i + 1 == count || (!number && !place)) {
            fprintf(stderr, "usage: %s [%s N] [--seed S] [--first K] [--keep PLACE] [--write PLACE]\n", arguments[0],
                    option);
            return false;
        }
        if (number)
            *number = strtoull(arguments[i + 1], NULL, 10);
        else
            *place = arguments[i + 1];
    }
    return true;
}

#endif
