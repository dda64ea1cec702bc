/* SPDX-License-Identifier: Apache-2.0 */
/* The inequalities that a marking meets: those of the state equation, of traps, and of what is looked for. */
#ifndef SIMPLIFY_EQUATION_H
#define SIMPLIFY_EQUATION_H

#include "front/petri/net.h"
#include "simplify/demands.h"
#include "simplify/simplex.h"

#include <stdio.h>

struct effect {
    uint32_t transition;
    int64_t change;
};

struct equation {
    const struct net *net;
    uint32_t *first; /* of each place, places + 1 entries */
    struct effect *effects;
    struct inequalities inequalities; /* of the property */
    struct inequalities traps;        /* that hold in every reachable marking */
    bool *empty;                      /* scratch, per place */
    int64_t *sum;                     /* scratch, per transition */
    double *firings;                  /* a solution, per transition */
    double *marking;                  /* and what it leads to, per place */
    uint32_t systems;                 /* looked at so far */
    FILE *proof;                      /* NULL: nobody wants it */
};

bool equation_make(struct equation *e, const struct net *net, FILE *proof);
void equation_clear(struct equation *e);

/* A solution of the inequalities, for what it is worth, and the marking that it leads to. */
enum simplex_answer equation_guess(struct equation *e);
/* Has the guess emptied a trap that is marked initially?  Then there is a new inequality. */
bool equation_add_trap(struct equation *e);
/* Is there a proof that the inequalities have no solution?  `used` gets what the demands behind those depend on that it
 * needs.  The proof is written when `write` is true. */
bool equation_is_refuted(struct equation *e, bool write, uint64_t *used);
/* The traps that were found, for the proof. */
void equation_write_traps(const struct equation *e);

#endif
