/*
 * A node of the exploration: a point of some execution, with the ways to go on
 * that are still to be explored and those that need not be.
 *
 * Several workers may have a node on their stacks; whoever looks at or changes
 * its lists holds its lock.
 */
#ifndef STATELESS_NODE_H
#define STATELESS_NODE_H

#include "stateless/sequence.h"

#include <stdatomic.h>

/* A step that need not come next: it was explored from here, or from a node before with nothing in conflict since. */
struct nap {
    uint32_t agent;
    uint32_t access_count;
    uint64_t touched, written;
    struct portolan_access few[2]; /* most steps touch no more */
    struct portolan_access *many;  /* else here; owned by the node that explored it */
    bool explored_here;
};

struct node {
    atomic_flag lock;
    atomic_uint references;       /* stacks it is on */
    bool entered;                 /* a worker has chosen its first way on */
    uint32_t explored;            /* ways taken from here */
    struct sequence *wanted;      /* to be explored, in this order */
    struct sequence *last_wanted; /* end of that list */
    VECTOR(struct nap) naps;
    /* Of the step that led here, when a wanted sequence asked for it: its races with events before this depth, or with
     * those in the list when it was the last of its sequence, were reversed already. */
    uint32_t planned_from;
    uint32_t *known;
    uint32_t known_count;
    struct node *next_free;
    uint64_t *enabled; /* which agents are; only where a method asks for it */
    uint64_t asleep[]; /* the agents of naps */
};

struct node_pool {
    size_t words; /* of a set of agents */
    struct node *free;
    size_t nodes;
};

struct node *node_make(struct node_pool *pool);
/* One stack less; the last one gives the node back to its pool. */
void node_release(struct node_pool *pool, struct node *node);
void node_pool_clear(struct node_pool *pool);
size_t node_pool_bytes(const struct node_pool *pool);

void node_lock(struct node *node);
void node_unlock(struct node *node);

struct footprint nap_footprint(const struct nap *nap);

/* Records that a step is being explored from here; false when memory is short. */
bool node_explore(struct node *node, const struct footprint *step);
/* Gives a new child, reached by a step, the naps of its parent that the step does not disturb. */
bool node_inherit(struct node *child, const struct node *parent, const struct footprint *step);
/* Moves to the child, reached by a step, what is left of the parent's wanted sequences that could begin with it. */
void node_hand_down(struct node *child, struct node *parent, const struct footprint *step);
/* Moves to the child the rest of the wanted sequence that begins with an agent, if the child can follow it. */
void node_hand_hint(struct node *child, struct node *parent, uint32_t agent);
/* Drops the wanted sequences that begin with an agent. */
void node_unwant(struct node *node, uint32_t agent);

/* Is every continuation of this sequence explored elsewhere? */
bool node_covers(const struct node *node, const struct sequence *sequence);
/* Appends a sequence; the node owns it. */
void node_want(struct node *node, struct sequence *sequence);
/* Does a wanted sequence begin with this agent? */
bool node_wants_agent(const struct node *node, uint32_t agent);

#endif
