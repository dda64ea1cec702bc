/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the reader of .lna share.  A declaration is read and given its meaning at once: names mean what was
 * declared before them.  Expressions are read as they are written, then typed in place; an expression that has its
 * colour is typed.
 */
#ifndef FRONT_LNA_READER_H
#define FRONT_LNA_READER_H

#include "expression/parse.h"
#include "highlevel/net.h"

/* Which brackets a NODE_MAKE was written with: node->type. */
enum shape { SHAPE_VECTOR, SHAPE_STRUCT, SHAPE_CONTAINER };

struct local {
    const char *name;
    const struct colour_type *colour;
    uint32_t at;      /* its first cell in the frame */
    bool is_constant; /* nothing can be assigned to it */
};

struct constant {
    const char *name;
    const struct colour_type *colour;
    int64_t *cells;
    struct node *late; /* its value where it calls functions: they may get their bodies later.  NULL: it is known */
    uint32_t frame;    /* that it needs to be evaluated */
    bool is_parameter;
};

/* Of what is read: the parser points to it. */
struct syntax {
    struct colour_net *net;
    const char *const *definitions; /* "N=7", or a symbol of the preprocessor */
    size_t definition_count;
    VECTOR(struct colour_type *) types; /* in the arena, as those below */
    VECTOR(struct constant *) constants;
    VECTOR(struct colour_function *) functions;
    const struct colour_type *integer, *truth;
    /* of the declaration that is read */
    VECTOR(struct local) locals;
    uint32_t frame;
    const struct colour_function *function; /* NULL: not in one */
    bool sees_marking;                      /* places can be asked for their tokens */
};

extern const struct lexer_rules lna_rules;
extern const struct language lna_language;

/* -------------------------------------------------------- preprocess.c */

/* Blanks directives and what they leave out in a copy of the text, so that lines and columns stay. */
enum portolan_status lna_preprocess(const char *file, const char *text, size_t length, char *copy,
                                    const char *const *definitions, size_t count, struct portolan_error *error);

/* --------------------------------------------------- read_expression.c */

enum { TIGHTER_THAN_TIMES = PRECEDENCE_PRODUCT + 1 }; /* for parse_tight */

/* a, b, ...: at least one. */
enum portolan_status lna_read_expressions(struct parser *p, struct node **list);
/* v in domain [range low .. high], ...: not typed, the domain stands in `container`. */
enum portolan_status lna_read_iterators(struct parser *p, struct iterator **list);
enum portolan_status lna_read_iterator(struct parser *p, struct iterator **iterator);
/* range low .. high */
enum portolan_status lna_read_range(struct parser *p, struct node **low, struct node **high);
/* What may follow the name that is there: an element or field of it. */
enum portolan_status lna_read_postfix(struct parser *p, struct node **node);
/* The node of a name that has been read at a position. */
struct node *lna_name_node(struct parser *p, const char *name, struct position at, const char *start);

/* ------------------------------------------------------------- names.c */

struct local *lna_find_local(const struct parser *p, const char *name);
struct constant *lna_find_constant(const struct parser *p, const char *name);
const struct colour_type *lna_find_type(const struct parser *p, const char *name);
struct colour_function *lna_find_function(const struct parser *p, const char *name);
bool lna_find_place(const struct parser *p, const char *name, uint32_t *place);
/* Is it the name of a value of an enumeration? */
bool lna_find_value(const struct colour_type *type, const char *name, int64_t *value);
/* Cells of the frame for a variable, which is seen until locals.count is less again. */
uint32_t lna_declare_local(struct parser *p, const char *name, const struct colour_type *colour, bool is_constant);
enum portolan_status lna_unknown_value(struct parser *p, const struct node *node);
enum portolan_status lna_unknown_function(struct parser *p, const struct node *node);
enum portolan_status lna_unknown_place(struct parser *p, const struct position *at, const char *name);
/* The name of a type, which is taken. */
const struct colour_type *lna_read_type_name(struct parser *p);
enum portolan_status lna_declared_twice(struct parser *p, const struct position *at, const char *what,
                                        const char *name);

/* ------------------------------------------------------------- types.c */

bool lna_is_scalar(const struct colour_type *type);
bool lna_is_number(const struct colour_type *type);
bool lna_is_container(const struct colour_type *type);
struct colour_type *lna_new_type(struct parser *p, enum colour_kind kind, const char *name);
/* int, nat, short, ushort, bool */
enum portolan_status lna_predefine_types(struct parser *p);
enum portolan_status lna_read_type(struct parser *p);
enum portolan_status lna_read_subtype(struct parser *p);
/* The type of a token of the domain. */
const struct colour_type *lna_tuple_type(struct parser *p, const struct colour_place *place);

/* --------------------------------------------------------- constants.c */

/* The node, or the constant that it is. */
struct node *lna_fold_constant(struct parser *p, struct node *node);
/* The value of an expression that is known now; an error when it is not. */
int64_t lna_static_number(struct parser *p, struct node **node, const struct colour_type *wanted);
enum portolan_status lna_read_constant(struct parser *p);
enum portolan_status lna_read_parameters(struct parser *p);
/* What calls functions, when all functions are there. */
enum portolan_status lna_evaluate_late_constants(struct parser *p);
/* Have all parameters that were defined been there? */
enum portolan_status lna_check_definitions(struct parser *p);

/* ------------------------------------------------------ typing*.c, cast.c */

/* Types the expression; `hint` is the type that is wanted, for what fits several, or NULL. */
enum portolan_status lna_type_any(struct parser *p, struct node **node, const struct colour_type *hint);
/* The same, and it must be one of the type, up to its range. */
enum portolan_status lna_type_like(struct parser *p, struct node **node, const struct colour_type *wanted);
/* The same, and its value must lie in the type when it is evaluated. */
enum portolan_status lna_type_value(struct parser *p, struct node **node, const struct colour_type *wanted);
/* Two that must be of one type. */
enum portolan_status lna_type_pair(struct parser *p, struct node **a, struct node **b, const struct colour_type *hint);
enum portolan_status lna_type_condition(struct parser *p, struct node **node);
/* The iterators become locals. */
enum portolan_status lna_type_iterators(struct parser *p, struct iterator *list);
enum portolan_status lna_type_iterator(struct parser *p, struct iterator *iterator);
/* Might it be of several types: a number, [1, 2]? */
bool lna_is_flexible(const struct parser *p, const struct node *node);
bool lna_looks_like_container(const struct node *node);
/* For values that must lie in the type; values of a cyclic type wrap round unless `strictly`. */
struct node *lna_convert(struct parser *p, struct node *node, const struct colour_type *type, bool strictly);
/* A node that stands where another does. */
struct node *lna_node_like(struct parser *p, const struct node *other, unsigned kind, const struct colour_type *colour);
struct node *lna_number_like(struct parser *p, const struct node *other, int64_t value,
                             const struct colour_type *colour);
enum portolan_status lna_wrong_type(struct parser *p, const struct node *node, const struct colour_type *wanted);

/* typing_values.c: each types a node of its kind, with its children */
enum portolan_status lna_type_make(struct parser *p, struct node **node, const struct colour_type *hint);
enum portolan_status lna_type_join(struct parser *p, struct node **node, const struct colour_type *hint);
enum portolan_status lna_type_member(struct parser *p, struct node **node);
enum portolan_status lna_type_element(struct parser *p, struct node **node);
enum portolan_status lna_type_slice(struct parser *p, struct node **node);
enum portolan_status lna_type_field(struct parser *p, struct node **node);
enum portolan_status lna_type_replace(struct parser *p, struct node **node, const struct colour_type *hint);
enum portolan_status lna_type_set_field(struct parser *p, struct node **node, const struct colour_type *hint);
/* typing_sets.c: `-`, `and`, `or` of sets; false when there is no set */
bool lna_type_sets(struct parser *p, struct node **node, const struct colour_type *hint);
/* a < b of sets */
enum portolan_status lna_compare_sets(struct parser *p, struct node **node);
/* typing_attributes.c */
enum portolan_status lna_type_attribute(struct parser *p, struct node **node, const struct colour_type *hint);
enum portolan_status lna_type_iteration(struct parser *p, struct node **node, const struct colour_type *hint);
bool lna_attribute_counts(const char *name);

/* ---------------------------------------------------- the declarations */

enum portolan_status lna_read_function(struct parser *p, bool is_imported);
enum portolan_status lna_read_statement(struct parser *p, struct statement **statement);
enum portolan_status lna_check_functions(struct parser *p);
/* import.c: compiles and loads what is imported. */
enum portolan_status lna_import_functions(struct parser *p);
enum portolan_status lna_read_place(struct parser *p);
enum portolan_status lna_read_transition(struct parser *p);
enum portolan_status lna_read_proposition(struct parser *p);
/* A label as it is written: read_arcs.c.  `type_label` types it for a place; `checks`: tokens must lie in its domain.
 */
enum portolan_status lna_read_label(struct parser *p, struct arc_term **list);
enum portolan_status lna_read_arcs(struct parser *p, const char *word, struct colour_arc **list);
enum portolan_status lna_type_label(struct parser *p, struct arc_term *list, const struct colour_place *place,
                                    bool checks);

#endif
