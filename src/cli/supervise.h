/* SPDX-License-Identifier: Apache-2.0 */
/* `portolan run` stays outside of the program that it explores: it enforces the limits and writes the answer. */
#ifndef CLI_SUPERVISE_H
#define CLI_SUPERVISE_H

#include "cli/command.h"
#include "native/supervision.h"

#include <time.h>

/* Makes the memory that is shared with the program and fills in the settings; NULL with a filled error.  `file` becomes
 * a descriptor of it, closed on exec; `replay` is a file with a schedule, or NULL. */
struct supervision *supervision_make(const struct settings *settings, const char *replay, int *file,
                                     struct portolan_error *error);
/* Tells the program by its environment which descriptor that is. */
bool supervision_announce(int file);

/* A program on its way. */
struct watched {
    const struct settings *settings;
    struct supervision *shared;
    const char *const *arguments; /* the first one is the program; ended by NULL */
    pid_t process;
    struct timespec start;
    enum supervision_stop stop; /* that was asked for */
    double end_at;              /* when it is ended if it has not stopped by then */
    bool insists;               /* the user, by a second signal */
    bool was_ended;             /* by us */
    bool is_over;               /* `how` tells how it ended, or that it was stopped */
    siginfo_t how;
    /* of a search part by part: parts.h */
    uint64_t mark;    /* of the question */
    double next_save; /* since when the next checkpoint is counted */
    bool is_saved;    /* there is one */
    char trouble[160];
};

double watched_seconds(const struct watched *watched);
uint64_t watched_executions(const struct watched *watched);

/* Starts the program of a struct with settings and arguments, and follows it to its end; `replay` as above. */
enum portolan_status watch(struct watched *watched, const char *replay, struct portolan_error *error);
void watched_clear(struct watched *watched);
/* Starts the program, follows it to its end, and answers; returns the exit status. */
int supervise(const struct settings *settings, char **arguments, const char *replay);
/* The user has interrupted before there was a program: answers so. */
int supervise_nothing(const struct settings *settings, char **arguments);

/* Writes what the program reported, or what is known without its report; returns the exit status. */
int deliver(const struct watched *watched);

/* Reads a file of --suppress and finds the places of the program that its lines are about (suppress.c). */
enum portolan_status read_suppressions(const char *path, const char *program, struct suppressed *suppressed,
                                       struct portolan_error *error);

#endif
