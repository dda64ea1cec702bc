/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a marking is to satisfy, taken apart: linear inequalities over its places, and demands that can be met in
 * several ways.
 */
#ifndef SIMPLIFY_DEMANDS_H
#define SIMPLIFY_DEMANDS_H

#include "base/vector.h"
#include "front/petri/net.h"
#include "property/property.h"

struct node;

enum demand_kind {
    DEMAND_TRUTH,   /* of a node of an expression */
    DEMAND_LESS,    /* the node compares: its left side is less than its right side, ... */
    DEMAND_GREATER, /* ... or greater */
    DEMAND_ENABLED, /* of transition `number` */
    DEMAND_TOKENS   /* at least `bound` in place `number` (wanted), or fewer */
};

struct demand {
    enum demand_kind kind;
    bool wanted; /* or not */
    const struct node *node;
    uint32_t number, bound;
    uint64_t levels; /* for whoever looks at ways in turn: what it depends on */
};

struct demands {
    struct demand *item;
    size_t count, capacity;
};

struct inequality_term {
    uint32_t place;
    int64_t factor;
};

/* The sum of factor * tokens is at most the bound. */
struct inequality {
    size_t first, count; /* of the terms */
    int64_t bound;
    uint64_t levels; /* of its demand */
};

struct inequalities {
    VECTOR(struct inequality_term) terms;
    VECTOR(struct inequality) item;
};

void inequalities_clear(struct inequalities *inequalities);

enum demand_outcome {
    DEMAND_MET,        /* it has become inequalities, or other demands */
    DEMAND_IMPOSSIBLE, /* nothing meets it */
    DEMAND_OPEN,       /* there are several ways */
    DEMAND_UNKNOWN     /* it cannot be said in inequalities, or memory is exhausted */
};

/* Takes a demand apart. */
enum demand_outcome demand_reduce(const struct net *net, struct demand demand, struct inequalities *inequalities,
                                  struct demands *others);
/* The ways to meet one that is open: each is so many demands, one behind the other. */
struct demand_ways {
    struct demands demands;
    VECTOR(uint32_t) sizes;
};
bool demand_ways(const struct net *net, struct demand demand, struct demand_ways *ways);
void demand_ways_clear(struct demand_ways *ways);

#endif
