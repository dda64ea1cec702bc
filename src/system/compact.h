/* SPDX-License-Identifier: Apache-2.0 */
/* Working on a compact system of a model instead of the opened one, where there is one. */
#ifndef SYSTEM_COMPACT_H
#define SYSTEM_COMPACT_H

#include "portolan/portolan.h"

/* NULL when memory is exhausted. */
static inline struct portolan_system *compact_begin(struct portolan_system *system)
{
    return system->compact ? system->compact(system) : system;
}

static inline void compact_end(struct portolan_system *own, struct portolan_system *system)
{
    if (own != system)
        portolan_system_free(own);
}

#endif
