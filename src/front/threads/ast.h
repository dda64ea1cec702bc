/* SPDX-License-Identifier: Apache-2.0 */
/* Thread programs as trees: what both syntaxes are read into. */
#ifndef FRONT_THREADS_AST_H
#define FRONT_THREADS_AST_H

#include "base/arena.h"
#include "base/lexer.h"
#include "expression/arithmetic.h"

enum node_kind {
    /* expressions; the letters are the children */
    NODE_INTEGER,     /* value */
    NODE_NAME,        /* name */
    NODE_INDEX,       /* name[a] */
    NODE_UNARY,       /* operation a */
    NODE_BINARY,      /* a operation b; && and || evaluate b only when needed */
    NODE_CONDITIONAL, /* a ? b : c */
    NODE_CALL,        /* name(list a) */
    NODE_CAS,         /* cas(a, b, c) */
    NODE_FETCH_ADD,   /* fetch_add(a, b) */
    NODE_TRYLOCK,     /* trylock(a) */
    NODE_SPAWN,       /* spawn name(list a) */
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

struct node {
    enum node_kind kind;
    enum operation operation;
    enum type type; /* of a declaration */
    bool is_array;
    unsigned depth; /* of the tree below */
    struct position at;
    const char *start; /* how it was written, for names of steps */
    size_t length;
    int64_t value;
    const char *name;
    struct node *a, *b, *c;
    struct node *next; /* in a list */
};

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
    const char *name;                  /* of the program, NULL when it has none */
    const struct expansion *expansion; /* the text came from it; NULL when it is as written */
    struct declaration *declarations;
    struct arena arena;
    struct lexer lexer; /* for errors: holds the text */
};

/* ------------------------------------------------------------------ readers */

struct parser {
    struct syntax *syntax;
    struct lexer *lexer; /* that of the syntax */
    struct portolan_error *error;
    struct declaration **end; /* of the list of declarations */
    unsigned depth;
    const char *last_end; /* where the last token taken ended */
};

/* All return PORTOLAN_OK or fill parser->error. */
enum portolan_status parse_program(struct parser *parser);         /* our syntax */
enum portolan_status parse_printed_program(struct parser *parser); /* the document's */
enum portolan_status parse_statement(struct parser *parser, struct node **statement);
enum portolan_status parse_block(struct parser *parser, struct node **block);
enum portolan_status parse_expression(struct parser *parser, struct node **expression);

/* The shared parts: */
enum portolan_status parser_advance(struct parser *parser);
enum portolan_status parser_memory(struct parser *parser);
/* A node that starts at the present token, NULL when memory is out. */
struct node *parser_node(struct parser *parser, enum node_kind kind);
/* Ends the node behind the last token taken and checks how deep its tree is. */
enum portolan_status parser_close(struct parser *parser, struct node *node);
/* The name at the present token, which is taken. */
enum portolan_status parser_name(struct parser *parser, const char *wanted, const char **name);
/* The same; it may not be a word of our syntax. */
enum portolan_status parser_new_name(struct parser *parser, const char *wanted, const char **name);
enum portolan_status parser_integer(struct parser *parser, int64_t *value);
enum portolan_status parser_expect(struct parser *parser, unsigned symbol, const char *wanted);
struct declaration *parser_declare(struct parser *parser, enum declaration_kind kind);

extern const struct lexer_rules program_rules, printed_rules;

#endif
