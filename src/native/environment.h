/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds main in every execution: what it is given, what runs before and after it, what the process keeps. */
#ifndef NATIVE_ENVIRONMENT_H
#define NATIVE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* To main. */
extern struct given {
    int argument_count;
    char **arguments, **environment;
    unsigned char *place; /* where all of it is */
    size_t room;
} given;

/* How much room the arguments and the environment take. */
size_t environment_bytes(void);
/* They will be at this place; false when there is no memory. */
bool environment_make(unsigned char *place);
void environment_reset(void);

/* --- process.c: locale, directory and the like */

void process_reset(void);
void begin_thread_locale(void);

/* --- constructors.c */

void constructors_reset(void);
void run_constructors(void);
/* Runs the functions of atexit, then the destructors. */
void run_destructors(int status, uintptr_t caller);
/* The functions of atexit and their arguments. */
const void *functions_at_exit(size_t *size);

/* --- ends.c */

/* Fails when the program ends with a status that is not allowed. */
void check_exit_status(int status, uintptr_t caller);
/* Prepares for libraries that end the process. */
bool ends_make(void);

/* --- files.c */

enum { MOST_FILES = 256 };

/* A file was opened under this number, which is returned. */
int opened_number(int number);
/* Closes what the previous run has left open. */
void files_reset(void);

#endif
