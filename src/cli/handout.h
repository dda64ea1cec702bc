/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that store no states by several ranks.  The first rank keeps the tree whose leaves are handed out
 * (stateless/leaves.h); each rank explores one after the other by a process of its own, `portolan shard`, with which it
 * speaks by a mailbox.  When a rank has nothing to do and no leaf is open, the others are asked to give some.
 *
 * For a checkpoint all give back what they have and end, with an answer each; the tree and the answers are what is
 * kept, and then others begin.  In the end the first rank puts all answers together, by `portolan merge`.
 */
#ifndef CLI_HANDOUT_H
#define CLI_HANDOUT_H

#include "cli/command.h"
#include "cli/options.h"
#include "distributed/transport.h"
#include "stateless/mailbox.h"
#include "stateless/shards.h"
#include "stateless/skeleton.h"

#include <time.h>

/* What the first rank knows of each. */
struct receiver {
    struct skeleton_node *leaf; /* that it explores */
    uint64_t executions;        /* so far, of its process */
    bool has_process, asks, was_asked;
};

struct handout {
    const struct settings *settings;
    const struct command_help *command;
    struct transport *transport;
    char *directory;          /* of this rank: the plan, and what belongs to its process; of the first, all answers */
    struct shard_order order; /* with the plan */
    char program[4096];
    double start;
    /* of every rank */
    pid_t job;               /* the process that explores; 0: none */
    uint32_t process;        /* its number */
    struct mailbox *mailbox; /* and how to reach it */
    int mailbox_file;
    char mailbox_name[64];
    uint64_t told_executions; /* that the first rank has heard of */
    double next_count;        /* when it will next hear of some */
    double told_to_end;       /* when it was; 0: it was not */
    bool is_ending;           /* nothing more is explored */
    bool has_told_limit;
    bool waits;         /* its process, for a leaf */
    bool may_be_killed; /* its process, if it does not end soon */
    /* of the first */
    struct skeleton skeleton;
    struct receiver *receivers; /* one for each rank */
    uint32_t processes, away;   /* the number of the last process; ranks that have not said good-bye */
    uint64_t executions;        /* of answers */
    enum portolan_stop stop;    /* why all end; PORTOLAN_COMPLETE: everything is explored */
    uint64_t lesson;            /* the plan was made with too short a lesson: this one may do */
    bool has_lost;              /* what a process has explored */
    bool failed, is_gathering;  /* everything is given back, for a checkpoint */
    double exploring_since;     /* the last one; 0: nobody has explored anything yet */
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
/* Starts the process that explores leaves, for which there is a mailbox; all have so many executions so far. */
bool job_start(struct handout *h, uint64_t executions);
/* The job has ended?  Ends it when it does not, though it was told to. */
bool job_has_ended(struct handout *h);

/* --- handout.c: letters */

/* To a rank.  ASK: its process waits for a leaf.  REPORT, LEAF: with a letter of leaves.h; a leaf comes with the number
 * of a process that is to be started, or 0.  GIVE: a leaf is wanted.  RETIRE: its process is to give everything back
 * and end.  END: the same, and nothing more comes.  COUNT: executions so far.  Of a process that has ended: ANSWER
 * comes with the file, and the limit that was reached; LESSON with how long a one it wants, WRONG with what it has
 * printed. LIMIT comes from one that has reached it and
 * left no answer, or from a rank.  BYE: this rank sends nothing any more. */
enum kind { ASK, REPORT_OF_LEAF, LEAF_TO_EXPLORE, GIVE, RETIRE, END, COUNT, ANSWER, LESSON, WRONG, LIMIT, BYE };

struct letter {
    uint32_t kind, process;
    uint64_t number;
};

void send_letter(struct handout *h, uint32_t to, struct letter letter, const void *bytes, size_t count);

/* --- handout_first.c: the first rank */

/* Makes the tree, or has it from the directory. */
enum portolan_status first_begin(struct handout *h, struct portolan_error *error);
/* Looks at what is to be done: leaves for those who ask, checkpoints, the end. */
void first_look(struct handout *h);
/* All end, and why. */
void first_end(struct handout *h, enum portolan_stop stop);
void first_fail(struct handout *h, const char *text);
/* Letters from others.  `limit` is with this where a leaf that was sent has come too late. */
#define HAS_NO_LEAF (UINT64_C(1) << 32)
void first_hear_report(struct handout *h, uint32_t from, const void *words, size_t bytes);
void first_hear_answer(struct handout *h, uint32_t from, uint32_t process, uint64_t limit);
/* A process has ended without an answer: what it has explored is lost, and no checkpoint can be written any more. */
void first_lose(struct handout *h, uint32_t from);
void first_hear_wrong(struct handout *h, uint32_t from, uint32_t process);
/* So far, of all. */
uint64_t first_executions(const struct handout *h);
/* When all have ended early: if everything was given back. */
void first_save_at_end(struct handout *h);

/* --- handout_file.c: a directory of its own, and all of it in one file */

bool read_whole(const char *path, unsigned char **bytes, size_t *count);
bool write_whole(const char *path, const void *bytes, size_t count);
enum portolan_status directory_make(struct handout *h, struct portolan_error *error);
void directory_remove(struct handout *h);
/* Plan, tree and answers: to the file that the settings name, and from the one to resume. */
enum portolan_status handout_save(const struct handout *h, struct portolan_error *error);
enum portolan_status handout_read(const struct handout *h, struct portolan_error *error);
/* Reads the plan in the directory. */
enum portolan_status handout_plan(struct handout *h, struct portolan_error *error);

#endif
