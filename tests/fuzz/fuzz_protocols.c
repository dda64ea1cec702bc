/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a protocol; what opens is run for a while, and its views must agree. */
#include "front/protocols/protocols.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, MOST_ACTIONS = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void ignore_actor(void *user, uint32_t process, const char *text, bool stops)
{
    (void)stops;
    (void)user;
    require(process != UINT32_MAX && text);
}

static void ignore_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    const struct portolan_system *system = user;
    (void)event;
    require(from < system->messages->processes && to < system->messages->processes && text);
}

/* Enabled actions, guards and steps say the same. */
static void compare_views(const struct portolan_system *system, const void *state, const uint32_t *enabled,
                          uint32_t count)
{
    const struct portolan_relations *r = system->relations;
    struct portolan_step step = {.accesses =
                                     calloc((size_t)system->footprint->most_accesses + 1, sizeof *step.accesses)};
    require(step.accesses);
    for (uint32_t a = 0; a < system->actions; a++) {
        bool listed = false, all = true;
        for (uint32_t i = 0; i < count; i++)
            listed |= enabled[i] == a;
        for (uint32_t i = r->guards_of.offset[a]; i < r->guards_of.offset[a + 1]; i++)
            all &= r->holds(system->model, state, r->guards_of.item[i]);
        require(system->footprint->next(system->model, state, a, &step));
        require(listed == all && listed == step.enabled);
    }
    free(step.accesses);
}

static void run(struct portolan_system *system)
{
    unsigned char *state = calloc(1, system->state_bytes), *next = calloc(1, system->state_bytes);
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled);
    uint64_t seed = 1;
    require(state && next && enabled);
    system->initial(system->model, state);
    for (int i = 0; i < STEPS; i++) {
        uint32_t count = system->enabled(system->model, state, enabled);
        compare_views(system, state, enabled, count);
        for (uint32_t v = 0; v < system->variables + system->unlisted; v++)
            system->value(system->model, state, v);
        if (system->is_final)
            system->is_final(system->model, state);
        if (!count)
            break;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t action = enabled[(seed >> 33) % count], found;
        const struct portolan_message_receiver receiver = {system, ignore_actor, ignore_message};
        system->messages->tell(system->model, state, action, &receiver);
        require(system->find_action(system->model, system->action_name(system->model, action), &found) &&
                found == action);
        if (system->fire(system->model, state, action, next) != PORTOLAN_FIRED)
            break;
        memcpy(state, next, system->state_bytes);
    }
    free(state);
    free(next);
    free(enabled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (protocols_open_text("fuzz.mp", (const char *)data, size, NULL, 0, &system, &error) != PORTOLAN_OK) {
        require(error.message[0]);
        return 0;
    }
    if (system->actions <= MOST_ACTIONS)
        run(system);
    portolan_system_free(system);
    return 0;
}
