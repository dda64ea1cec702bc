/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions as trees of plain data: what every language reads them into, what is checked, folded and compiled.  A
 * language may have nodes of its own (calls, statements) beside those here, and gives names their meaning.
 */
#ifndef EXPRESSION_TREE_H
#define EXPRESSION_TREE_H

#include "base/arena.h"
#include "base/lexer.h"
#include "expression/arithmetic.h"
#include "portolan/portolan.h"

enum node_kind {
    /* the letters are the children */
    NODE_NUMBER,      /* value */
    NODE_NAME,        /* name, or name[a]; it has no meaning yet */
    NODE_UNARY,       /* operation a */
    NODE_BINARY,      /* a operation b */
    NODE_CONDITIONAL, /* a ? b : c */
    /* of the state of a system */
    NODE_VARIABLE, /* value: its number */
    NODE_FIREABLE, /* value: the action */
    NODE_DEADLOCK,
    /* of rows of cells, as place says */
    NODE_CELL,   /* a: the index, of an array */
    NODE_MEMBER, /* a: the index of the row, b: of an array */
    NODE_IN,     /* a in the set */
    NODE_SIZE,   /* of the set */
    /* names that stand for one value after the other */
    NODE_SLOT,       /* value: its number */
    NODE_QUANTIFIER, /* operation for each value of slot value in domain: a */
    NODE_AGGREGATE,  /* operation over the messages bound in turn: a, best(a by b) */
    NODE_OWN         /* a language has its own behind */
};

enum aggregate {
    AGGREGATE_MAX,
    AGGREGATE_MIN,
    AGGREGATE_SUM,
    AGGREGATE_COUNT,
    AGGREGATE_ALL,
    AGGREGATE_SOME,
    AGGREGATE_BEST
};
enum quantifier { QUANTIFIER_ALL, QUANTIFIER_SOME, QUANTIFIER_COUNT };

struct domain { /* numbers from low to high */
    int32_t low, high;
};

static inline uint32_t domain_size(struct domain domain)
{
    return (uint32_t)(domain.high - domain.low + 1);
}

static inline bool in_domain(struct domain domain, int64_t value)
{
    return value >= domain.low && value <= domain.high;
}

/* Where a cell is: in row `row` (+ index) at `base` (+ index).  An index outside of its domain has no value. */
struct cell_place {
    uint32_t row, base;
    struct domain rows, cells;
    bool is_flat;        /* the index of the row leads to a cell of one row, all the same */
    const char *missing; /* why there is no value when the array has no such element */
};

enum value_kind { VALUE_INTEGER, VALUE_BOOLEAN, VALUE_NAMED };

struct value_type {
    enum value_kind kind;
    struct integer_type integer;        /* VALUE_INTEGER */
    const struct portolan_type *values; /* VALUE_NAMED: their names */
};

struct node {
    unsigned kind;           /* enum node_kind, or the language's own */
    unsigned operation;      /* enum operation, aggregate, quantifier */
    struct value_type gives; /* what its value is */
    unsigned type;           /* of a declaration, as the language says */
    bool is_array;           /* the same */
    bool may_fail;           /* it may have no value */
    bool fails;              /* scratch of analyses */
    unsigned char truth;     /* the same */
    unsigned depth;
    struct position at;
    const char *start; /* as written */
    size_t length;
    int64_t value;
    const char *name;
    struct node *a, *b, *c;
    struct node *next; /* in a list */
    struct cell_place place;
    struct domain domain;
    const struct expression_code *code; /* that it was compiled to, its part from first to end */
    uint32_t first, end;
    /* what its name means to the language */
    const char *owner;
    struct type_node *range;
    const struct declared *variable;
    const struct process_type *process;
    /* of high-level nets (highlevel/net.h) */
    const struct colour_type *colour;
    const int64_t *cells;
    const struct colour_function *function;
    struct iterator *iterators;
};

/*
 * Checks the operands of a node against its operation and gives the node its type; its children have theirs.  Errors
 * have the place, both types, and a hint.
 */
enum portolan_status check_node(const struct lexer *lexer, struct node *node, struct portolan_error *error);
/* The value must be a truth: of a condition. */
enum portolan_status check_condition(const struct lexer *lexer, const struct node *node, struct portolan_error *error);
enum portolan_status check_integer(const struct lexer *lexer, const struct node *node, struct portolan_error *error);
/* The value must be one of the type: it is assigned, sent or compared. */
enum portolan_status check_value(const struct lexer *lexer, const struct node *node, struct value_type wanted,
                                 struct portolan_error *error);

/* The node, or what says the same when constants decide it.  Its children are folded. */
struct node *fold_node(struct node *node);

#endif
