/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full exploration in the plainest way, on token vectors straight from the net: what the differential tester
 * believes.  It shares no code with the engine.
 */
#ifndef TESTS_DIFFERENTIAL_NAIVE_H
#define TESTS_DIFFERENTIAL_NAIVE_H

#include "base/vector.h"
#include "front/petri/net.h"

enum { NAIVE_NONE = UINT32_MAX };

struct naive_edge {
    uint32_t action, target;
};

/* Markings are numbered in breadth-first order, the initial one is 0. */
struct naive {
    const struct net *net;
    uint32_t count;
    VECTOR(uint32_t) tokens;         /* `places` entries per marking */
    VECTOR(uint32_t) distance;       /* steps from the initial marking */
    VECTOR(uint32_t) edge_offset;    /* count + 1 entries */
    VECTOR(struct naive_edge) edges; /* of each marking by increasing action */
    uint32_t *slot;                  /* hash table: a number, or NAIVE_NONE */
    uint32_t slots;                  /* a power of 2 */
};

enum naive_outcome { NAIVE_COMPLETE, NAIVE_TOO_MANY, NAIVE_NO_MEMORY };

/* Finds every reachable marking unless there are more than `most`.  The net must outlive the result, which is to be
 * cleared whatever the outcome. */
enum naive_outcome naive_explore(struct naive *naive, const struct net *net, uint32_t most);
void naive_clear(struct naive *naive);

const uint32_t *naive_marking(const struct naive *naive, uint32_t state);
/* The number of a marking, or NAIVE_NONE when it is not reachable. */
uint32_t naive_find(const struct naive *naive, const uint32_t *marking);
/* The target of an action, or NAIVE_NONE when it is not enabled. */
uint32_t naive_step(const struct naive *naive, uint32_t state, uint32_t action);
uint32_t naive_enabled(const struct naive *naive, uint32_t state);

#endif
