/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that store no states by several ranks.  The first rank plans shards, as --shards does, many more than there
 * are ranks, and hands one to each rank that has nothing to do; a rank runs it as a process of its own, `portolan
 * shard`, and sends back the answer.  In the end the first rank puts the answers together, by `portolan merge`.
 */
#ifndef CLI_HANDOUT_H
#define CLI_HANDOUT_H

#include "cli/command.h"
#include "cli/options.h"
#include "distributed/transport.h"
#include "stateless/shards.h"

#include <time.h>

enum handed { TO_DO, GIVEN, DONE };

struct handout {
    const struct settings *settings;
    const struct command_help *command;
    struct transport *transport;
    char *directory;          /* of this rank: the plan, and what belongs to its shards; of the first, all answers */
    struct shard_order order; /* with the plan */
    char program[4096];
    double start;
    /* of every rank: the job it runs */
    pid_t job; /* 0: none */
    uint32_t shard;
    double told_to_end;         /* when; 0: it was not */
    struct timespec last_saved; /* the checkpoint of the job that was sent last */
    bool is_ending;             /* there are no more jobs for this rank */
    /* of the first */
    enum handed *handed;       /* per shard, from 1 */
    uint32_t next, done, away; /* the shard to look at; how many are done; ranks that still work */
    uint64_t executions;       /* of answers */
    enum portolan_stop stop;   /* why all end early; PORTOLAN_COMPLETE: they do not */
    uint64_t lesson;           /* the plan was made with too short a lesson: this one may do */
    bool failed;
    double next_save;
    bool is_saved;
    char trouble[160];
};

/* Is this such a search? */
bool wants_handout(const struct settings *settings, enum command command);
/* All ranks: returns the exit status, which counts at the first. */
int hand_out(struct settings *settings, const struct command_help *command);

double handout_seconds(const struct handout *h);

/* --- handout_job.c: processes */

/* Starts this program with these words and waits for it; its exit status.  `to` is a file for what it prints, or NULL.
 */
int job_call(const struct handout *h, char *const *words, const char *to);
/* Starts a shard. */
bool job_start(struct handout *h, uint32_t shard);
/* The job has ended?  Tells it to end when that is asked for. */
bool job_has_ended(struct handout *h);

/* --- handout_file.c: a directory of its own, and all of it in one file */

bool read_whole(const char *path, unsigned char **bytes, size_t *count);
bool write_whole(const char *path, const void *bytes, size_t count);
enum portolan_status directory_make(struct handout *h, struct portolan_error *error);
void directory_remove(struct handout *h);
/* Plan, answers and checkpoints of shards: to the file that the settings name, and from the one to resume. */
enum portolan_status handout_save(const struct handout *h, struct portolan_error *error);
enum portolan_status handout_read(const struct handout *h, struct portolan_error *error);
/* Reads the plan in the directory. */
enum portolan_status handout_plan(struct handout *h, struct portolan_error *error);

#endif
