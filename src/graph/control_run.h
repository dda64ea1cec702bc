/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control program at work: which steps it allows in a state, and where it goes on.
 *
 * A control state is a location with the values of the variables that matter from there on, interned.  The steps of an
 * atomic block are allowed only where the block can come to its end.  A recipe is one step, however many rules it
 * applies; for each state in which it can end there is a step of its own.  A call counts as a success for the verdict
 * of its location if it has a match and, where it begins an atomic block or a recipe, that can come to its end.
 */
#ifndef GRAPH_CONTROL_RUN_H
#define GRAPH_CONTROL_RUN_H

#include "base/sequences.h"
#include "graph/control.h"

typedef VECTOR(uint32_t) control_numbers;

/* What the program asks of those who know graphs.  Graphs, nodes and applications of rules are numbers; false: memory
 * ran out or a limit was reached. */
struct control_host {
    void *user;
    uint32_t (*node_of_value)(void *user, uint32_t value);
    /* Appends the applications of the rule; given has a node or NO_NUMBER for each node of the rule. */
    bool (*match)(void *user, uint32_t graph, uint32_t rule, const uint32_t *given, control_numbers *applications);
    bool (*apply)(void *user, uint32_t graph, uint32_t application, uint32_t *next);
    /* Whether the arithmetic of the application fails: there is nothing to apply then. */
    bool (*fails)(void *user, uint32_t application);
    /* What a node of the rule, which is a parameter, was matched to. */
    uint32_t (*image)(void *user, uint32_t application, uint32_t node);
    /* Puts a state of the same form, the same for all of that form, in its place. */
    bool (*settle)(void *user, uint32_t *graph, uint32_t *control);
    /* Is it a graph in which nothing can happen, whatever the program says?  NULL: there are none. */
    bool (*is_dead)(void *user, uint32_t graph, bool *is_dead);
};

struct control_step {
    uint32_t application;    /* of the rule, or of the first rule of the recipe */
    uint32_t recipe;         /* NO_NUMBER: a rule */
    uint32_t graph, control; /* afterwards */
    bool fails;              /* arithmetic does, on the way */
};

typedef VECTOR(struct control_step) control_steps;

struct control_run {
    const struct grammar *grammar;
    const struct control_program *program;
    struct control_host host;
    struct sequences states; /* control states: location, values */
    struct sequences pairs;  /* graph, control, depth: can it come down to that depth? */
    VECTOR(uint8_t) answers; /* by pair */
};

void control_run_make(struct control_run *run, const struct grammar *grammar, struct control_host host);
void control_run_clear(struct control_run *run);

/* The control state at the start; NO_NUMBER when memory is exhausted. */
uint32_t control_start(struct control_run *run);
/* Appends the steps allowed in a state, each once; *is_final: the program may end here. */
bool control_allowed(struct control_run *run, uint32_t graph, uint32_t control, control_steps *steps, bool *is_final);
/* Appends those of the steps that begin with the rule at one place.  match_here appends the applications there that
 * agree with what a call gives: a node or NO_NUMBER for each node of the rule. */
bool control_begun(struct control_run *run, uint32_t graph, uint32_t control, uint32_t rule,
                   bool (*match_here)(void *user, const uint32_t *given, control_numbers *applications),
                   control_steps *steps);
/* The location, and those that it may go on to without a step, each once; they are appended. */
bool control_ahead(const struct control_program *program, uint32_t location, control_numbers *locations);
/* Writes what a call gives: a node or NO_NUMBER for each node of its rule. */
bool control_given(const struct control_run *run, uint32_t control, const struct control_call *call, uint32_t *given);
/* The same location with other values.  NO_NUMBER when memory is exhausted. */
uint32_t control_with(struct control_run *run, uint32_t control, const uint32_t *values);
/* Its location, and the values of the location's live variables. */
uint32_t control_location_of(const struct control_run *run, uint32_t control, const uint32_t **values);

#endif
