/* SPDX-License-Identifier: Apache-2.0 */
#include "base/enabled.h"

#include "base/limits.h"

bool enabled_make(const struct portolan_system *system, uint32_t **list, size_t *capacity)
{
    *capacity = (size_t)fixed_actions(system) + 1;
    *list = calloc(*capacity, sizeof **list);
    return *list != NULL;
}

struct found {
    VECTOR(uint32_t) actions;
};

static bool add(void *user, uint32_t action)
{
    struct found *found = user;
    return vector_push(&found->actions, action) && !limits_reached();
}

bool enabled_find(const struct portolan_system *system, const void *state, uint32_t **list, size_t *capacity,
                  uint32_t *count)
{
    struct found found = {.actions = {.item = *list, .capacity = *capacity}};
    struct portolan_receiver receiver = {.give = add, .user = &found};
    bool fine = system->find_enabled(system->model, state, &receiver);
    *list = found.actions.item;
    *capacity = found.actions.capacity;
    *count = (uint32_t)found.actions.count;
    return fine && found.actions.count < UINT32_MAX;
}

struct wanted {
    uint32_t action;
    bool met;
};

static bool compare(void *user, uint32_t action)
{
    struct wanted *wanted = user;
    wanted->met |= wanted->action == action;
    return true;
}

bool is_found_enabled(const struct portolan_system *system, const void *state, uint32_t action)
{
    struct wanted wanted = {.action = action};
    struct portolan_receiver receiver = {.give = compare, .user = &wanted};
    if (!system->find_enabled(system->model, state, &receiver))
        limits_run_out();
    return wanted.met;
}
