/* SPDX-License-Identifier: Apache-2.0 */
/* Showing a trace in the equivalent order with the fewest changes of agent. */
#ifndef STATELESS_SYSTEM_RESCHEDULE_H
#define STATELESS_SYSTEM_RESCHEDULE_H

#include "portolan/portolan.h"

/* Rewrites a trace of a system with the footprint view; it leads to the same state.  Leaves it alone when memory is
 * short or when it is no trace of the system. */
void reschedule(struct portolan_system *system, uint32_t *trace, size_t length);

#endif
