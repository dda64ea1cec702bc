/* SPDX-License-Identifier: Apache-2.0 */
/* Random high-level nets, as drafts from which the text is written and which a naive interpreter explores. */
#ifndef TESTS_RANDOM_HIGHLEVEL_H
#define TESTS_RANDOM_HIGHLEVEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The types that every net declares. */
enum draft_type { TYPE_RANGE, TYPE_MOD, TYPE_ENUM, TYPE_BIT, TYPE_STRUCT, TYPE_VECTOR, TYPE_LIST, TYPE_SET, TYPES };

enum draft_kind {
    EX_VARIABLE, /* number */
    EX_CONSTANT, /* number: of the value */
    EX_ADD,      /* a + number */
    EX_SUBTRACT,
    EX_SUCCESSOR,
    EX_PREDECESSOR,
    EX_CONDITIONAL,
    EX_FIELD,   /* number 0, 1: a.first, a.second */
    EX_ELEMENT, /* a[b] of a vector */
    EX_ITEM,    /* a[number] of a list; number 3, 4: its first, its last */
    EX_CALL,
    EX_MAKE,      /* {a, b}, [a, b], |a, b|; b -1: one */
    EX_SET_FIELD, /* a :: (.first := b) */
    EX_REPLACE,   /* a :: ([b] := c) */
    EX_JOIN,      /* a & b */
    EX_SUFFIX,
    EX_PREFIX,
    EX_SLICE,    /* a[number / 3 .. number % 3] */
    EX_SET_ITEM, /* a :: ([number] := b) */
    EX_UNION,    /* a or b, b an element or a set */
    EX_WITHOUT,
    EX_INTERSECT, /* a and b, both sets */
    EX_COUNT,     /* card(i in TYPE_RANGE | a) as a TYPE_RANGE */
    /* truths */
    EX_LESS,
    EX_EQUAL,
    EX_AND,
    EX_OR,
    EX_NOT,
    EX_IN,
    EX_EMPTY,
    EX_FORALL, /* i in TYPE_RANGE: a */
    EX_EXISTS
};

struct draft_expression {
    enum draft_kind kind;
    int type; /* enum draft_type; -1: a truth */
    int a, b, c, number;
};

enum {
    MOST_EXPRESSIONS = 400,
    MOST_VARIABLES = 6,
    ITERATOR = MOST_VARIABLES, /* the variable of an iterator; one at a time */
    MOST_PLACES = 4,
    MOST_TRANSITIONS = 5,
    MOST_ARCS = 3,
    MOST_TERMS = 2,
    MOST_PROPOSITIONS = 3
};

enum draft_source { SOURCE_TOKEN, SOURCE_PICK, SOURCE_LET };

struct draft_variable {
    enum draft_source source;
    int type, value; /* a let's; the container of a pick, -1: its type */
};

struct draft_term {
    bool has_iterator; /* over TYPE_RANGE */
    int condition;     /* -1: none */
    int count;
    int component[2];
};

struct draft_arc {
    int place, terms;
    struct draft_term term[MOST_TERMS];
};

struct draft_transition {
    int variables, ins, outs, inhibits, guard, priority;
    struct draft_variable variable[MOST_VARIABLES];
    struct draft_arc in[MOST_ARCS], out[MOST_ARCS], inhibit[MOST_ARCS];
};

struct draft_place {
    int components, type[2];
    int capacity;                               /* 0: none */
    int initial[3], initial_count[3], initials; /* tokens by their numbers */
};

struct draft_proposition {
    int shape; /* card, mult, card of some, exists, forall */
    int place, component, value, least;
};

struct draft_net {
    int places, transitions, propositions, expressions;
    int function, parameter; /* what f does */
    bool has_priorities;
    bool moves; /* transitions put back what they take, changed or elsewhere: there are more states */
    struct draft_place place[MOST_PLACES];
    struct draft_transition transition[MOST_TRANSITIONS];
    struct draft_proposition proposition[MOST_PROPOSITIONS];
    struct draft_expression expression[MOST_EXPRESSIONS];
};

void draft_make(struct draft_net *net, uint64_t seed);
void draft_write(const struct draft_net *net, FILE *out);
void draft_token_text(const struct draft_net *net, int place, int token, FILE *out);

/* Values of a type, numbered from 0 on. */
int draft_values(int type);
/* How many tokens a place can have that differ. */
int draft_tokens(const struct draft_place *place);
void draft_value_text(int type, int value, FILE *out);

struct draft_truth {
    bool is_known; /* not: there are too many states or bindings, or too many tokens in a place */
    unsigned states, arcs, dead, errors;
    bool exceeds;                 /* a capacity */
    bool gives_way;               /* some binding to one of a higher priority */
    bool ever[MOST_PROPOSITIONS]; /* true in some state */
    bool always[MOST_PROPOSITIONS];
    int most[MOST_PLACES]; /* tokens at once */
};

void draft_explore(const struct draft_net *net, struct draft_truth *truth);

#endif
