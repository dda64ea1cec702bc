/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record: what a program tells `portolan run` of its search and of executions that failed, in the part PART_RECORD.
 * It is a row of items, each behind a head.  The program knows addresses only; names and places are found by whoever
 * reads it (src/account), who has the debug information.
 */
#ifndef NATIVE_RECORD_H
#define NATIVE_RECORD_H

#include "portolan/portolan.h"

#include <stdint.h>

enum record_item {
    RECORD_MODULE = 1,
    RECORD_SEARCH,
    RECORD_RESERVATION,
    RECORD_WEAKER,   /* a code address: an access that asks for less than sequential consistency, */
    RECORD_VOLATILE, /* and one to a volatile object */
    RECORD_ERROR,    /* what follows is about this one, up to the next */
    RECORD_THREAD,
    RECORD_EVENT,
    RECORD_NAME,
    RECORD_FRAME,
    RECORD_WAIT,
    RECORD_BLOCK,
    RECORD_MEMORY, /* an address, then bytes */
    RECORD_REMARK, /* a code address, then a text about it */
    RECORD_OUTPUT  /* of the program: bytes */
};

typedef uint8_t flag; /* whatever a broken program has written there, it is a number */

struct record_head {
    uint32_t item, size; /* of what follows, which is padded to 8 bytes */
};

enum { NAME_LENGTH = 120, PATH_LENGTH = 1024, WORD_LENGTH = 24, PRESERVED = 7 };

/* A file with code of the program. */
struct recorded_module {
    uint64_t base;
    char path[PATH_LENGTH];
};

struct recorded_search {
    flag is_replay; /* there is no result */
    int exit_status;
    struct portolan_result result; /* its pointers mean nothing */
    uint32_t threads;              /* that were ever seen, main included */
};

struct recorded_reservation {
    flag undecided;
    char text[500];
};

struct recorded_error {
    char kind[WORD_LENGTH]; /* empty: none, a replay without an error */
    char text[400];
    flag is_race, is_deadlock, is_leak, is_unknown; /* the last one: it was given up */
    uint32_t agent, other;                          /* UINT32_MAX: nobody in particular */
    uint64_t caller, other_caller, address;         /* 0: none */
    uint64_t left_out;                              /* events that did not fit into the record */
};

enum agent_kind { AGENT_MAIN, AGENT_THREAD, AGENT_DISTURBER, AGENT_CHOOSER };

struct recorded_thread {
    uint32_t agent, kind, parent;
    flag ended;
    uint64_t function;
    uint64_t stack, stack_size, local, local_size;
};

/* How an event is told. */
enum event_form {
    FORM_NONE,  /* not at all */
    FORM_OTHER, /* "WORD name" */
    FORM_READ,  /* an atomic, like the next three */
    FORM_WRITE,
    FORM_UPDATE,
    FORM_COMPARE_FAILED,
    FORM_PLAIN_READ,
    FORM_PLAIN_WRITE,
    FORM_ALLOCATE,
    FORM_FREE,
    FORM_CREATE,
    FORM_JOIN,
    FORM_CHOICE,
    FORM_WAIT, /* for a condition: what wakes it up is told with it */
    FORM_WAKE,
    FORM_SIGNAL,
    FORM_BROADCAST,
    FORM_LOCK,
    FORM_UNLOCK
};

struct recorded_event {
    uint32_t agent;
    uint8_t form, size; /* in bytes; 0: more than 8, or not known */
    flag is_step;       /* of the schedule; else it is a plain access, or about a block */
    flag is_unfinished; /* a write that was not made any more */
    flag fails, is_volatile;
    uint32_t other; /* the thread that is created or joined */
    uint64_t caller, address, length;
    uint64_t second; /* the mutex of a wait */
    uint64_t before, after, expected;
    char word[WORD_LENGTH];
};

/* What the program itself knows of an address: the symbol there, for instance. */
struct recorded_name {
    uint64_t address;
    char text[NAME_LENGTH];
};

/* A function of a thread that has not returned; the innermost ones come first. */
struct recorded_frame {
    uint32_t agent;
    flag of_error;   /* it led to the error, or to the other access of a race */
    flag is_cut;     /* there are more around it */
    uint64_t caller; /* the address to return to */
    uint64_t cfa;
    uint64_t registers[PRESERVED]; /* those with these numbers in DWARF: 3, 6, 7, 12, 13, 14, 15 */
};

/* Who waits when nobody can go on. */
struct recorded_wait {
    uint32_t agent;
    uint32_t owner; /* who holds the lock, + 1 */
    uint32_t other; /* the thread that is waited for */
    flag is_join, is_spin, is_loop;
    uint64_t caller, address;
    char word[WORD_LENGTH];
};

struct recorded_block {
    uint64_t start, size, allocated, freed;
    uint32_t agent, number; /* whose heap, and the how manieth there */
};

#endif
