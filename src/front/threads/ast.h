/* SPDX-License-Identifier: Apache-2.0 */
/* Thread programs as trees: what both syntaxes are read into. */
#ifndef FRONT_THREADS_AST_H
#define FRONT_THREADS_AST_H

#include "expression/parse.h"

/* Nodes of the language's own, beside those of expressions. */
enum {
    NODE_INTEGER = NODE_NUMBER,
    NODE_INDEX = NODE_OWN, /* name[a] */
    NODE_CALL,             /* name(list a) */
    NODE_CAS,              /* cas(a, b, c) */
    NODE_FETCH_ADD,        /* fetch_add(a, b) */
    NODE_TRYLOCK,          /* trylock(a) */
    NODE_SPAWN,            /* spawn name(list a) */
    /* statements */
    NODE_BLOCK,     /* list a */
    NODE_DECLARE,   /* type name[a] = list b; operation says whether it is an array or has a value */
    NODE_ASSIGN,    /* a = b */
    NODE_UPDATE,    /* a operation= b */
    NODE_IF,        /* if (a) b else c */
    NODE_WHILE,     /* while (a) b, with c between the rounds */
    NODE_FOR_RANGE, /* for (name in a..b) c */
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN,     /* return a, which may be missing */
    NODE_EXPRESSION, /* a; */
    NODE_LOCK,       /* lock(a) */
    NODE_UNLOCK,     /* unlock(a) */
    NODE_WAIT,       /* wait(a, b) */
    NODE_SIGNAL,     /* signal(a) */
    NODE_BROADCAST,  /* broadcast(a) */
    NODE_AWAIT,      /* await(a) */
    NODE_ATOMIC,     /* atomic a */
    NODE_ASSERT,     /* assert(a) */
    NODE_JOIN,       /* join(a) */
    NODE_SKIP,
    NODE_STEP /* a statement or condition of the document: one step, however many accesses */
};

enum type { TYPE_VOID, TYPE_INT, TYPE_BOOL };

enum declaration_kind {
    DECLARED_CONSTANT,
    DECLARED_VARIABLE,
    DECLARED_LOCK,
    DECLARED_CONDITION,
    DECLARED_FUNCTION,
    DECLARED_THREAD
};

struct declaration {
    enum declaration_kind kind;
    enum type type; /* of a variable, of what a function returns */
    const char *name;
    struct position at;
    bool is_atomic;
    bool is_array;
    bool is_local;             /* a variable that every thread has for itself (the document's) */
    struct node *size;         /* of an array */
    struct node *values;       /* initial ones; of a constant, its only one */
    struct node *parameters;   /* of functions and threads: a list of NODE_DECLARE */
    struct node *body;         /* of functions and threads */
    struct node *first, *last; /* of the instances of a thread; NULL: it starts by spawn, or `single` */
    bool single;               /* a thread without instances, which starts by itself */
    struct declaration *next;
};

struct expansion; /* of repetition blocks */

struct syntax {
    const char *name;                        /* of the program, NULL when it has none */
    const struct expansion *expansion;       /* the text came from it; NULL when it is as written */
    struct declaration *declarations, **end; /* of the list */
    struct arena arena;
    struct lexer lexer; /* for errors: holds the text */
};

/* ------------------------------------------------------------------ readers */

enum portolan_status parse_program(struct parser *parser);         /* our syntax */
enum portolan_status parse_printed_program(struct parser *parser); /* the document's */
enum portolan_status parse_statement(struct parser *parser, struct node **statement);
enum portolan_status parse_block(struct parser *parser, struct node **block);

/* The shared parts: */
extern const char *const threads_reserved[]; /* the words of our syntax */
enum portolan_status parser_integer(struct parser *parser, int64_t *value);
struct declaration *parser_declare(struct parser *parser, enum declaration_kind kind);

extern const struct lexer_rules program_rules, printed_rules;
extern const struct language program_language, printed_language;

#endif
