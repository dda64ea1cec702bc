/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search by several processes that share nothing but a table of what has been taken.
 *
 * Down to a certain depth everything is explored that could matter, with sleep sets; below each of the points there,
 * which all processes find by themselves and in the same order, the search goes on as its method says.  Whoever comes
 * to such a point first explores what is below it.  Sleep sets alone explore every trace exactly once, so nothing is
 * lost or done twice; races that would be reversed above the depth need not be.
 *
 * What could matter: agents that were never seen in conflict, not even by way of others, are taken to be independent,
 * so above the depth it is enough to explore those that are related to one of them (a persistent set).  The processes
 * see to it that this was right: if not, all must begin again, knowing more.
 *
 * Processes that share nothing at all, the shards of a search (shards.h), take turns instead: the points have numbers,
 * by the order in which everybody comes to them.
 */
#ifndef STATELESS_SPLIT_H
#define STATELESS_SPLIT_H

#include "stateless/worker.h"

enum { SPLIT_CAPACITY = 1 << 16, MOST_SPLIT_AGENTS = MOST_SET_AGENTS };

struct split {
    struct common_tree *tree; /* not split at a depth: the processes explore one tree together, common_tree.h */
    size_t depth;             /* 0: the search is not split, but who meets whom is noted */
    bool only_counts;         /* nothing is taken: how many points are there? */
    uint64_t points;          /* that this process came to */
    uint64_t deep;            /* of these at the depth; the others are executions that ended before */
    bool everybody;           /* is taken to be related to everybody, so that nothing can turn out wrong */
    uint32_t shard, shards;   /* of so many, from 0 on: takes each that many-th point.  0: see `taken` */
    uint64_t skipped;         /* points before this one are done */
    void (*at_point)(const struct worker *worker, uint64_t point); /* told when it comes to one; may be NULL */
    _Atomic uint64_t *taken;                                       /* shared: a hash table of points, 0 is free */
    size_t capacity;                                               /* a power of two */
    agent_set met[MOST_SPLIT_AGENTS];     /* per agent, whom it was seen in conflict with, a bit for each */
    agent_set related[MOST_SPLIT_AGENTS]; /* the same by way of others too, as far as it was known before; and itself */
};

/* Finds out who is related, by who has met. */
void split_relate(struct split *split);
/* Has somebody met another who is no relation? */
bool split_was_wrong(const struct split *split);

/* A new node above the depth: its backtrack set gets those who are enabled and awake, of the relations of one of them.
 */
bool split_expand(struct worker *worker);
/* The node at the depth, or an execution that ended before: is it for this process? */
bool split_take(struct worker *worker);

#endif
