/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the footprint view of a system against what it does in one state:
 *   - the enabled actions are the enabled steps of agents;
 *   - the next step of an agent as if all were as it is, is its next step;
 *   - a step changes nothing about the next step of another agent that it has no conflict with: what it is, whether it
 *     is enabled, what it touches;
 *   - two enabled steps without a conflict end in equal states in both orders.
 */
#ifndef SYSTEM_CHECK_FOOTPRINTS_H
#define SYSTEM_CHECK_FOOTPRINTS_H

#include "portolan/portolan.h"

struct footprint_check;

/* Prepares to check a system that has the view; NULL when memory is short. */
struct footprint_check *footprint_check_make(const struct portolan_system *system);
void footprint_check_free(struct footprint_check *check);

/* The result of a check: what is wrong, and of which actions; `reason` NULL: nothing is. */
struct footprint_lie {
    uint32_t action, other; /* UINT32_MAX: no other */
    const char *reason;
};

/* `is_enabled` tells per action whether it is enabled in the state.  False when memory is short. */
bool check_footprints(struct footprint_check *check, const void *state, const bool *is_enabled,
                      struct footprint_lie *lie);

#endif
