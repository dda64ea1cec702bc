/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control program: which rules may be applied, one after the other, and with which arguments.
 *
 * It is an automaton.  At a location the calls are tried; what matched is what may be done.  Then the location goes on,
 * without a step, to on_success if a call had a match and to on_failure if none had; the calls there are tried too, and
 * so on to a location that has no calls: the end of the program (is_final) or a dead end.  So `try a; else b;` is a
 * location that calls a, goes to a dead end on success and to one that calls b on failure.
 *
 * Language and semantics are those of GROOVE (Rensink, "Control and recipes for graph transformation"; the terms and
 * their derivatives are in control_term.h).
 */
#ifndef GRAPH_CONTROL_H
#define GRAPH_CONTROL_H

#include "graph/grammar.h"

enum control_argument_kind {
    CONTROL_ANY,   /* _ : whatever matches */
    CONTROL_VALUE, /* a constant: a number of grammar.values */
    CONTROL_GIVEN, /* the value of a variable */
    CONTROL_RESULT /* out: the variable takes what the parameter matched */
};

struct control_argument {
    enum control_argument_kind kind;
    uint32_t number; /* of the value or the variable */
};

struct control_call {
    uint32_t rule;
    uint32_t first_argument, argument_count; /* none, or one for each parameter that is not hidden */
    uint32_t to;                             /* location */
    uint32_t recipe;                         /* that begins with this step (the outermost); NO_NUMBER */
};

struct control_location {
    bool is_final;
    uint32_t first_call, call_count;
    uint32_t on_success, on_failure; /* locations; of one with calls */
    uint32_t depth;                  /* of atomic blocks and recipes that have begun: steps count if all of them end */
    bool is_hidden;                  /* within a recipe: no state, only a part of a step */
    uint32_t first_live, live_count; /* variables whose values matter from here on */
};

struct control_variable {
    const char *name;
    enum sort sort; /* SORT_NONE: a node */
    uint32_t label; /* of a node: marks it for canonical forms, and is on no edge of a state; NO_NUMBER */
};

struct control_program {
    VECTOR(struct control_location) locations;
    VECTOR(struct control_call) calls;
    VECTOR(struct control_argument) arguments;
    VECTOR(struct control_variable) variables;
    VECTOR(const char *) recipes; /* names */
    VECTOR(uint32_t) live;        /* variables in order, a slice a location */
    uint32_t start;
};

/* One file of a control program; nothing is kept of it but in the grammar's arena. */
struct control_text {
    const char *file; /* for errors */
    const char *text;
    size_t length;
};

/* Reads the control program of a grammar, whose rules are there, into grammar->control; values of constants are added
 * to the grammar.  Of several files at most one may have statements; where none has, any rule may be applied. */
enum portolan_status control_read(struct grammar *grammar, const struct control_text *texts, size_t count,
                                  struct portolan_error *error);
void control_free(struct control_program *program);

#endif
