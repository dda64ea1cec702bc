/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated C programs, many in one file: compiling them, exploring one of them by a method, and what is known after.
 * A program gets its number and that of an open file as arguments, and writes a line of values to the file at its end.
 */
#ifndef TESTS_EXPLORE_C_H
#define TESTS_EXPLORE_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BATCH = 40, MOST_EXECUTIONS = 4000, MOST_OF_NONE = 500 };

struct text_set {
    char **item;
    size_t count, capacity;
};

bool add_text(struct text_set *set, const char *text);
void clear_set(struct text_set *set);
/* Sorts it, each text once. */
void make_set(struct text_set *set);
/* The first of `some` that is not in `all`; NULL when there is none. */
const char *not_in(const struct text_set *some, const struct text_set *all);

struct method {
    const char *reduction;
    bool interleave;     /* only for programs with plain accesses */
    const char *journal; /* how to go back: NULL is the usual way */
    const char *threads; /* three and more divide every program between them, however small it is */
};

struct found {
    bool holds, wrong; /* neither: undecided */
    char error[32];
    uint64_t executions, blocked;
    struct text_set ends;
};

struct workshop {
    const char *portolan;
    char directory[64];
    bool volatile_is_atomic; /* else it is plain */
    bool cplusplus;          /* the programs are written in it */
};

bool workshop_open(struct workshop *shop, const char *portolan);
void workshop_close(const struct workshop *shop);
/* For writing the source; NULL when it cannot be. */
FILE *open_source(const struct workshop *shop);
bool compile_source(const struct workshop *shop);
/* Explores program `number` of the source. */
bool explore(const struct workshop *shop, size_t number, const struct method *method, struct found *found);

#endif
