/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this room share while a grammar is read.  The first error sticks: every later call does nothing
 * and returns false.
 */
#ifndef FRONT_GROOVE_READING_H
#define FRONT_GROOVE_READING_H

#include "base/arena.h"
#include "graph/grammar.h"

/* A place in a file; columns count bytes from 1. */
struct place {
    unsigned line, column;
};

/* A text that was read, kept for the lines that errors show. */
struct file {
    const char *name;
    char *text;
    size_t length;
};

/* How the grammar is set: system.properties. */
struct settings {
    bool match_injective, check_dangling, check_creator_edges, rhs_is_nac, check_isomorphism, parallel_edges;
    bool ignores_types; /* states are not held against the type graph */
};

struct reading {
    struct grammar *grammar;
    struct host_graph *host; /* the graph that host_add adds to */
    struct arena scratch;    /* what only the reader needs */
    struct settings settings;
    struct portolan_error *error; /* may be NULL */
    enum portolan_status status;
};

/* Both return false; a hint may follow. */
bool groove_wrong(struct reading *reading, const struct file *file, struct place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool no_memory(struct reading *reading);

/* The file itself is wrong: no line to show.  Returns false. */
bool wrong_file(struct reading *reading, const char *name, enum portolan_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads a text; the caller frees file->text.  The name must stay. */
bool file_read(struct reading *reading, struct file *file, const char *name);

/* A copy in the scratch arena, NULL when memory is exhausted (which the reading then knows). */
const char *keep(struct reading *reading, const char *text, size_t length);

#endif
