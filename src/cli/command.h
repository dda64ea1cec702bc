/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands share.  Each returns the exit status. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "property/question.h"
#include "property/verdict.h"
#include "simplify/search.h"

#include <stdio.h>

/* Those of verdicts are in property/verdict.c. */
enum exit_status { EXIT_HOLDS = 0, EXIT_VIOLATED = 1, EXIT_WRONG = 2, EXIT_UNDECIDED = 3 };

int command_check(struct settings *settings);
int command_explore(struct settings *settings);
int command_compare(struct settings *settings);
int command_generate(struct settings *settings);
int command_replay(struct settings *settings);
int command_list(struct settings *settings);
int command_ltl(struct settings *settings);
int command_certify(struct settings *settings);
int command_run(struct settings *settings);
int command_debug(struct settings *settings);
int command_convert(struct settings *settings);
int command_simulate(struct settings *settings);
int command_serve(struct settings *settings);
/* Takes the arguments as they are: there are those of another command in the file. */
int command_resume(int count, char **arguments);
int command_shard(int count, char **arguments);
int command_merge(int count, char **arguments);
/* Joins the ranks that mpirun has started, if that is asked for; all but the first say nothing from then on. */
enum portolan_status ranks_join(struct settings *settings, struct portolan_error *error);
/* Leaves them.  The exit status is that of the first; the others have none of their own. */
int ranks_leave(struct settings *settings, int exit_status);
/* Do the options ask for a search that stores no states? */
bool wants_stateless(const struct settings *settings);
/* Is the answer for somebody else to give? */
bool is_silent_rank(const struct settings *settings);
/* The directory of what the program loads and links; false when it cannot be told. */
bool find_libraries(char *path, size_t size);

struct word_list {
    char **item;
    size_t count, capacity;
};

struct archive_head; /* checkpoint/head.h */

struct resumption {
    const char *file;       /* from which to go on; NULL: from the beginning */
    const char *checkpoint; /* to be written; NULL: as the command says */
    struct shard_order *shard;
};
/* The words of a command that a file holds, and those given now as the last of its options. */
enum portolan_status join_words(const struct archive_head *head, int count, char **arguments, struct word_list *words,
                                struct portolan_error *error);
/* Goes to where the command was given, and finds the same file from there. */
enum portolan_status go_there(const struct archive_head *head, const char *file, char **path,
                              struct portolan_error *error);

/* Runs a command with the arguments behind its name, from the beginning (NULL) or from where it was. */
int run_command(const struct command_help *command, int count, char **arguments, const struct resumption *from);
/* Takes the arguments as they are: they are the compiler's. */
int command_cc(int count, char **arguments, bool cplusplus);

/* Is this a program built by `portolan cc`? */
bool is_c_program(const char *path);
/* PORTOLAN_REFUSED: C programs cannot be explored on this processor. */
enum portolan_status check_processor(struct portolan_error *error);
/* Is it such a program, and can it be run here?  What it is instead is told as an error. */
enum portolan_status check_c_program(const char *path, struct portolan_error *error);
/* Replays a schedule of it. */
int replay_c_program(const struct settings *settings);

/* Splits a text into words, which may be quoted. */
enum portolan_status split_words(const char *text, struct word_list *words, struct portolan_error *error);
/* Copies the arguments; for "@FILE" the words in the file stand, as gcc reads them. */
enum portolan_status expand_response_files(int count, char **arguments, struct word_list *words,
                                           struct portolan_error *error);
/* Appends the arguments with which the program of a schedule was started. */
enum portolan_status schedule_arguments(const char *path, struct word_list *words, struct portolan_error *error);
void word_list_clear(struct word_list *words);

/* Writes the error to standard error; returns EXIT_WRONG.  A limit that was reached is no error: report_stopped. */
int wrong(const struct portolan_error *error);
/* The same for a wrong number of words. */
int wrong_usage(const char *command);

/* A model with the properties asked for. */
struct job {
    struct portolan_system *system;
    const char *opened_with; /* what nobody said, but what is asked needs: "ground=1"; NULL: nothing */
    struct portolan_property **properties;
    size_t property_count;
    struct questions questions; /* of property files; empty: each property is a question by itself */
    struct portolan_options options;
    struct transport *transport; /* to the other ranks of the search; NULL: there are none */
    FILE *explain_to;            /* NULL: nobody wants to know */
    bool explains_sets;          /* of each state; else the table of a search by probe sets */
    struct portolan_result result;
    bool simplifies;                   /* the net first, if it is one */
    struct simplify_report simplified; /* what came of it */
    struct simplify_proof proof;       /* of it, with --certify */
    FILE *executions;                  /* where --traces writes; NULL: nowhere */
    const char *executions_file;
    bool lists_fired;                    /* --coverage */
    struct messages_seen *messages_seen; /* of fired.h; NULL: nobody asks */
};

/* Opens a model with the constants asked for, and one more definition, or NULL. */
enum portolan_status open_model(const struct settings *settings, const char *path, const char *more,
                                struct portolan_system **system, struct portolan_error *error);
/* The same for a search, or (options NULL) for a certificate: a graph grammar that lacks what is needed, and has it in
 * another form, is opened in that, and *with says so (else it is NULL). */
enum portolan_status open_model_for(const struct settings *settings, const char *path,
                                    const struct portolan_options *options, struct portolan_system **system,
                                    const char **with, struct portolan_error *error);
/* Opens the model and compiles the properties (when none was asked for and `by_default`, no deadlock and what the model
 * states). */
enum portolan_status job_make(struct job *job, const struct settings *settings, bool by_default,
                              struct portolan_error *error);
/* Runs the search with progress on a terminal and Ctrl-C as a limit. */
enum portolan_status job_run(struct job *job, bool quiet, struct portolan_error *error);
void job_clear(struct job *job);

/* False with a filled error when a file could not be written: better known before a long run.  NULL is fine. */
bool can_write(const char *path, struct portolan_error *error);
/* Where an answer goes: standard output or a file; NULL with a filled error. */
FILE *open_output(const char *path, struct portolan_error *error);
/* Closes it; false when something could not be written. */
bool close_output(FILE *out, const char *path, struct portolan_error *error);

/* Draws a trace of graphs into a file; end may be NULL. */
enum portolan_status save_pictures(struct portolan_system *system, const uint32_t *actions, size_t count,
                                   const char *end, const char *path, struct portolan_error *error);

size_t peak_memory(void);

#endif
