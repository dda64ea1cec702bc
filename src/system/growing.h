/* SPDX-License-Identifier: Apache-2.0 */
/* A model that a limit cut short may have a variable that grows without bound: random walks look for one. */
#ifndef SYSTEM_GROWING_H
#define SYSTEM_GROWING_H

#include "portolan/portolan.h"

enum { NOT_GROWING = UINT32_MAX };

/* A variable that can be made as large as one likes, or NOT_GROWING when none was found in a short time. */
uint32_t find_growing_variable(const struct portolan_system *system);

#endif
