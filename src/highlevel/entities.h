/* SPDX-License-Identifier: Apache-2.0 */
/* A high-level net that runs as it is, as a system of entities: tokens, with as many of each as there are. */
#ifndef HIGHLEVEL_ENTITIES_H
#define HIGHLEVEL_ENTITIES_H

#include "portolan/portolan.h"

extern const struct portolan_entities *const fly_entities[];

#endif
