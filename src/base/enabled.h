/* SPDX-License-Identifier: Apache-2.0 */
/* The enabled actions of a state, of systems that count their actions in advance and of those that find them on the
 * fly. */
#ifndef BASE_ENABLED_H
#define BASE_ENABLED_H

#include "base/vector.h"
#include "portolan/portolan.h"

static inline bool has_fixed_actions(const struct portolan_system *system)
{
    return system->actions != PORTOLAN_ACTIONS_ON_THE_FLY;
}

/* How many actions are known in advance: none when they are found on the fly. */
static inline uint32_t fixed_actions(const struct portolan_system *system)
{
    return has_fixed_actions(system) ? system->actions : 0;
}

/* Of an array with an entry per fixed action: what is not known in advance may change everything. */
static inline bool is_visible(const struct portolan_system *system, const bool *visible, uint32_t action)
{
    return !has_fixed_actions(system) || visible[action];
}

/* A list with room for the fixed actions, to begin with; free() releases it.  False when memory ran out. */
bool enabled_make(const struct portolan_system *system, uint32_t **list, size_t *capacity);

bool enabled_find(const struct portolan_system *system, const void *state, uint32_t **list, size_t *capacity,
                  uint32_t *count);

/* Lists the enabled actions of a state; the list grows when it must.  False when memory ran out. */
static inline bool enabled_list(const struct portolan_system *system, const void *state, uint32_t **list,
                                size_t *capacity, uint32_t *count)
{
    if (!has_fixed_actions(system))
        return enabled_find(system, state, list, capacity, count);
    *count = system->enabled(system->model, state, *list);
    return true;
}

/* Is this one among the actions that the system finds on the fly?  When memory runs out, the limit of memory counts as
 * reached, and the answer is of no use. */
bool is_found_enabled(const struct portolan_system *system, const void *state, uint32_t action);

#endif
