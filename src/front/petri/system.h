/* SPDX-License-Identifier: Apache-2.0 */
/* A net as a system with the relations view and the entities views. */
#ifndef FRONT_PETRI_SYSTEM_H
#define FRONT_PETRI_SYSTEM_H

#include "front/petri/net.h"

/* Takes the net over, also on failure. */
enum portolan_status net_system_new(struct net *net, struct portolan_system **system, struct portolan_error *error);

/* The net behind a system made by net_system_new. */
const struct net *net_of_system(const struct portolan_system *system);
/* Packs a marking of the model behind such a system; as for fire, it may be too narrow or too large. */
enum portolan_fired net_state_of_marking(const void *model, const uint32_t *marking, void *state);

#endif
