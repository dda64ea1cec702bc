/* SPDX-License-Identifier: Apache-2.0 */
/* Control programs as written: what the parser leaves and the compiler reads. */
#ifndef GRAPH_CONTROL_SYNTAX_H
#define GRAPH_CONTROL_SYNTAX_H

#include "base/lexer.h"
#include "graph/control.h"

struct arena;

/* An argument, a parameter, a variable that is declared or assigned; in lists. */
enum control_word_kind { WORD_NAME, WORD_ANY, WORD_OUT, WORD_VALUE };

struct control_word {
    enum control_word_kind kind;
    struct position at;
    const char *name;   /* WORD_NAME and WORD_OUT */
    enum sort sort;     /* of what is declared */
    struct value value; /* WORD_VALUE */
    struct control_word *next;
};

enum statement_kind {
    STATEMENT_TRUE,
    STATEMENT_DECLARATION, /* words */
    STATEMENT_BLOCK,       /* parts */
    STATEMENT_CHOICE,      /* parts */
    STATEMENT_ATOM,        /* one part, as all below */
    STATEMENT_ALAP,
    STATEMENT_STAR,
    STATEMENT_WHILE, /* condition and body */
    STATEMENT_UNTIL,
    STATEMENT_IF, /* condition, then and, perhaps, else */
    STATEMENT_TRY,
    STATEMENT_CALL, /* name, words, results */
    STATEMENT_GROUP /* any or other; name: what stands before it, or NULL */
};

struct statement {
    enum statement_kind kind;
    struct position at;
    struct statement *parts, *next; /* the list of parts; the next of the same list */
    const char *name;
    struct control_word *words, *results;
    bool has_words;       /* there are parentheses */
    bool is_other, below; /* of a group: only what is called nowhere else; names below the prefix too */
};

struct procedure {
    const char *name; /* qualified */
    bool is_recipe;
    int64_t priority;
    struct control_word *parameters;
    struct statement *body;
    struct position at;
    const struct control_source *source;
    bool is_open;  /* while it is being compiled */
    uint32_t mark; /* the last look at all of them that has met it */
    struct procedure *next;
};

struct import {
    const char *name; /* qualified */
    struct import *next;
};

struct control_source {
    struct lexer lexer;  /* for errors */
    const char *package; /* "" */
    struct import *imports;
    struct statement *main; /* NULL: no statements */
    struct procedure *procedures;
};

/* Parses a text, which must outlive the source; the nodes are in the arena. */
enum portolan_status control_parse(struct control_source *source, const struct control_text *text, struct arena *arena,
                                   struct portolan_error *error);

#endif
