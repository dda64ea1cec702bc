/* SPDX-License-Identifier: Apache-2.0 */
/* Among the equivalent orders of an execution's events: one to show, and one to compare. */
#ifndef STATELESS_SCHEDULE_H
#define STATELESS_SCHEDULE_H

#include "stateless/execution.h"

struct event_list {
    uint32_t *item;
    size_t count, capacity;
};

/*
 * Appends the first cut[a] events of every agent a in an order with few changes of agent: with the fewest
 * there are, unless finding it takes too long.  The cut must be closed under happens-before.  False when memory is
 * short.
 */
bool fewest_switches(const struct execution *execution, const uint32_t *cut, struct event_list *order);

/* Appends all events in the order that, of all equivalent ones, is the first by the numbers of the agents: two
 * executions are the same trace exactly when the agents in this order are the same. */
bool canonical_order(const struct execution *execution, struct event_list *order);

#endif
