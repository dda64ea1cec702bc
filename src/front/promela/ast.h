/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Promela model as it is read: types, variables, channels, proctypes with their statements, claims.  Names have their
 * meaning as soon as they are read, but for labels and proctypes, which may come later.  Source of the language: G. J.
 * Holzmann, "The Spin Model Checker", 2003, and Spin 6.5.2 itself, which decides.
 */
#ifndef FRONT_PROMELA_AST_H
#define FRONT_PROMELA_AST_H

#include "base/vector.h"
#include "expression/parse.h"

enum {
    NODE_VAR = NODE_OWN, /* variable[a], and then field b of it; value: offset, where it is constant */
    NODE_RUN,            /* run name(b) */
    NODE_LENGTH,         /* len, full, empty, nfull, nempty (operation) of channel a */
    NODE_POLL,           /* a?[b], a??[b] */
    NODE_EVAL,           /* eval(a), in a receive */
    NODE_ANY,            /* _, in a receive */
    NODE_AT_LABEL,       /* name[a]@owner, name@owner */
    NODE_REMOTE,         /* name[a]:b */
    NODE_ENABLED,        /* enabled(a) */
    NODE_PC_VALUE,       /* pc_value(a) */
    NODE_PRIORITY,       /* get_priority(a) */
    NODE_PROCESS_ID,     /* _pid */
    NODE_PROCESSES,      /* _nr_pr */
    NODE_LAST,           /* _last */
    NODE_NO_PROGRESS,    /* np_ */
    NODE_TIMEOUT,
    NODE_C /* c_expr; value: which of the syntax's texts */
};

enum length_question { ASKS_LENGTH, ASKS_FULL, ASKS_EMPTY, ASKS_NOT_FULL, ASKS_NOT_EMPTY };

enum type_kind {
    TYPE_BIT,
    TYPE_BOOL,
    TYPE_BYTE,
    TYPE_PID,
    TYPE_MTYPE,
    TYPE_CHAN,
    TYPE_SHORT,
    TYPE_INT,
    TYPE_UNSIGNED,
    TYPE_RECORD
};

struct promela_type {
    enum type_kind kind;
    unsigned bits;               /* TYPE_UNSIGNED */
    const struct record *record; /* TYPE_RECORD */
};

struct declared; /* a variable, a field, a parameter */

struct record { /* typedef */
    const char *name;
    VECTOR(struct declared *) fields;
    uint32_t cells; /* of one of them */
    struct record *next;
};

enum { MOST_FIELDS = 64 }; /* of a message, as flat values */

/* [capacity] of { fields } */
struct channel_shape {
    uint32_t capacity, fields;
    struct promela_type types[MOST_FIELDS];
};

struct declared {
    const char *name;
    struct position at;
    struct promela_type type;
    bool is_array, is_parameter, is_hidden;
    uint32_t length; /* 1 when it is no array */
    struct node *initial;
    struct node *initials; /* { a, b, ... } of an array: a list */
    const struct channel_shape *shape;
    struct proctype *proctype; /* NULL: global, or a field */
    uint32_t offset;           /* its first cell, in its record or the frame of its proctype, or of all */
    bool is_assigned;          /* somebody may change it after its start */
    bool is_claims;            /* of a never claim */
    bool is_read;              /* somebody looks at it */
    bool is_c;                 /* bytes of a c_state or c_track, which only C knows */
    struct declared *next;
};

enum statement_kind {
    STATEMENT_EXPRESSION,
    STATEMENT_ASSIGN, /* a = b */
    STATEMENT_SEND,   /* a ! b */
    STATEMENT_RECEIVE,
    STATEMENT_IF,
    STATEMENT_DO,
    STATEMENT_ATOMIC,
    STATEMENT_D_STEP,
    STATEMENT_BLOCK,
    STATEMENT_UNLESS, /* the first of the options unless the second */
    STATEMENT_GOTO,
    STATEMENT_BREAK,
    STATEMENT_ELSE,
    STATEMENT_ASSERT,
    STATEMENT_PRINT,
    STATEMENT_SET_PRIORITY, /* of process a to b; is_assignment: _priority = b */
    STATEMENT_C
};

struct label {
    const char *name;
    unsigned instance; /* of the inline that it stands in */
    struct position at;
    struct label *next;
};

struct sequence {
    struct statement *first, *last;
    struct sequence *next;
    bool is_round; /* of a for loop */
    bool is_bare;  /* a statement without braces, before `unless` */
};

struct statement {
    enum statement_kind kind;
    struct position at;
    const char *start; /* as written */
    size_t length;
    struct node *a, *b;
    bool is_sorted, is_random, is_copy; /* !!, ??, <...> */
    bool is_assignment;
    struct sequence *options;
    struct label *labels;
    const char *name;  /* of a label to go to, the text of a print */
    unsigned instance; /* of a goto */
    uint32_t c_text;   /* of c_code */
    struct statement *next;
};

struct proctype {
    const char *name;
    struct position at;
    struct declared *parameters; /* a list in the order of the frame */
    VECTOR(struct declared *) variables;
    uint32_t cells; /* of its frame */
    uint32_t active;
    bool is_init, is_claim, is_d_proctype;
    struct node *provided;
    struct node *priority;
    struct sequence *body;
    uint32_t number;
    struct flow *flow;
};

struct formula { /* ltl name { text } */
    const char *name, *text;
    struct position at;
    size_t length;
};

struct inline_text {
    const char *name;
    VECTOR(const char *) parameters;
    const char *start; /* of the body */
    size_t length;
    unsigned line;
    struct inline_text *next;
};

struct mtype_name {
    const char *name, *type; /* type: "mtype" or the name of a subtype */
    int64_t value;
};

/* A line of the preprocessed text. */
struct source_line {
    const char *file;
    unsigned line;
};

struct c_text {                   /* of c_code or c_expr in a process or a claim */
    const char *text, *condition; /* condition: of c_code [condition] { text }, or NULL */
    struct position at, condition_at;
    const struct proctype *proctype; /* NULL: of a formula */
};

struct c_piece { /* c_decl, or c_code outside of processes */
    const char *text;
    struct position at;
    bool is_code;
};

enum c_kind { C_GLOBAL, C_LOCAL, C_HIDDEN, C_TRACKED };

struct c_variable { /* c_state, c_track */
    enum c_kind kind;
    struct position at;
    const char *declaration; /* or the address of what is tracked */
    const char *name;
    const char *proctype;      /* C_LOCAL */
    const char *initial;       /* NULL: zeros */
    const char *size;          /* C_TRACKED */
    struct declared *declared; /* its bytes */
};

struct scope {
    struct declared *first;
    struct scope *outer;
};

struct syntax {
    struct arena arena;
    struct lexer lexer; /* of the preprocessed text, for errors */
    char *text;
    VECTOR(struct source_line) lines;
    VECTOR(struct declared *) globals;
    uint32_t cells; /* of the globals */
    struct record *records;
    VECTOR(struct mtype_name) mtypes;
    VECTOR(struct proctype *) proctypes; /* in the order of the text; init and never claims among them */
    VECTOR(struct formula) formulas;
    unsigned unnamed_formulas; /* of these */
    struct inline_text *inlines;
    VECTOR(struct c_text) c_texts;
    VECTOR(struct c_piece) c_pieces;
    VECTOR(struct c_variable) c_variables;
    bool allows_c;          /* the user does */
    bool lacks_relations;   /* the user asks for nothing that needs them */
    bool leaves_out_unread; /* so does the user want it */
    bool unrolls_nothing;   /* loops with choices in atomic sequences: so does a test want it */
    struct proctype *trace; /* trace { } or notrace { }; none of the proctypes */
    bool is_notrace;
    struct scope *scope;
    struct proctype *present; /* that is being read; NULL: none */
    bool may_initialise;      /* nothing has been done yet in its body */
    unsigned instance, instances, inline_depth;
    bool in_claim, in_formula, in_trace;
    /* what it uses */
    bool has_last, has_timeout, has_priorities, has_enabled;
};

void promela_syntax_clear(struct syntax *syntax);

extern const struct lexer_rules promela_rules;
extern const struct language promela_language;

/* Numbers of expressions: C's int. */
#define PROMELA_NUMBERS ((struct integer_type){INT32_MIN, INT32_MAX, 32, true})

struct integer_type promela_integer(struct promela_type type);
/* A field of a message: a bit that is the only one is kept as a byte, as Spin does. */
struct integer_type promela_stored(const struct channel_shape *shape, uint32_t field);
/* The type of a variable's values: arrays of bits are arrays of bytes, as Spin has them. */
struct integer_type promela_values(const struct declared *variable);
uint32_t promela_cells(const struct declared *variable); /* of one element */

/* preprocess.c: text and lines of the syntax. */
enum portolan_status promela_preprocess(struct syntax *syntax, const char *file, const char *text, size_t length,
                                        const char *const *definitions, size_t count, struct portolan_error *error);
/* read.c: the whole model. */
enum portolan_status promela_parse(struct parser *parser);

/* code.c: is what it holds part of a state, also where what nobody reads is left out? */
bool promela_is_kept(const struct syntax *syntax, const struct declared *variable);

/* system.c: do the proctypes, parameters and labels that an expression names exist? */
enum portolan_status promela_check(struct parser *parser, const struct node *node);

/* read_expression.c */
enum portolan_status promela_expression(struct parser *parser, struct node **expression);
enum portolan_status promela_constant(struct parser *parser, struct node *node, int64_t *value);
bool promela_fold(const struct node *node, int64_t *value);
/* A variable with its indexes and fields. */
enum portolan_status promela_reference(struct parser *parser, struct node **node);
struct node *promela_number(struct parser *parser, int64_t value);
struct node *promela_binary(struct parser *parser, enum operation operation, struct node *a, struct node *b);
const struct declared *promela_leaf(const struct node *reference);

/* read_inline.c: the inline whose name is the current token; the statements of its body, of a call. */
const struct inline_text *promela_inline(const struct parser *parser);
enum portolan_status promela_inline_call(struct parser *parser, const struct inline_text *text,
                                         struct sequence **body_read);

/* read_c.c: what is between braces or brackets, with all that is nested; the opening one is the current token. */
enum portolan_status promela_braced(struct parser *parser, char close, const char **start, size_t *length);
/* The text of c_code or c_expr, the current token; its number. */
enum portolan_status promela_c_text(struct parser *parser, uint32_t *number);
/* c_decl, c_code, c_state and c_track outside of processes. */
bool promela_starts_c(const struct parser *parser);
enum portolan_status promela_parse_c(struct parser *parser);

/* read_statement.c */
/* What a message is received into, or compared with, flat; where the channel's shape is known their number is checked.
 */
enum portolan_status promela_received(struct parser *parser, const struct node *channel, struct node **list);
/* Goes back to a token that was the current one. */
enum portolan_status promela_rewind(struct parser *parser, const struct token *token);
enum portolan_status promela_sequence(struct parser *parser, struct sequence **sequence);
enum portolan_status promela_block(struct parser *parser, struct sequence **sequence);
/* For those who make statements of others: appends one; a sequence, NULL without memory; a copy of a reference, and
 * where its end is; a record as its fields; whether a message fits; that a variable is written. */
struct statement *promela_add_statement(struct parser *parser, struct sequence *out, enum statement_kind kind,
                                        struct node *a, struct node *b);
struct sequence *promela_new_sequence(struct parser *parser);
struct node *promela_copy_path(struct parser *parser, const struct node *node, struct node ***end);
struct node **promela_add_flat(struct parser *parser, struct node *node, struct node **list);
enum portolan_status promela_check_count(struct parser *parser, const struct node *channel, const struct node *list);
void promela_note_assigned(struct parser *parser, const struct node *reference);

/* read_loop.c */
enum portolan_status promela_parse_for(struct parser *parser, struct sequence *out);
enum portolan_status promela_parse_select(struct parser *parser, struct sequence *out);

/* read.c */
bool promela_starts_declaration(const struct parser *parser);
/* Declarations within a body; what is initialised after the first statement becomes assignments, which are appended. */
enum portolan_status promela_declarations(struct parser *parser, struct sequence *sequence);
struct declared *promela_find(const struct syntax *syntax, const char *name);
struct proctype *promela_proctype(const struct syntax *syntax, const char *name);
/* Is there a claim or a formula?  It counts in _nr_pr, as in Spin. */
bool promela_has_claims(const struct syntax *syntax);
/* A variable that no name in the model means, behind those of its scope (NULL: the globals). */
enum portolan_status promela_declare_nameless(struct parser *parser, struct proctype *scope, struct declared *v);

#endif
