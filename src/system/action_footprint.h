/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The footprint view of a system whose actions always touch the same: every action is
 * an agent that would always like to go, and waits for what it needs.
 */
#ifndef SYSTEM_ACTION_FOOTPRINT_H
#define SYSTEM_ACTION_FOOTPRINT_H

#include "portolan/portolan.h"

struct action_footprint {
    struct portolan_footprint view; /* its functions are for the owner to fill in */
    uint32_t *first;                /* action -> its accesses, up to the first of the next action */
    struct portolan_access *accesses;
    uint32_t *waits_for; /* per action */
    uint32_t count;      /* of accesses so far */
    uint32_t begun;      /* the action to which they are being added */
};

/* accesses: of all actions together. */
bool action_footprint_make(struct action_footprint *footprint, uint32_t actions, uint32_t objects, size_t accesses);
void action_footprint_clear(struct action_footprint *footprint);
/* Adds an access; actions come in increasing order, each object once.  needs: whether the action is enabled depends
 * on the object. */
void action_footprint_add(struct action_footprint *footprint, uint32_t action, uint32_t object, bool writes,
                          bool needs);
/* To be called when all are added. */
void action_footprint_finish(struct action_footprint *footprint);
/* All of a step but whether it is enabled. */
void action_footprint_step(const struct action_footprint *footprint, uint32_t action, struct portolan_step *step);

#endif
