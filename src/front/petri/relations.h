/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relations view of a net.  Guards are "p holds at least k tokens" and
 * "p holds fewer than k tokens"; equal guards of several transitions are one.
 */
#ifndef FRONT_PETRI_RELATIONS_H
#define FRONT_PETRI_RELATIONS_H

#include "front/petri/net.h"

struct net_guard {
    uint32_t place;
    uint32_t threshold;
    bool below; /* holds when the place has fewer than threshold tokens, otherwise when it has at least as many */
};

struct net_relations {
    struct portolan_relations view; /* holds is left to the system */
    struct net_guard *guard;
    struct portolan_lists changers; /* place -> transitions that change its count */
};

bool net_relations_make(struct net_relations *relations, const struct net *net);
void net_relations_clear(struct net_relations *relations);

#endif
