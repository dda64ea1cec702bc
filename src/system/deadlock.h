/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as a deadlock: nothing is enabled, and that is not the proper end. */
#ifndef SYSTEM_DEADLOCK_H
#define SYSTEM_DEADLOCK_H

#include "base/limits.h"
#include "portolan/portolan.h"

static inline bool is_deadlock(const struct portolan_system *system, const void *state, uint32_t enabled_count)
{
    return enabled_count == 0 && !(system->is_final && system->is_final(system->model, state)) &&
           limits_stop() == PORTOLAN_COMPLETE; /* a model may give up in the middle of evaluating */
}

#endif
