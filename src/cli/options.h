/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of all subcommands: one table from which parsing, help, the
 * manual pages and the completion of shells are made.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/vector.h"
#include "portolan/portolan.h"

enum command {
    CHECK = 1,
    EXPLORE = 2,
    COMPARE = 4,
    GENERATE = 8,
    REPLAY = 16,
    LIST = 32,
    LTL = 64,
    CERTIFY = 128,
    RUN = 256,
    CC = 512,
    DEBUG = 1024,
    CONVERT = 2048,
    SIMULATE = 4096,
    CXX = 8192,
    SERVE = 16384,
    RESUME = 32768,
    SHARD = 65536,
    MERGE = 131072
};

struct wanted_property {
    enum portolan_kind kind;
    const char *text; /* NULL for no deadlock */
    const char *file; /* that holds the text instead, or NULL */
    const char *name; /* that the model may give to one of its own, or that is shown instead; or NULL */
};

struct settings {
    const char *program_name;
    const char *cflags; /* for sources that are run */
    /* what to do */
    VECTOR(struct wanted_property) properties;
    VECTOR(const char *) property_files;
    VECTOR(const char *) chosen; /* names of properties in these files; none: all */
    VECTOR(const char *) definitions;
    bool allow_c;                    /* the model's C may run */
    bool unread;                     /* is left out */
    const char *language;            /* of the model; NULL: as the name of its file says */
    const char *start, *isomorphism; /* of a graph grammar; NULL: as it says */
    bool never_ground;
    bool all, chains, check_relations;
    enum portolan_fairness fairness;
    const char *reduction, *proviso, *search, *store, *spill;
    enum { SIMPLIFY_BY_DEFAULT, SIMPLIFY_NONE, SIMPLIFY_AUTO } simplify;
    /* limits */
    double time;
    size_t memory;
    uint64_t states;
    uint64_t threads, bound;
    bool distributed;
    struct transport *transport; /* to the other ranks; NULL: there are none */
    const char *checkpoint;      /* a file; NULL: none */
    char *checkpoint_file;       /* where that is not a word of the command line as it is */
    double checkpoint_every;
    const char *resume;          /* the file from which to go on; NULL: from the beginning */
    const char *const *as_given; /* the words of the command, for that file */
    uint64_t shards;             /* to be written; 0: the search is done here */
    const char *shards_directory;
    struct shard_order *shard; /* one of them, or all answers; NULL: neither */
    /* a part of all executions */
    bool bounds_preemptions;
    uint64_t preemptions, random_runs, bug_depth, seed;
    uint64_t walk_steps; /* of random walks; 0: none, or as many as pay */
    bool no_walk;
    bool says_engine; /* else it is the one for long searches */
    enum portolan_engine engine;
    /* answers */
    bool json;
    const char *json_file;   /* NULL: standard output */
    const char *trace_file;  /* NULL: none */
    const char *certificate; /* NULL: none */
    const char *msc_file;    /* NULL: none */
    const char *pictures_file;
    const char *traces_file;                             /* of all executions; NULL: none */
    const char *junit_file, *sarif_file, *suppress_file; /* NULL: none */
    const char *csv_file;                                /* NULL: none */
    const char *subject;                                 /* of run: the source or the program, as it was called */
    const char *html_file;                               /* NULL: none */
    bool contest;                                        /* answers in the form of the Model Checking Contest */
    const char *export;                                  /* "dot" or "aut" */
    const char *output;                                  /* NULL: standard output */
    bool explain;                                        /* the table of a search by probe sets */
    bool quiet, help;
    bool as_found; /* traces are not made shorter */
    /* simulation */
    bool interactive;
    uint64_t steps;  /* at random; 0: as many as usual */
    uint64_t port;   /* of serve; 0: any that is free */
    bool interleave; /* plain accesses of C programs */
    bool volatile_is_plain;
    bool leaks, spurious, partial_io, slices;
    VECTOR(const char *) trusted; /* patterns of what is not seen in C programs */
    const char *journal;          /* how C programs go back; NULL: as usual */
    uint64_t lesson;              /* executions before several processes explore one */
    const char *exit_status;      /* of C programs: those that are allowed, beside 0; NULL: none */
    /* automata */
    bool print_automaton;
    bool coverage;
    bool negate, degeneralise, dot, hoa;
    /* the words that are not options */
    VECTOR(const char *) words;
};

struct command_help {
    enum command command;
    const char *name;
    const char *usage; /* behind the name */
    const char *summary;
    const char *details; /* paragraphs for --help and the manual page; may be empty */
};

/* Ended by one without a name. */
extern const struct command_help commands[];
const struct command_help *command_find(const char *name);

/* Reads the arguments behind the command's name; PORTOLAN_BAD_OPTION tells what is wrong. */
enum portolan_status options_read(struct settings *settings, enum command command, int count, char **arguments,
                                  struct portolan_error *error);
void settings_clear(struct settings *settings);
/* The words of the command, without the options that are not wanted; of RUN those before the program. */
struct word_list;
enum portolan_status options_pick(const struct settings *settings, enum command command,
                                  bool (*is_wanted)(const char *name), struct word_list *picked,
                                  struct portolan_error *error);

/* What is said of an option. */
struct option_text {
    const char *name;
    char letter;          /* 0 when there is none */
    const char *argument; /* NULL when it takes none; words that go there with '|' between them */
    const char *help;
    bool is_attached; /* the argument may be left out, and stands behind '=' */
};

/* The options of a command, one after the other; *next is 0 at first. */
bool option_next(enum command command, size_t *next, struct option_text *text);

/* Help for one command, or (NULL) an overview. */
void print_help(const struct command_help *command, const char *program_name);

/* The manual page of one command, or (NULL) of them all. */
void print_manual(const struct command_help *command);

/* What a shell reads to complete words; false: it is not known. */
bool print_completion(const char *shell);

#endif
