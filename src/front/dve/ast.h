/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DVE model as it is read: variables, channels, processes with states and transitions.  Source of the language: the
 * DVE language specification of DiVinE (Barnat, Brim, Cerna, Simecek); what BEEM's models use of it: Pelanek, "BEEM:
 * Benchmarks for explicit model checkers", SPIN 2007.
 */
#ifndef FRONT_DVE_AST_H
#define FRONT_DVE_AST_H

#include "base/vector.h"
#include "expression/parse.h"

enum {
    NODE_ELEMENT = NODE_OWN, /* name[a], and of a process owner->name[a]; resolved: cell value + a, one of domain */
    NODE_AT,                 /* is process owner in state name?  resolved: process value, state domain.low */
    NODE_ASSIGN              /* a = b */
};

#define NO_PROCESS UINT32_MAX

enum { MOST_VALUES = 64 }; /* of a message */

struct dve_variable {
    const char *name;
    struct position at;
    bool is_int, is_const, is_array;
    struct node *size;   /* of an array */
    struct node *values; /* initial ones; NULL: 0 */
    uint32_t length;     /* resolved: 1 when it is no array */
    uint32_t process;    /* NO_PROCESS: of all */
    int64_t number;      /* of a constant that is no array */
    uint32_t cell;       /* the first */
};

struct dve_channel {
    const char *name;
    struct position at;
    struct node *size;            /* NULL: a rendezvous */
    uint32_t capacity;            /* resolved; 0: a rendezvous */
    bool is_typed;                /* else a rendezvous may pass any number of values, ... */
    VECTOR(bool) are_int;         /* ... and a buffer has one, an int */
    VECTOR(uint32_t) first_cells; /* of the queue of each field */
};

struct dve_state {
    const char *name;
    struct position at;
    bool is_committed, is_accepting;
};

struct dve_assertion {
    uint32_t state;
    struct node *condition;
    struct position at;
};

enum dve_sync { SYNC_NONE, SYNC_SEND, SYNC_RECEIVE };

struct dve_transition {
    uint32_t process, from, to; /* states */
    struct position at;
    struct node *guard;   /* NULL: true */
    struct node *effects; /* a list of NODE_ASSIGN */
    enum dve_sync sync;
    uint32_t channel;
    const char *channel_name;
    struct position sync_at;
    struct node *values; /* sent, or where they are received: a list */
};

struct dve_process {
    const char *name;
    struct position at;
    VECTOR(struct dve_state) states;
    VECTOR(struct dve_transition) transitions;
    VECTOR(struct dve_assertion) assertions;
    uint32_t initial;
    uint32_t model_process; /* its number in the model; NO_PROCESS: the property */
};

struct syntax {
    struct arena arena;
    struct lexer lexer;                    /* holds the text, for errors */
    VECTOR(struct dve_variable) variables; /* of all, then of each process */
    VECTOR(struct dve_channel) channels;
    VECTOR(struct dve_process) processes;
    uint32_t present; /* the process that is being read; NO_PROCESS: none */
    bool is_synchronous;
    struct position synchronous_at;
    const char *property_name; /* NULL: none */
    struct position property_at;
    uint32_t property; /* process; NO_PROCESS: none */
};

void dve_syntax_clear(struct syntax *syntax);

extern const struct lexer_rules dve_rules;
extern const struct language dve_language;

/* read.c: the whole model. */
enum portolan_status dve_parse(struct parser *parser);
/* resolve.c: gives names their meaning, sizes and constants their values. */
enum portolan_status dve_resolve(struct parser *parser);
/* Numbers of DVE's expressions: 32 bits that wrap round, as in C. */
#define DVE_NUMBERS ((struct integer_type){INT32_MIN, INT32_MAX, 32, true})

static inline struct integer_type dve_type(bool is_int)
{
    return is_int ? (struct integer_type){INT16_MIN, INT16_MAX, 16, true} : BYTE_WRAPPING;
}

/* Numbers in a buffer are not 0, which is an empty place: they stand above the lowest of their type. */
static inline int64_t dve_shift(const struct dve_channel *c, size_t field)
{
    return 1 - dve_type(c->are_int.item[field]).low;
}

#endif
