/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of a program and an automaton of counterexamples, searched for an accepting cycle.
 *
 * A node is a pair of a program state and an automaton state; the automaton reads what is true in a program state
 * when the program leaves it.  A program state in which nothing is enabled is repeated forever.  What is explored in a
 * program state belongs to that state and is looked up in the recording, by every search and in every node (Siegel,
 * "What's wrong with on-the-fly partial order reduction", CAV 2019, shows what goes wrong otherwise).
 */
#ifndef SEARCH_PRODUCT_H
#define SEARCH_PRODUCT_H

#include "search/recording.h"
#include "search/search.h"

enum { PRODUCT_STUTTER = UINT32_MAX /* the action of a state that is repeated */ };
#define PRODUCT_ACCEPTED (UINT32_C(1) << 31) /* of an automaton state in a node: reached by an edge that accepts */

struct product {
    struct explorer *explorer;
    const struct ltl_property *property;
    const struct automaton *automaton;
    struct recording *recording;
    enum portolan_fairness fairness;
    bool on_the_fly;     /* program states are expanded when they are met; else those that are not are left out */
    bool closed;         /* no further nodes: successors that are not among the present ones are left out */
    bool marks_accepted; /* nodes tell whether the edge that led to them accepts */
    struct store *nodes, own_nodes;
    struct shared_product *cooperation; /* of several workers; else NULL */
    uint64_t transitions;
    size_t bytes; /* of the search that runs */
    bool failed;  /* memory ran out, or the search has ended: search says why */
    /* once a counterexample is found */
    bool found;
    VECTOR(uint32_t) trace;
    size_t cycle_start;
};

struct product_node {
    uint32_t state, automaton_state;
};

struct product_cursor {
    uint32_t node;
    uint32_t automaton_edge, program_edge; /* the next ones, counted from the first of the node */
    uint32_t turn;                         /* any number: with which edge to begin */
};

struct product_step {
    uint32_t target;
    uint32_t action;
    uint64_t acceptance;
    uint64_t edge; /* in the recording; meaningless when the state is repeated */
};

/* Inserts the initial node, number 0; false when memory ran out. */
bool product_make(struct product *product, struct explorer *explorer, const struct automaton *automaton);
void product_clear(struct product *product);
size_t product_bytes(const struct product *product);

struct product_node product_node(const struct product *product, uint32_t node);
/* Prepares to look at the successors of a node.  False sets product->failed. */
bool product_enter(struct product *product, uint32_t node, struct product_cursor *cursor);
/* The next successor; false when there is none, or when product->failed has been set. */
bool product_next(struct product *product, struct product_cursor *cursor, struct product_step *step);
/* Looks at limits; false when the search must end. */
bool product_goes_on(struct product *product);

/* Searches of class OF_RUNS set product->found, or product->failed, or neither when there is no accepting cycle:
 *   search_scc    any automaton, fairness
 *   search_ndfs   at most one acceptance set
 *   search_cndfs  the same by several threads
 *   search_weak   weak automata
 *   search_reach  terminal automata */

/* Makes the trace of an accepting cycle in a strongly connected set of nodes, as short as is cheap to find.  member
 * has one entry a node. */
void product_make_lasso(struct product *product, const bool *member);

#endif
