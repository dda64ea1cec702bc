/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One parser of expressions for all languages: precedence climbing over those of the usual operators that the
 * language lists.  What else may stand where a value is wanted (names, indexes, calls, quantifiers) is read by a
 * function of the language.
 */
#ifndef EXPRESSION_PARSE_H
#define EXPRESSION_PARSE_H

#include "expression/tree.h"

struct parser;

/* From loose to tight; a unary operator binds tighter than all. */
enum precedence {
    PRECEDENCE_IFF = 1,
    PRECEDENCE_IMPLIES,
    PRECEDENCE_OR,
    PRECEDENCE_AND,
    PRECEDENCE_BIT_OR,
    PRECEDENCE_BIT_XOR,
    PRECEDENCE_BIT_AND,
    PRECEDENCE_EQUALITY,
    PRECEDENCE_ORDER,
    PRECEDENCE_SHIFT,
    PRECEDENCE_SUM,
    PRECEDENCE_PRODUCT
};

struct operator
{
    const char *text;
    unsigned precedence;
    enum operation operation;
    bool groups_right;
    /* reads the right operand into the node where it is no expression: the name of a set; or NULL */
    enum portolan_status (*right)(struct parser * parser, struct node * node);
};

struct language {
    const char *binaries, *unaries; /* which of the usual operators it has, with spaces between */
    const struct operator* own;     /* binary operators beside those, ended by one without a precedence; or NULL */
    const char *question;           /* a ? b : c is written so; or NULL */
    const char *const *reserved;    /* words that cannot be names, ended by NULL */
    unsigned most_open;             /* operators and parentheses open at once */
    unsigned deepest;               /* levels of a tree, since it is walked recursively; 0: it is not */
    bool chains; /* a < b < c is (a < b) < c, as in C; otherwise an error, and all comparisons bind alike */
    /* Reads a value that is no operator, number or parenthesis; *node is there, at the current token. */
    enum portolan_status (*primary)(struct parser *parser, struct node **node);
    bool reads_symbols; /* primary is also asked for what begins with a symbol */
    /* Reads what may follow a value (indexes, attributes) and puts the whole in its place.  Or NULL. */
    enum portolan_status (*postfix)(struct parser *parser, struct node **node);
    /* A node is complete: may check it, and put another in its place.  Or NULL. */
    enum portolan_status (*complete)(struct parser *parser, struct node **node);
    const char *wanted; /* "a value" */
    int64_t largest;    /* number */
    struct integer_type integer;
};

struct parser {
    const struct language *language;
    struct lexer *lexer;
    struct arena *arena; /* of the nodes */
    struct portolan_error *error;
    enum portolan_status status;
    unsigned depth;
    const char *last_end;  /* where the last token taken ended */
    struct syntax *syntax; /* what the language reads into, and what it knows */
    const struct portolan_system *system;
};

/*
 * The first error sticks: it fills parser->error and stays in parser->status, which all return.  From then on nothing
 * is read, nothing is at the current token, and what would have been read is NULL.
 */
enum portolan_status parse_expression(struct parser *parser, struct node **expression);
/* Only operators that bind at least as tightly as `weakest`, and no "? :". */
enum portolan_status parse_tight(struct parser *parser, unsigned weakest, struct node **expression);

/* What readers of languages share: */
enum portolan_status parser_fail(struct parser *parser, const struct position *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WANTED, found TOKEN" */
enum portolan_status parser_expected(struct parser *parser, const char *wanted);
enum portolan_status parser_advance(struct parser *parser);
/* Zeroed memory in the arena. */
enum portolan_status parser_get(struct parser *parser, size_t size, void *result);
/* A node that starts at the current token. */
struct node *parser_node(struct parser *parser, unsigned kind);
/* Ends the node behind the last token taken and checks how deep its tree is. */
enum portolan_status parser_close(struct parser *parser, struct node *node);
/* A parent that starts where its first child does. */
enum portolan_status parser_parent(struct parser *parser, unsigned kind, struct node **child_and_parent);
/* A symbol or a word is at the current token. */
bool parser_is(const struct parser *parser, const char *text);
/* Takes it when it is there. */
bool parser_take(struct parser *parser, const char *text);
enum portolan_status parser_expect(struct parser *parser, const char *text, const char *wanted);
enum portolan_status parser_expect_word(struct parser *parser, const char *word);
/* The name at the current token, which is taken. */
enum portolan_status parser_name(struct parser *parser, const char *wanted, const char **name);
/* The same for a name that is declared here: no word of the language. */
enum portolan_status parser_new_name(struct parser *parser, const char *wanted, const char **name);
/* One level more of what is open; parser->depth-- closes it. */
enum portolan_status parser_enter(struct parser *parser);
/* ( a, b, ... ) as a list. */
enum portolan_status parse_list(struct parser *parser, struct node **list);
/* [ a ], where it is there. */
bool parse_index(struct parser *parser, struct node **index);

#endif
