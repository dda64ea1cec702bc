/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what a system declares of itself (the relations view, the footprint view and
 * the changers of its variables) against what it does in one state.  A relation that says
 * more than is true passes; one that says less costs soundness and is reported.
 * After the check mode of LTSmin (pins2pins-por-check).
 */
#ifndef SYSTEM_CHECK_RELATIONS_H
#define SYSTEM_CHECK_RELATIONS_H

#include "portolan/portolan.h"

/* Scratch memory; grows when the states of the system do. */
struct relation_check {
    const struct portolan_system *system;
    struct footprint_check *footprints; /* NULL: the system has no such view */
    uint32_t *enabled;                  /* actions enabled in the state, enabled_count of them */
    uint32_t enabled_count;
    uint32_t *later;      /* actions enabled in a successor */
    bool *is_enabled;     /* per action, in the state or successor that is looked at */
    bool *holds_before;   /* per guard, in the state */
    bool *holds_after;    /* per guard, in a successor */
    bool *fits;           /* per index: the successor could be written */
    unsigned char *still; /* enabled_count x enabled_count: [i][j] says that j is enabled after i */
    size_t still_capacity;
    unsigned char *states; /* the successors, then two more */
    size_t states_capacity;
};

/*
 * Prepares to check a system, which must have the relations view and outlive the check.  PORTOLAN_BAD_INPUT when the
 * lists themselves are wrong: an entry out of range, a relation that should be symmetric and is not.  After a
 * failure there is nothing to clear.
 */
enum portolan_status relation_check_make(struct relation_check *check, const struct portolan_system *system,
                                         struct portolan_error *error);
void relation_check_clear(struct relation_check *check);

/*
 * Checks a reachable state:
 *   - an action is enabled exactly when all its guards hold, here and in every successor;
 *   - of exclusive guards at most one holds, and `all_are` agrees with `holds`, in the same states;
 *   - an action that makes a guard true is among its enablers, and one that makes it false among its disablers, where
 *     an action is enabled that has it;
 *   - an action that changes a variable is among its changers;
 *   - enabled actions that neither disable each other nor are declared not to commute end in equal states in both
 *     orders;
 *   - no two actions that are never enabled together are;
 *   - what the footprint view says (check_footprints.h).
 * PORTOLAN_BAD_INPUT names the state, the actions and the reason.  Successors that do not fit the layout are passed by.
 */
enum portolan_status check_relations(struct relation_check *check, const void *state, struct portolan_error *error);

#endif
