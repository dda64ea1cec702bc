/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control programs as terms, and what a term can do next: its attempt, in the manner of Brzozowski's derivatives
 * ("Derivatives of regular expressions", JACM 1964), with two verdicts besides the steps (Rensink's control terms).
 * Equal terms are one term, so the terms that derivatives lead to are the locations of an automaton.
 */
#ifndef GRAPH_CONTROL_TERM_H
#define GRAPH_CONTROL_TERM_H

#include "base/vector.h"

#define NO_TERM UINT32_MAX

enum term_type { TERM_DEAD, TERM_FINAL, TERM_TRIAL };

enum term_kind {
    TERM_STUCK,  /* can do nothing */
    TERM_DONE,   /* has come to its end */
    TERM_CALL,   /* number: the call */
    TERM_SEQ,    /* first; second */
    TERM_OR,     /* first | second */
    TERM_IF,     /* if first then second, and third on its success, else fourth */
    TERM_WHILE,  /* while (first) second */
    TERM_UNTIL,  /* until (first) second */
    TERM_STAR,   /* first* */
    TERM_ONWARD, /* first, which must take a step, then second */
    TERM_ATOM,   /* < first >, which has not begun; number: of the recipe whose body it is, or NO_TERM */
    TERM_INSIDE, /* the same once begun */
    TERM_BODY    /* of a function; number: which */
};

struct term {
    enum term_kind kind;
    uint32_t part[4], number;
    enum term_type type;
    uint32_t depth; /* atomic blocks that have begun */
    bool is_hidden; /* in a recipe that has begun */
    uint32_t attempt;
};

struct derivation {
    uint32_t call, to, recipe;
};

struct attempt {
    VECTOR(struct derivation) steps;
    uint32_t success, failure; /* terms */
};

/* A zeroed struct is ready.  When memory ran out or a limit was reached, has_failed stays and terms are NO_TERM. */
struct terms {
    VECTOR(struct term) list;
    VECTOR(struct attempt) attempts;
    uint32_t *slot; /* open addressing; number + 1 */
    size_t slots;
    bool has_failed;
};

void terms_clear(struct terms *terms);

uint32_t term_stuck(struct terms *terms);
uint32_t term_done(struct terms *terms);
uint32_t term_call(struct terms *terms, uint32_t call);
uint32_t term_seq(struct terms *terms, uint32_t first, uint32_t second);
uint32_t term_or(struct terms *terms, uint32_t first, uint32_t second);
uint32_t term_if(struct terms *terms, uint32_t condition, uint32_t then, uint32_t also, uint32_t otherwise);
uint32_t term_while(struct terms *terms, uint32_t condition, uint32_t body);
uint32_t term_until(struct terms *terms, uint32_t condition, uint32_t body);
uint32_t term_star(struct terms *terms, uint32_t body);
uint32_t term_atom(struct terms *terms, uint32_t body, uint32_t recipe);
uint32_t term_body(struct terms *terms, uint32_t body, uint32_t function);

/* What a term of type TERM_TRIAL can do, valid until the next call; NULL when memory ran out. */
const struct attempt *term_attempt(struct terms *terms, uint32_t term);

#endif
