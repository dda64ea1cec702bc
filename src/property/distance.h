/* SPDX-License-Identifier: Apache-2.0 */
/* How far a state is from one that decides a property: a guess that guides random walks. */
#ifndef PROPERTY_DISTANCE_H
#define PROPERTY_DISTANCE_H

#include "property/property.h"

/* Scratch of the computation, with room for the property's expression; free() releases it.  NULL: out of memory. */
struct distance *distance_make(const struct portolan_property *property);

/* At most this, however far it is. */
enum { FARTHEST = 1 << 30 };

/* Does the distance depend on how many actions are enabled? */
bool distance_counts_enabled(const struct portolan_property *property);

/* 0 when the state decides it.  enabled_count is looked at only where distance_counts_enabled. */
uint32_t property_distance(const struct portolan_property *property, struct distance *scratch,
                           const struct portolan_system *system, const void *state, uint32_t enabled_count);

#endif
