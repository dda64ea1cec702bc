/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A high-level net as its readers leave it: tokens are tuples of values, arcs carry expressions.
 *
 * A value is a row of cells (int64_t).  All values of a type have the same number of cells, and equal values have equal
 * cells: what a list or a set does not use is 0, the members of a set are in increasing order, each once.
 *
 * An expression is a tree of `struct node` (expression/tree.h); node->colour is the type of its value.  Scalars
 * (ranges, cyclic ranges, enumerations, truths) use the kinds of tree.h: NODE_NUMBER, NODE_UNARY, NODE_BINARY,
 * NODE_CONDITIONAL; all else is of the kinds below.  Whether a result lies in its type is tested where the language
 * says so, by NODE_CONVERT; arithmetic itself is done on 64 bits.
 *
 * Whatever fails (a value leaves its type, an index its vector, an assertion, a negative number of tokens) makes the
 * binding an erroneous one: firing it puts a token into the place "error", and the net is wrong when that can happen.
 */
#ifndef HIGHLEVEL_NET_H
#define HIGHLEVEL_NET_H

#include "base/arena.h"
#include "base/vector.h"
#include "expression/tree.h"

/* ------------------------------------------------------------------ types */

enum colour_kind {
    COLOUR_RANGE,  /* low .. high; one cell */
    COLOUR_CYCLIC, /* the same, but successor, predecessor and NODE_CONVERT wrap round */
    COLOUR_NAMED,  /* low .. high are numbers of names: enumerations, bool */
    COLOUR_VECTOR, /* an element for each combination of index values, the last index fastest */
    COLOUR_STRUCT, /* its fields in order */
    COLOUR_LIST,   /* length, then `capacity` elements */
    COLOUR_SET     /* the same */
};

struct colour_field {
    const char *name;
    const struct colour_type *type;
    uint32_t offset; /* its first cell */
};

struct colour_type {
    enum colour_kind kind;
    const char *name;
    uint32_t cells;
    int64_t low, high;              /* scalars */
    bool is_cyclic;                 /* COLOUR_NAMED: as COLOUR_CYCLIC */
    const char *const *names;       /* COLOUR_NAMED: of low, low + 1, ... */
    const struct colour_type *root; /* of a subtype; itself when it is none.  Values of one root can be compared */
    const struct colour_type *of;   /* elements of a vector, list, set */
    VECTOR(const struct colour_type *) indexes; /* of a vector */
    VECTOR(struct colour_field) fields;         /* of a struct */
    uint32_t capacity;                          /* of a list, set */
    VECTOR(uint32_t) partition; /* COLOUR_NAMED of a partition: its part for each value of low .. high */
};

/* ------------------------------------------------------------------ expressions */

enum colour_node {
    NODE_CONSTANT = NODE_OWN, /* cells */
    NODE_LOCAL,               /* value: its first cell in the frame: a variable of the transition, function, iterator */
    NODE_EQUAL,               /* operation OPERATION_EQUAL or OPERATION_NOT_EQUAL: a and b, of one type, by cells */
    NODE_CONVERT,             /* a as a value of colour: it fails when it is none, or wraps round */
    NODE_SUCCESSOR,           /* a; fails at the end of a range that is not cyclic */
    NODE_PREDECESSOR,
    NODE_CALL, /* function; arguments: the list from a on */
    NODE_MAKE, /* a vector, struct, list, set, tuple of the list from a on (NULL: empty).  A vector with fewer elements
                  than its index type repeats the last one */
    NODE_ELEMENT,   /* a[b, ...]: of a vector (indexes: the list from b on) or list (b: from 0 on) */
    NODE_SLICE,     /* a[b .. c] of a list */
    NODE_FIELD,     /* a, value: the number of the field; of a tuple: tok->1 is value 0 */
    NODE_REPLACE,   /* a with element [b, ...] being c */
    NODE_SET_FIELD, /* a with field `value` being c */
    NODE_JOIN,      /* a & b: lists, or a list and an element on either side */
    NODE_MEMBER_OF, /* a in b: list or set */
    NODE_UNION,     /* sets; b may be an element */
    NODE_INTERSECT,
    NODE_WITHOUT,
    NODE_ATTRIBUTE, /* operation: enum attribute; of the container a, or of `place` number value */
    NODE_ITERATION, /* operation: enum iteration; iterators; a: condition or NULL; b: the value, or NULL */
    NODE_PART       /* a: value of a partitioned type; its part, a number */
};

enum attribute {
    ATTRIBUTE_SIZE,
    ATTRIBUTE_SPACE,
    ATTRIBUTE_CAPACITY,
    ATTRIBUTE_IS_FULL,
    ATTRIBUTE_IS_EMPTY,
    ATTRIBUTE_FIRST,
    ATTRIBUTE_LAST,
    ATTRIBUTE_FIRST_INDEX,
    ATTRIBUTE_LAST_INDEX,
    ATTRIBUTE_PREFIX,      /* all but the last */
    ATTRIBUTE_SUFFIX,      /* all but the first */
    ATTRIBUTE_CARDINALITY, /* of a place: distinct tokens */
    ATTRIBUTE_MULTIPLICITY /* of a place: all tokens */
};

enum iteration {
    ITERATION_FORALL,
    ITERATION_EXISTS,
    ITERATION_CARDINALITY,  /* how many distinct */
    ITERATION_MULTIPLICITY, /* with the multiplicities of tokens */
    ITERATION_MIN,
    ITERATION_MAX,
    ITERATION_SUM,
    ITERATION_PRODUCT
};

/* A variable that takes one value after the other: of a type (within low .. high, where they are given), of a
 * container, of the tokens in a place (as a tuple: only in propositions).  The last one of a list varies fastest. */
struct iterator {
    const char *name;
    const struct colour_type *colour; /* of the variable */
    uint32_t local;                   /* its first cell in the frame */
    struct node *low, *high;          /* of a type; NULL: all its values */
    struct node *container;           /* NULL: not one */
    uint32_t place;                   /* NO_PLACE: not one */
    struct iterator *next;
};

enum { NO_PLACE = UINT32_MAX };

/* ------------------------------------------------------------------ functions */

enum statement_kind {
    STATEMENT_ASSIGN, /* target (a NODE_LOCAL, or elements and fields of one) := value */
    STATEMENT_IF,     /* value, body, otherwise */
    STATEMENT_WHILE,
    STATEMENT_FOR, /* iterators, body */
    STATEMENT_RETURN,
    STATEMENT_ASSERT,
    STATEMENT_BLOCK,  /* body: a list */
    STATEMENT_DECLARE /* target, a NODE_LOCAL; value or NULL: the first value of its type */
};

struct statement {
    enum statement_kind kind;
    struct position at;
    struct node *target, *value;
    struct iterator *iterators;
    struct statement *body, *otherwise;
    struct statement *next;
};

/* `case` has become a chain of ifs. */
struct colour_function {
    const char *name;
    const struct colour_type *result;
    VECTOR(const struct colour_type *) parameters; /* in the frame from cell 0 on */
    uint32_t frame;                                /* cells: parameters and locals */
    struct statement *body;                        /* NULL: imported */
    /* imported: reads the cells of the parameters, writes those of the result */
    void (*imported)(const int64_t *arguments, int64_t *result);
    bool is_imported; /* it is to have one */
    struct position at;
};

/* ------------------------------------------------------------------ places and transitions */

/* for(iterators) if(condition) [- ] multiplicity * <( tuple )> */
struct arc_term {
    struct iterator *iterators;
    struct node *condition;    /* NULL: always */
    struct node *multiplicity; /* NULL: 1 */
    bool is_subtracted;
    struct node
        *tuple; /* the list of its components, as many as the place's domain has; NULL: epsilon, or no component */
    struct position at;
    struct arc_term *next;
};

/* The domain of a place is a product; that of epsilon has no component. */
struct colour_place {
    const char *name;
    const char *id; /* as properties of a contest call it; NULL: the name */
    VECTOR(const struct colour_type *) domain;
    const struct colour_type *tuple; /* the domain as a struct with fields "1", "2", ... */
    struct arc_term *initial;        /* over a frame without variables */
    struct node *capacity;           /* of each token; NULL: none */
    struct position at;
};

struct colour_arc {
    uint32_t place;
    struct arc_term *label;
    struct position at;
    struct colour_arc *next;
};

enum variable_source {
    VARIABLE_TOKEN, /* a component of a tuple on an input arc that is this variable alone */
    VARIABLE_PICK,  /* iterator */
    VARIABLE_FREE,  /* any value of its type: stands on output arcs or in the guard alone */
    VARIABLE_LET    /* value, which may use those before it */
};

/* In an order in which each may use those before it: tokens first, then picks, free ones and lets as written. */
struct colour_variable {
    const char *name;
    const struct colour_type *colour;
    uint32_t local;
    enum variable_source source;
    struct iterator *pick;
    struct node *value;
};

struct colour_transition {
    const char *name;
    const char *id; /* NULL: the name */
    VECTOR(struct colour_variable) variables;
    uint32_t frame;                        /* cells: the variables and those of iterators */
    struct colour_arc *in, *out, *inhibit; /* an inhibitor arc: fewer tokens than the label has, for each tuple of it */
    struct node *guard;                    /* NULL: true */
    struct node *priority;                 /* NULL: 0 */
    const char *description;               /* a format with %d for each of ... */
    struct node *described;                /* ... a list; NULL: none */
    struct position at;
};

/* A truth about markings, under a name. */
struct colour_proposition {
    const char *name;
    struct node *value;
    uint32_t frame;
};

struct colour_net {
    const char *name;
    const char *file;    /* for errors while it runs */
    const char *format;  /* of its language: "lna", "pnml" */
    struct arena *arena; /* of all that it points to, also of what the vectors hold: they grow by arena_push */
    VECTOR(struct colour_place) places;
    VECTOR(struct colour_transition) transitions;
    VECTOR(struct colour_proposition) propositions;
    VECTOR(struct portolan_stated_property) stated;
    uint32_t function_frame; /* reserved for the evaluator */
    void *library;           /* of imported functions; NULL: none */
};

/* With an arena and a copy of the name; NULL when memory is exhausted. */
struct colour_net *colour_net_new(const char *name);
void colour_net_free(struct colour_net *net);
/* The transition with this name or id. */
bool colour_find_transition(const struct colour_net *net, const char *name, uint32_t *transition);

/* As vector_push, in memory of the arena: nobody releases it. */
#define arena_push(arena, vector, value)                                                                               \
    (((vector)->count < (vector)->capacity ||                                                                          \
      arena_grow(arena, (void **)&(vector)->item, &(vector)->capacity, (vector)->count, sizeof *(vector)->item)) &&    \
     ((vector)->item[(vector)->count++] = (value), true))
bool arena_grow(struct arena *arena, void **items, size_t *capacity, size_t count, size_t size);

/* ------------------------------------------------------------------ readers */

/* definitions: "N=7", as for portolan_open_with */
enum portolan_status lna_read(const char *path, const char *const *definitions, size_t count, struct colour_net **net,
                              struct portolan_error *error);
/* The same from memory; file stands for it in errors. */
enum portolan_status lna_read_text(const char *file, const char *text, size_t length, const char *const *definitions,
                                   size_t count, struct colour_net **net, struct portolan_error *error);

#endif
