/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a thread program of either syntax; what opens is run for a while, and its two views must agree. */
#include "front/threads/system.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

/* The action to fire next, and whether there is one. */
static bool choose(const struct portolan_system *system, const void *state, uint64_t *seed, uint32_t *action)
{
    const struct portolan_footprint *f = system->footprint;
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled), seen = 0;
    struct portolan_step step = {.accesses = calloc((size_t)f->most_accesses + 1, sizeof *step.accesses)};
    require(enabled && step.accesses);
    uint32_t count = system->enabled(system->model, state, enabled);
    for (uint32_t agent = 0; agent < f->agents; agent++) {
        char text[200];
        if (!f->next(system->model, state, agent, &step))
            continue;
        require(step.access_count <= f->most_accesses && step.action < system->actions);
        require(!step.enabled || (seen < count && enabled[seen++] == step.action));
        f->step_text(system->model, state, agent, text, sizeof text);
    }
    require(seen == count);
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (count)
        *action = enabled[(*seed >> 33) % count];
    free(enabled);
    free(step.accesses);
    return count > 0;
}

static void run(const struct portolan_system *system)
{
    unsigned char *state = malloc(system->state_bytes + 1), *next = malloc(system->state_bytes + 1);
    uint64_t seed = 1;
    uint32_t action;
    require(state && next);
    system->initial(system->model, state);
    for (unsigned step = 0; step < STEPS && choose(system, state, &seed, &action); step++) {
        require(system->fire(system->model, state, action, next) == PORTOLAN_FIRED);
        for (uint32_t v = 0; v < system->variables && v < 100; v++)
            system->value(system->model, next, v);
        memcpy(state, next, system->state_bytes);
    }
    free(state);
    free(next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    char *text = malloc(size + 1); /* of its own size, so that reading beyond it is noticed */
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    if (threads_open_text("fuzz.dl", text, size, &system, &error) == PORTOLAN_OK)
        run(system);
    else
        require(error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line && error.column);
    portolan_system_free(system);
    free(text);
    return 0;
}
