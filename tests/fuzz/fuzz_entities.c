/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the reader of entity systems returns one that takes steps, or an error that says where. */
#include "front/entities/entities.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void walk(struct portolan_system *system)
{
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled);
    unsigned char *now = malloc(system->state_bytes), *next = malloc(system->state_bytes);
    if (enabled && now && next) {
        system->initial(system->model, now);
        for (unsigned step = 0; step < 20; step++) {
            uint32_t count = system->enabled(system->model, now, enabled);
            if (!count)
                break;
            require(system->fire(system->model, now, enabled[step % count], next) == PORTOLAN_FIRED);
            unsigned char *swapped = now;
            now = next;
            next = swapped;
        }
    }
    free(enabled);
    free(now);
    free(next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct entity_system *entities;
    struct portolan_system *system;
    struct portolan_error error = {0};
    if (entities_read_memory("fuzz.ent", (const char *)data, size, &entities, &error) != PORTOLAN_OK) {
        require(!entities && error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line && error.column);
        return 0;
    }
    if (entities_system_new(entities, "fuzz.ent", &system, &error) == PORTOLAN_OK) {
        walk(system);
        portolan_system_free(system);
    }
    return 0;
}
