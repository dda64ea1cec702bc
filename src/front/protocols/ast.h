/* SPDX-License-Identifier: Apache-2.0 */
/* Message-passing protocols as trees.  The reader makes them, resolve.c gives every name its meaning. */
#ifndef FRONT_PROTOCOLS_AST_H
#define FRONT_PROTOCOLS_AST_H

#include "expression/code.h"
#include "expression/parse.h"

enum type_kind { TYPE_RANGE, TYPE_BOOL, TYPE_ENUM, TYPE_NAMED, TYPE_SET, TYPE_ARRAY };

struct type_node {
    enum type_kind kind;
    struct position at;
    struct node *low, *high;      /* of a range */
    const char *name;             /* of a type or a process */
    struct literal *literals;     /* of an enumeration */
    struct type_node *index;      /* of a set or an array */
    struct type_node *element;    /* of an array */
    struct portolan_type *values; /* of an enumeration: its literals */
};

struct literal {
    const char *name;
    struct position at;
    int32_t value;
    const struct portolan_type *values; /* among which it is */
    struct literal *next;
};

struct declared {
    const char *name;
    struct position at;
    struct type_node *type;
    struct node *initial; /* NULL: the lowest value */
    /* resolved */
    bool is_set, is_array;
    struct domain values, index;
    struct value_type holds, indexed_by; /* the type of a value, of an index or an element */
    uint32_t base, cells;                /* of the process */
    struct declared *next;
};

enum statement_kind {
    STATEMENT_ASSIGN, /* target = value */
    STATEMENT_ADD,    /* add value to target */
    STATEMENT_REMOVE, /* remove value from target */
    STATEMENT_CLEAR,  /* clear target */
    STATEMENT_SEND,   /* send name(arguments) to destinations */
    STATEMENT_IF,     /* if value then body else otherwise */
    STATEMENT_ASSERT  /* assert value */
};

enum destination_kind { TO_TYPE, TO_ONE, TO_SET, TO_OTHERS, TO_SENDER };

struct destination {
    enum destination_kind kind;
    struct position at;
    const char *name;   /* of the process type */
    struct node *index; /* of one; of a set, its name */
    const struct process_type *process;
    struct destination *next;
};

struct statement {
    enum statement_kind kind;
    struct position at;
    struct node *target, *value;
    const char *name;
    const struct message_type *message;
    struct node *arguments;
    struct destination *destinations;
    struct statement *body, *otherwise;
    struct statement *next;
};

struct binder { /* a name that stands for each value of a type in turn, or for a constant of an instance */
    const char *name;
    struct position at;
    struct type_node *type;
    struct node *value;
    struct domain domain;
    struct value_type holds;
    int32_t slot;
    struct binder *next;
};

enum input_kind { INPUT_NONE, INPUT_ONE, INPUT_QUORUM };

struct rule {
    const char *name;
    struct position at;
    struct binder *choices;
    enum input_kind input;
    struct position input_at;
    bool majority;
    struct node *count; /* of a quorum */
    const char *message_name;
    struct node *patterns; /* one a field: a new name, or what the field must be equal to */
    const char *from_name; /* NULL: from anybody */
    struct node *from_index;
    struct node *condition; /* NULL: true */
    struct statement *body;
    struct rule *next;
    /* resolved; slots are -1 where nothing is bound */
    const struct message_type *message;
    const struct process_type *from;
    uint32_t number; /* among the rules of all processes */
    uint32_t size;   /* of the input */
    int32_t *slots, from_slot, sender_slot;
};

struct forgery { /* may send: of a Byzantine process */
    const char *name;
    struct position at;
    const struct message_type *message;
    struct node *low, *high; /* lists, one a field; an entry of high that is its entry of low is a single value */
    struct destination *destinations;
    struct forgery *next;
};

struct process_type {
    const char *name;
    struct position at;
    bool is_byzantine, is_single;
    const char *parameter; /* NULL: none */
    struct type_node *range;
    struct declared *variables;
    struct binder *constants;
    struct rule *rules;
    struct forgery *forgeries;
    struct process_type *next;
    /* resolved */
    struct domain index;
    uint32_t first; /* process */
    uint32_t cells;
};

struct message_type {
    const char *name;
    struct position at;
    struct declared *fields;
    struct message_type *next;
    uint32_t field_count, number;
};

struct constant {
    const char *name;
    struct position at;
    struct node *value; /* NULL: a type */
    struct type_node *type;
    bool is_known, is_open; /* while its own value is looked at */
    int32_t number;
    struct constant *next;
};

struct condition { /* invariant, final */
    const char *name;
    struct position at;
    struct node *expression;
    bool is_final;
    struct condition *next;
};

struct crash {
    struct position at;
    struct node *count;
    struct destination *who; /* by name only */
    int32_t most;
};

struct syntax {
    const char *name; /* NULL when the file has none */
    struct constant *constants;
    struct message_type *messages;
    struct process_type *processes;
    struct condition *conditions;
    struct crash *crash;
    bool has_channels, is_fifo, is_lossy, is_duplicating;
    bool keeps_dead;       /* messages that nobody can take any more stay in states */
    struct node *capacity; /* of a queue */
    struct arena arena;
    struct expression_code *codes; /* of its expressions */
    struct lexer lexer;            /* for errors: holds the text */
    /* resolved */
    struct literal *literals;
    uint32_t process_count, rule_count, queue_capacity;
};

enum { MOST_SLOTS = 64, MOST_QUORUM = 16, MOST_FIELDS = 12, MOST_PROCESSES = 64 };

/* All return PORTOLAN_OK or fill error.  The syntax must be cleared in any case. */
enum portolan_status protocols_read(struct syntax *syntax, const char *path, const char *text, size_t length,
                                    struct portolan_error *error);
/* Gives constants other values; each definition is "NAME=VALUE". */
enum portolan_status protocols_define(struct syntax *syntax, const char *const *definitions, size_t count,
                                      struct portolan_error *error);
enum portolan_status protocols_resolve(struct syntax *syntax, struct portolan_error *error);
void syntax_clear(struct syntax *syntax);

/* ------------------------------------------------------------------ the reader */

extern const struct language protocols_language;

enum portolan_status read_type(struct parser *parser, struct type_node **type);
enum portolan_status read_rule(struct parser *parser, struct rule **rule);
enum portolan_status read_destinations(struct parser *parser, struct destination **list);
/* ( a, b, ... ); an entry may be a range where highs is not NULL, see struct forgery. */
enum portolan_status read_arguments(struct parser *parser, struct node **list, struct node **highs);

#endif
