/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random thread programs for differential tests: shared variables, arrays with computed indices, branches on shared
 * values, locks nested both ways, compare-and-swap, await, condition variables, atomic, assertions, now and then spawn
 * and join.  Every program ends, deadlocks or fails; all are small enough for every interleaving to be tried.
 */
#ifndef TESTS_RANDOM_PROGRAM_H
#define TESTS_RANDOM_PROGRAM_H

#include "portolan/portolan.h"

/* The text of the program of a seed, to be freed; NULL when memory is out. */
char *random_program(uint64_t seed);
/* Opens a program from memory; a failure is written to standard error with the text, and gives NULL. */
struct portolan_system *open_program(const char *text);
/* The same without a word. */
struct portolan_system *open_quietly(const char *text);

#endif
