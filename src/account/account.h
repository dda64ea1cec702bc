/* SPDX-License-Identifier: Apache-2.0 */
/* What a program has recorded of its search and of what went wrong (native/record.h), read, and with names for it. */
#ifndef ACCOUNT_ACCOUNT_H
#define ACCOUNT_ACCOUNT_H

#include "base/vector.h"
#include "debuginfo/debuginfo.h"
#include "native/record.h"
#include "native/supervision.h"
#include "report/json.h"

#include <stdio.h>

/* A block of the heap, and what it is used as. */
struct typed_block {
    struct recorded_block block;
    bool is_typed, is_array;
    Dwarf_Die type;
    uint32_t number;        /* among those of its type */
    char name[NAME_LENGTH]; /* "queue", where `queue` points to it all the time; empty: none */
};

struct memory_piece {
    uint64_t start;
    size_t size;
    const unsigned char *bytes;
};

struct given_name {
    uint64_t address;
    const char *text;
};

struct remark {
    uint64_t caller; /* 0: none */
    const char *text;
};

/* A row of the schedule, as it is shown. */
struct row {
    size_t event;        /* in the list of events; the last one, where a read and a write are one row */
    size_t number;       /* of the step; 0: it is none */
    unsigned rounds;     /* the thread does the same so often, in rounds of which this row is the end; 0: it does not */
    size_t round_length; /* in rows */
    bool is_racing;      /* one of the two accesses of a race */
    char text[400];
};

/* An execution that failed, or was replayed. */
struct failed_execution {
    struct recorded_error error;
    VECTOR(struct recorded_thread) threads;
    VECTOR(struct recorded_event) events;
    VECTOR(struct recorded_frame) frames;
    VECTOR(struct recorded_wait) waits;
    VECTOR(struct typed_block) blocks;  /* by address */
    VECTOR(struct memory_piece) memory; /* by address */
    VECTOR(struct given_name) names;    /* by address */
    VECTOR(struct remark) remarks;
    const char *output;
    size_t output_size;
    VECTOR(struct row) rows;
    size_t plain_left_out; /* rows of plain accesses beyond what can be looked at */
    size_t sliced;         /* and of threads that do not matter */
    size_t racing[2];      /* the events of a race, the earlier one first; SIZE_MAX: not known */
    char missing[300];     /* of a race: what would have ordered the accesses; empty: nothing to be said */
};

struct account {
    const char *program;
    const struct run_settings *settings;
    const struct suppressed *suppressed;
    const struct coverage *coverage;
    struct debuginfo *debuginfo;
    uint64_t base;  /* that was added to the addresses in the program's file */
    bool has_lines; /* there is debug information */
    bool slices;    /* only what matters is shown */
    struct recorded_search search;
    VECTOR(struct recorded_reservation) reservations;
    VECTOR(uint64_t) weaker;
    VECTOR(const char *) weaker_places; /* each once, in order */
    uint64_t volatile_at;
    VECTOR(struct failed_execution) failed;
    VECTOR(char *) texts; /* that were made */
    char condition[100];  /* " under sequential consistency; ..." */
};

/* Reads a record; false when memory is short or it is none. */
bool account_read(struct account *account, const void *record, size_t size);
void account_clear(struct account *account);

/* --- reading memory of the failed execution */

bool memory_read(const struct failed_execution *failed, uint64_t address, void *to, size_t size);

/* --- blocks.c */

/* Finds out what blocks are used as. */
void find_block_types(struct account *account, struct failed_execution *failed);
const struct typed_block *block_at(const struct failed_execution *failed, uint64_t address);
/* "queue->" and ".lock" make "queue->lock". */
void join_path(char *text, size_t size, const char *object, const char *part);
void frame_of_record(const struct recorded_frame *from, struct code_frame *to);

/* --- names.c */

/* "main", "thread 1" */
void name_thread(const struct failed_execution *failed, uint32_t agent, char *text, size_t size);
/* "add", with which the thread began; NULL: not known. */
const char *start_function(const struct account *account, const struct failed_execution *failed, uint32_t agent);
/* "account[1].balance": what is at an address.  `part` becomes its type; false when that is not known. */
bool name_address(const struct account *account, const struct failed_execution *failed, uint64_t address, uint64_t size,
                  char *text, size_t room, Dwarf_Die *part);
/* The same in more words, where the name alone does not say which block it is. */
void describe_address(const struct account *account, const struct failed_execution *failed, uint64_t address,
                      char *text, size_t room);
/* A value of so many bytes, of a type if one is known (else NULL). */
void name_value(const struct account *account, const struct failed_execution *failed, uint64_t value, uint64_t size,
                const Dwarf_Die *type, char *text, size_t room);

/* --- places.c */

/* The places that ask for less than sequential consistency, and what that means for the verdict. */
bool find_conditions(struct account *account);

/* "file.c:12", or the address. */
void name_place(const struct account *account, uint64_t caller, char *text, size_t size);
struct source_place {
    char function[120], file[300]; /* the file with its directory, as it can be opened from here if it is there */
    int line;                      /* 0: not known */
};
void find_place(const struct account *account, uint64_t caller, struct source_place *place);
const char *base_name(const char *path);
/* The text of a line, without the blanks around it; empty when the source is not there. */
void source_line(const struct source_place *place, char *text, size_t size);

/* --- wakes.c */

/* For each event: which one it is that wakes it up, or that it wakes up, + 1; 0: none. */
bool find_wakes(const struct failed_execution *failed, size_t *partners);

/* --- rows.c */

/* Makes the rows of the schedule: which events are shown, and how. */
bool make_rows(struct account *account, struct failed_execution *failed);

/* --- slice.c */

/* Which events can have mattered for the error. */
bool find_slice(const struct failed_execution *failed, bool *matters);

/* --- race.c */

/* The two accesses, and what would have ordered them. */
void find_race(struct account *account, struct failed_execution *failed);

/* --- coverage.c */

/* Where the statements of a program begin. */
void list_statements(const char *program, struct coverage *coverage);
/* What was never reached. */
struct never {
    bool is_function; /* else lines of one that was */
    char name[120];
    char file[200];
    int first, last; /* lines */
};
struct covered {
    size_t functions, reached_functions, lines, reached_lines;
    VECTOR(struct never) never;
};
/* False when nothing is known, or memory is short. */
bool find_covered(const struct account *account, struct covered *covered);
void covered_clear(struct covered *covered);

/* --- text.c, json.c, sarif.c, stepper.c */

struct page {
    FILE *out;
    FILE *as_is; /* for the program's own output; NULL: the same */
    unsigned width;
    bool colours, quiet;
};

void print_account(const struct account *account, const struct page *page);
void print_schedule(const struct account *account, const struct failed_execution *failed, const struct page *page);
/* One line that says what is wrong. */
void describe_error(const struct account *account, const struct failed_execution *failed, char *text, size_t size);
void json_account(const struct account *account, FILE *out);
void junit_account(const struct account *account, FILE *out);
/* What the page of --html shows; false when memory is short. */
bool stepper_account(const struct account *account, struct json *json);
void sarif_account(const struct account *account, FILE *out);
/* Where the program has told nothing. */
void sarif_remark(const char *program, const char *kind, const char *text, FILE *out);
/* Steps of the schedule as it is shown, and how often another thread takes one. */
size_t count_steps(const struct failed_execution *failed);
size_t count_turns(const struct failed_execution *failed);
/* How often there was an error that is suppressed. */
uint64_t count_suppressed(const struct account *account);
/* The options that words depend on. */
struct portolan_options options_of(const struct account *account);
/* Why the verdict is open, or NULL. */
const char *undecided_because(const struct account *account);

#endif
