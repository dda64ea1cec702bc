/* SPDX-License-Identifier: Apache-2.0 */
/* A net as a system with the relations view and the entities views. */
#ifndef FRONT_PETRI_SYSTEM_H
#define FRONT_PETRI_SYSTEM_H

#include "front/petri/net.h"

/* Takes the net over, also on failure. */
enum portolan_status net_system_new(struct net *net, struct portolan_system **system, struct portolan_error *error);

/* Something of the caller's that goes with the system: released with it, also by a failing net_system_new_with. */
enum portolan_status net_system_new_with(struct net *net, void *attached, void (*release)(void *attached),
                                         struct portolan_system **system, struct portolan_error *error);
void *net_attached(const void *model);
/* The tokens of a place in a state of the system, or of a compact one. */
uint32_t net_tokens(const void *model, const void *state, uint32_t place);

/* The net behind a system made by net_system_new; NULL behind any other. */
const struct net *net_of_system(const struct portolan_system *system);
/* Packs a marking of the model behind such a system; as for fire, it may be too narrow or too large. */
enum portolan_fired net_state_of_marking(const void *model, const uint32_t *marking, void *state);

#endif
