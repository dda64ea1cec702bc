/* SPDX-License-Identifier: Apache-2.0 */
#include "system/fingerprint.h"

#include "base/enabled.h"
#include "property/property.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

uint64_t fingerprint_add(uint64_t number, const void *bytes, size_t count)
{
    return XXH3_64bits_withSeed(bytes, count, number);
}

static uint64_t add_text(uint64_t number, const char *text)
{
    return text ? fingerprint_add(number, text, strlen(text) + 1) : fingerprint_add(number, "?", 1);
}

static uint64_t add_names(uint64_t number, const struct portolan_system *system)
{
    for (uint32_t i = 0; system->action_name && has_fixed_actions(system) && i < system->actions; i++)
        number = add_text(number, system->action_name(system->model, i));
    for (uint32_t i = 0; system->variable_name && i < system->variables; i++)
        number = add_text(number, system->variable_name(system->model, i));
    return number;
}

/* What a model does is more than its names: some walks, always the same ones. */
static uint64_t add_walks(uint64_t number, const struct portolan_system *system)
{
    enum { WALKS = 8, STEPS = 64 };
    uint64_t random = 1;
    unsigned char *state = calloc(1, system->state_bytes), *next = calloc(1, system->state_bytes);
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled);
    for (int walk = 0; walk < WALKS && state && next && enabled; walk++) {
        system->initial(system->model, state);
        for (int step = 0; step < STEPS; step++) {
            uint32_t count = system->enabled(system->model, state, enabled);
            number = fingerprint_add(number, enabled, count * sizeof *enabled);
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if (!count || system->fire(system->model, state, enabled[(random >> 33) % count], next) != PORTOLAN_FIRED)
                break;
            number = fingerprint_add(number, next, system->state_bytes);
            memcpy(state, next, system->state_bytes);
        }
    }
    free(enabled);
    free(state);
    free(next);
    return number;
}

uint64_t fingerprint(const struct portolan_system *system, const struct portolan_options *options,
                     const struct portolan_result *chosen)
{
    const struct portolan_system *opened = system->opened ? system->opened : system;
    const uint64_t numbers[] = {
        opened->state_bytes,  opened->key_bytes,        opened->actions,      options->all,
        options->chains,      options->certifiable,     options->fairness,    options->bounds_preemptions,
        options->preemptions, options->bound,           options->random_runs, options->bug_depth,
        options->seed,        options->check_relations, options->walk,        options->property_count};
    uint64_t number = fingerprint_add(0, numbers, sizeof numbers);
    number = add_text(number, opened->format);
    number = add_text(number, chosen->reduction);
    number = add_text(number, chosen->proviso);
    number = add_text(number, chosen->search);
    for (size_t i = 0; i < options->property_count; i++)
        number = add_text(number, portolan_property_text(options->properties[i]));
    number = add_names(number, opened);
    return has_fixed_actions(opened) && opened->enabled ? add_walks(number, opened) : number;
}
