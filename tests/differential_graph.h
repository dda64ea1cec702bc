/* SPDX-License-Identifier: Apache-2.0 */
/* The graph that a search explores, recorded through its callbacks, and what a proviso promises of it. */
#ifndef TESTS_DIFFERENTIAL_GRAPH_H
#define TESTS_DIFFERENTIAL_GRAPH_H

#include "differential_naive.h"

struct graph_edge {
    uint32_t from, action, to;
};

struct graph_state {
    uint32_t naive; /* its number there; NAIVE_NONE while it was not expanded */
    bool fully;
};

/* States have the numbers that the search gives them. */
struct graph {
    const struct naive *naive;
    const struct portolan_system *system;
    VECTOR(struct graph_state) states;
    VECTOR(struct graph_edge) edges;
    VECTOR(uint32_t) deadlocks; /* numbers of the naive explorer */
    uint32_t *marking;          /* scratch: a decoded state */
    bool short_of_memory;
    char wrong[256]; /* the first thing a callback found wrong; empty when nothing */
};

/* Empties the graph for a new run, keeping its memory; `marking` must have room for the places. */
void graph_start(struct graph *graph, const struct naive *naive, const struct portolan_system *system);
void graph_clear(struct graph *graph);
/* Callbacks that fill it. */
struct portolan_callbacks graph_callbacks(struct graph *graph);

/*
 * Each returns NULL, or what is wrong.
 * steps: every state was expanded, every edge is one of the net, a state said to be fully expanded is.
 * liveness: every cycle has a fully expanded state.
 * safety: from every state a fully expanded one can be reached.
 * no_ignoring: from every state, each enabled action is explored somewhere ahead; with weak sets, or a fully
 * expanded state is.
 */
const char *graph_check_steps(struct graph *graph);
const char *graph_check_liveness(const struct graph *graph);
const char *graph_check_safety(const struct graph *graph);
const char *graph_check_no_ignoring(const struct graph *graph, bool weak);

#endif
