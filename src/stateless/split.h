/*
 * One search by several processes that share nothing but a table of what has been taken.
 *
 * Down to a certain depth everything enabled is explored, with sleep sets; below each of the points there, which all
 * processes find by themselves and in the same order, the search goes on as its method says.  Whoever comes to such a
 * point first explores what is below it.  Sleep sets alone explore every trace exactly once, so nothing is lost or done
 * twice; races that would be reversed above the depth need not be.
 */
#ifndef STATELESS_SPLIT_H
#define STATELESS_SPLIT_H

#include "stateless/worker.h"

struct split {
    size_t depth;            /* 0: the search is not split */
    bool only_counts;        /* nothing is taken: how many points are there? */
    uint64_t points;         /* that this process came to */
    _Atomic uint64_t *taken; /* shared: a hash table of points, 0 is free */
    size_t capacity;         /* a power of two */
};

enum { SPLIT_CAPACITY = 1 << 16, ENOUGH_POINTS = 256 };

/* A new node above the depth: everything that is enabled and awake is wanted, in an order that is the same everywhere.
 */
bool split_expand(struct worker *worker);
/* The node at the depth, or an execution that ended before: is it for this process? */
bool split_take(struct worker *worker);

#endif
