/*
 * The footprint view of a net: every transition is an agent that always wants to
 * fire, every place an object.  A transition writes the places whose count it changes
 * and reads those it only tests.
 */
#ifndef FRONT_PETRI_FOOTPRINT_H
#define FRONT_PETRI_FOOTPRINT_H

#include "front/petri/net.h"
#include "portolan/portolan.h"

struct net_footprint {
    struct portolan_footprint view;   /* without its functions */
    struct portolan_access *accesses; /* of transition t, as its arcs: from net->arc_offset[t] on */
    uint32_t *waits_for;              /* per transition */
};

bool net_footprint_make(struct net_footprint *footprint, const struct net *net);
void net_footprint_clear(struct net_footprint *footprint);

/* All of a step but whether it is enabled. */
void net_footprint_step(const struct net_footprint *footprint, const struct net *net, uint32_t transition,
                        struct portolan_step *step);

#endif
