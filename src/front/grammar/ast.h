/* SPDX-License-Identifier: Apache-2.0 */
/* What the parser of .gg files leaves of a statement, and what its readers share. */
#ifndef FRONT_GRAMMAR_AST_H
#define FRONT_GRAMMAR_AST_H

#include "expression/parse.h"
#include "graph/grammar.h"

extern const struct lexer_rules gg_rules;
extern const struct language gg_language;

/* Nodes of expressions beside those of every language. */
enum { GG_REAL = NODE_OWN + 1, GG_STRING, GG_CALL };

/* A label, or a pattern of labels as it is written: ?x[^a,b], next.next*. */
struct label_text {
    const char *text;
    bool is_pattern;
    struct position at;
    struct label_text *next; /* in a list of flags */
};

enum term_kind { TERM_NODE, TERM_VALUE, TERM_EXPRESSION };

/* One end of an edge: p, p: Phil [hungry], 3, (n + 1). */
struct term {
    enum term_kind kind;
    struct position at;
    const char *name;
    struct value value;
    struct node *expression;
    struct label_text *type; /* behind the colon; NULL: none */
    bool is_exact;
    enum sort sort; /* the same, of a value */
    struct label_text *flags;
    struct arrow *arrow; /* to the next one; NULL: the chain ends */
};

enum arrow_kind { ARROW_EDGE, ARROW_EQUAL, ARROW_UNEQUAL };

struct arrow {
    enum arrow_kind kind;
    struct label_text label;
    bool backwards;
    struct term *to;
};

struct reader {
    struct parser parser; /* its first error sticks */
    struct lexer lexer;
    struct arena arena; /* of what is only there while we read */
    struct grammar *grammar;
    const char *text; /* the whole, of this length */
    size_t length;
    const char *start; /* the start graph that is wanted, NULL: the first */
    bool has_start;    /* it has been read */
    struct names graphs;
    struct position graph_at;           /* of the last one */
    bool is_injective, checks_dangling; /* every rule */
    const char *control;                /* in the text; NULL: there is none */
    size_t control_length;
};

/* ------------------------------------------------------------------ parsing */

/* a -x-> b <-y- c */
enum portolan_status gg_parse_chain(struct reader *r, struct term **chain);
/* A name, or one in single quotes; copied into the arena of the grammar. */
enum portolan_status gg_parse_label(struct reader *r, const char *wanted, const char **name);
/* The text up to the brace that closes the one at the current token, which is taken. */
enum portolan_status gg_parse_raw_block(struct reader *r, const char **text, size_t *length);

/* ------------------------------------------------------------------ building */

enum portolan_status gg_no_memory(struct reader *r);
uint32_t gg_label_number(struct reader *r, enum label_kind kind, const char *text);
uint32_t gg_value_number(struct reader *r, const struct value *value);
/* Where a node or edge of a rule is in the text. */
struct position gg_position_at(const struct reader *r, unsigned line, unsigned column);
/* The sort of a word (int, real, bool, string), or SORT_NONE. */
enum sort gg_sort_of_word(const char *word);
const char *gg_sort_word(enum sort sort);

/* ------------------------------------------------------------------ types */

enum portolan_status gg_read_types(struct reader *r);
/* The label of a type; where there is a type graph, it must be there. */
uint32_t gg_type_number(struct reader *r, const struct label_text *type);
bool gg_is_abstract_type(const struct reader *r, uint32_t type);
/* Does the type graph allow the edge?  Types are labels; NO_NUMBER is not known.  of_any_subtype: or for a subtype. */
enum portolan_status gg_check_edge_type(struct reader *r, uint32_t from, uint32_t label, uint32_t to,
                                        bool of_any_subtype, const struct position *at);
/* The label that stands for the type of a value. */
uint32_t gg_sort_type(struct reader *r, enum sort sort);

/* ------------------------------------------------------------------ graphs and rules */

enum portolan_status gg_read_graph(struct reader *r);
enum portolan_status gg_read_rule(struct reader *r);

/* A rule while it is read. */
struct binding {
    const char *name;
    uint32_t node;
};

struct scope {
    struct reader *reader;
    struct rule *rule;
    VECTOR(struct binding) bindings; /* those of blocks that have ended are gone */
    uint32_t level, embargo;         /* of the statement */
    enum role role;
    struct names variables; /* for labels */
};

uint32_t gg_find_binding(const struct scope *scope, const char *name);
enum portolan_status gg_bind(struct scope *scope, const char *name, uint32_t node);
/* A node of the statement's level, role and embargo; NO_NUMBER when that fails. */
uint32_t gg_add_node(struct scope *scope, const struct position *at, const char *name);
uint32_t gg_constant_node(struct scope *scope, const struct value *value, const struct position *at);
/* The node of an expression's value. */
uint32_t gg_expression_node(struct scope *scope, const struct node *expression);
/* where e: the expression is true. */
enum portolan_status gg_add_condition(struct scope *scope, const struct node *expression);
uint32_t gg_label_variable(struct scope *scope, const char *name);
/* A wildcard or path between two nodes, as its text says. */
enum portolan_status gg_add_pattern(struct scope *scope, struct rule_edge *edge, const struct label_text *pattern,
                                    enum label_kind kind);

#endif
