/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `portolan run` (src/cli/supervise.c) and the program that it explores have in common: a memory that both have
 * mapped.  The program closes the descriptor at once, so nothing that it does to descriptors reaches the checker's
 * files; the supervisor alone writes those, enforces the limits, and knows how far the search was when the program is
 * gone.
 */
#ifndef NATIVE_SUPERVISION_H
#define NATIVE_SUPERVISION_H

#include "portolan/portolan.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Holds the number of the descriptor; the only variable by which the two speak. */
#define SUPERVISION_VARIABLE "PORTOLAN_SUPERVISION"

/* Who made the memory, and how it is laid out: both sides must be of the same version.  The runtime has its own copy in
 * a section of the program, so that `portolan run` need not start a program to know. */
struct version_block {
    char magic[16];
    uint32_t layout;  /* to be changed with any of the structs below, */
    uint32_t size;    /* which catches most of what is forgotten */
    char release[24]; /* PORTOLAN_VERSION */
};

#define VERSION_SECTION ".portolan.version"
#define VERSION_BLOCK ((struct version_block){"portolan run", 6, sizeof(struct supervision), PORTOLAN_VERSION})

enum {
    MOST_PROCESSES = 64,
    MOST_SUPERVISED_THREADS = 64,
    LONGEST_SCHEDULE = 1000000,
    PART_CAPACITY = 64 << 20,
    REASON_LENGTH = 200,
    MOST_RULES = 256,
    MOST_RANGES = 1 << 16,
    MOST_STATEMENTS = 1 << 18
};

/* How the report is divided: the record, from which all that people and their tools read is made; the schedule; errors
 * before there was anything to record. */
enum part { PART_RECORD, PART_TRACE, PART_ERRORS, PARTS };

#define PART_TOO_LARGE UINT64_MAX

enum supervision_state { SUPERVISION_STARTING, SUPERVISION_EXPLORING, SUPERVISION_REPORTING, SUPERVISION_DONE };

/* Why the supervisor asks the program to stop. */
enum supervision_stop { STOP_NOT, STOP_TIME, STOP_MEMORY, STOP_SIGNAL };

/* How the journal, by which a program goes back to an earlier step, is used; all but the first are for tests. */
enum journal_mode {
    JOURNAL_USUAL,
    JOURNAL_NEVER,     /* it is run again */
    JOURNAL_UNCHECKED, /* never compared with running again */
    JOURNAL_STRICT     /* always, and a difference is an error */
};

/* A search part by part (native/parts.c): how it is divided, and what is done. */
struct part_of_search {
    uint64_t depth, points, lesson; /* where it is split, into how many, after how many executions; 0: not known yet */
    uint64_t done;                  /* the parts before this one */
    uint64_t executions, blocked, cut, steps, deepest;
    uint64_t stop;   /* enum portolan_stop, when all are done */
    uint64_t wanted; /* a longer lesson than the plan's, if that has turned out too short; else 0 */
    char reservations[8192];
};

struct run_settings {
    char reduction[64]; /* empty: the default */
    char replay[4096];  /* a file with a schedule; empty: none */
    char trusted[4096]; /* patterns of what is not seen and need not be, one in a line */
    uint64_t memory, states, bound, preemptions, random_runs, bug_depth, seed, threads;
    uint64_t lesson; /* executions before several processes begin; 0: the default */
    enum journal_mode journal;
    bool in_parts, plans;   /* part by part; only to see how */
    uint64_t shard, shards; /* of so many, from 1; 0: all of it */
    char mailbox[64];       /* where it has its leaves from (stateless/mailbox.h); empty: it has none */
    struct part_of_search from;
    bool all; /* the search goes on after an error */
    bool bounds_preemptions, interleave, volatile_is_plain, partial_io, leaks, spurious, quiet, debugs;
    bool allows_any_status, allows_status[256]; /* beside 0 */
};

/* Of one process of the search, written by it alone. */
struct live {
    _Atomic pid_t process; /* 0: there is none */
    _Atomic uint64_t executions, steps;
    _Atomic double expected; /* executions altogether, a guess; 0: none */
    _Atomic uint32_t depth;  /* steps of the present execution */
    uint8_t order[LONGEST_SCHEDULE];
};

/* Errors that nobody wants to hear of: rules, and the addresses in the program's file that each is about. */
struct suppressed {
    uint32_t rule_count, range_count;
    struct suppression_rule {
        char kind[24]; /* "*": any */
        char pattern[200];
        _Atomic uint64_t seen; /* such an error, how often */
    } rules[MOST_RULES];
    struct suppressed_range {
        uint64_t start, end;
        uint32_t rule;
    } ranges[MOST_RANGES];
};

/* Where statements begin, in the program's file, in order; and which of them were reached. */
struct coverage {
    uint32_t count;
    bool is_known; /* the program says so: it has looked */
    uint64_t statements[MOST_STATEMENTS];
    bool reached[MOST_STATEMENTS];
};

struct supervision {
    struct version_block version; /* comes first in every version */
    struct run_settings settings;
    struct suppressed suppressed;
    struct coverage coverage;
    int start_error; /* why the program could not be started; 0: it was */
    /* The supervisor sets both to the same reason; the second one also ends the workers of a team. */
    volatile sig_atomic_t stop, team_stop;
    _Atomic int state;
    char reduction[96];            /* that is used */
    char failure[REASON_LENGTH];   /* what was found, before it is run again; empty: nothing */
    _Atomic uint32_t part_version; /* changes with the next; odd while it is written */
    struct part_of_search part;
    uint32_t threads; /* that were seen, with main */
    struct {
        uint32_t parent, index;
    } births[MOST_SUPERVISED_THREADS];
    struct live live[MOST_PROCESSES];
    /* the report, complete when the state is SUPERVISION_DONE */
    int exit_status;
    uint64_t sizes[PARTS];
    char parts[PARTS][PART_CAPACITY];
};

#endif
