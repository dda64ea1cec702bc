/* SPDX-License-Identifier: Apache-2.0 */
/* States within what a model takes for one step, which formulas and fairness overlook. */
#ifndef SYSTEM_RESTING_H
#define SYSTEM_RESTING_H

#include "portolan/portolan.h"

static inline bool rests_within_step(const struct portolan_system *system, const void *state)
{
    return system->rests_within_steps && system->resting &&
           system->value(system->model, state, system->resting - 1) != 0;
}

#endif
