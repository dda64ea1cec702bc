/*
 * A sequence of steps to be taken from some node: a way to explore that nothing
 * explored so far covers.  Of each step it keeps who takes it and what it touches,
 * for questions up to the order of independent steps:
 *
 *   p is a weak initial of v   v can be continued so that p comes first in an equivalent sequence
 *   v without p                what is left of v after p was taken first
 *   u and v are compatible     they have a common continuation
 */
#ifndef STATELESS_SEQUENCE_H
#define STATELESS_SEQUENCE_H

#include "stateless/execution.h"

struct item {
    uint32_t agent;
    uint32_t access_count;
    uint32_t first_access;
    uint64_t touched, written; /* objects modulo 64: two items conflict only if these meet */
};

struct sequence {
    struct sequence *next; /* in the list of a node */
    uint32_t start, length;
    uint32_t origin; /* depth of the node it was found for */
    uint32_t *known; /* events before that node whose races with its last step were reversed already */
    uint32_t known_count;
    struct portolan_access *accesses;
    struct item items[];
};

/* A step that may be asked about: somebody's next step, with the masks of an item. */
struct footprint {
    uint32_t agent;
    uint32_t access_count;
    uint64_t touched, written;
    const struct portolan_access *accesses;
};

struct footprint footprint_of(uint32_t agent, const struct portolan_access *accesses, uint32_t count);

static inline bool footprints_conflict(const struct footprint *a, const struct footprint *b)
{
    return ((a->written & b->touched) | (a->touched & b->written)) &&
           accesses_conflict(a->accesses, a->access_count, b->accesses, b->access_count);
}

/* The given events, in this order, and then a step of another agent; NULL when memory is short.  Free it with
 * sequence_free. */
struct sequence *sequence_make(const struct execution *execution, const uint32_t *events, size_t count,
                               const struct footprint *last);

void sequence_free(struct sequence *sequence);

static inline struct footprint sequence_at(const struct sequence *sequence, uint32_t i)
{
    const struct item *item = &sequence->items[i];
    return (struct footprint){item->agent, item->access_count, item->touched, item->written,
                              sequence->accesses + item->first_access};
}

/* Could this step come first?  *position is that of the agent's first item, or sequence->length when it has none. */
bool is_weak_initial(const struct sequence *sequence, const struct footprint *step, uint32_t *position);
/* Takes an item out that is_weak_initial gave the position of. */
void sequence_remove(struct sequence *sequence, uint32_t position);
/* Have the two a common continuation?  Leaves both as they are.  removed is scratch of v->length flags. */
bool sequences_compatible(const struct sequence *u, const struct sequence *v, bool *removed);

#endif
