/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/states.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/vector.h"

#include <string.h>

static unsigned char *key_of(const struct states *s, uint32_t number)
{
    return s->keys + (size_t)number * s->system->key_bytes;
}

bool states_make(struct states *s, struct portolan_system *system)
{
    size_t actions = (size_t)system->actions + 1;
    *s = (struct states){.system = system,
                         .present = calloc(1, system->state_bytes + 1),
                         .next = calloc(1, system->state_bytes + 1),
                         .enabled = calloc(actions, sizeof *s->enabled),
                         .enabled_in = calloc(actions, sizeof *s->enabled_in)};
    if (s->present && s->next && s->enabled && s->enabled_in) {
        system->initial(system->model, s->next);
        if (states_add_next(s))
            return true;
    }
    states_clear(s);
    return false;
}

void states_clear(struct states *s)
{
    free(s->keys);
    free(s->present);
    free(s->next);
    free(s->enabled);
    free(s->enabled_in);
    memset(s, 0, sizeof *s);
}

static void load_bytes(struct states *s, uint32_t number)
{
    const struct portolan_system *system = s->system;
    memcpy(s->present, key_of(s, number), system->key_bytes);
    memset(s->present + system->key_bytes, 0, system->state_bytes - system->key_bytes);
    if (system->restore)
        system->restore(system->model, s->present);
}

void states_load(struct states *s, uint32_t number)
{
    s->number = number;
    load_bytes(s, number);
    s->enabled_count = s->system->enabled(s->system->model, s->present, s->enabled);
    for (uint32_t i = 0; i < s->enabled_count; i++)
        s->enabled_in[s->enabled[i]] = number + 1;
}

/* Rewrites every state for a wider layout. */
static enum portolan_status widen(struct states *s)
{
    struct portolan_system *system = s->system;
    size_t old_key = system->key_bytes, old_bytes = system->state_bytes;
    enum portolan_status status = system->widen(system);
    if (status != PORTOLAN_OK)
        return status;
    size_t key = system->key_bytes, bytes = system->state_bytes;
    unsigned char *keys = malloc(key * s->count + 1), *old_state = calloc(1, old_bytes + 1);
    unsigned char *present = calloc(1, bytes + 1), *next = calloc(1, bytes + 1);
    if (!keys || !old_state || !present || !next) {
        free(keys);
        free(old_state);
        free(present);
        free(next);
        return PORTOLAN_NO_MEMORY;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        memcpy(old_state, s->keys + i * old_key, old_key);
        system->convert(system->model, old_state, next);
        memcpy(keys + i * key, next, key);
    }
    free(old_state);
    free(s->keys);
    free(s->present);
    free(s->next);
    s->keys = keys;
    s->capacity = key * s->count + 1;
    s->present = present;
    s->next = next;
    load_bytes(s, s->number);
    return PORTOLAN_OK;
}

enum portolan_status states_fire(struct states *s, uint32_t action, struct portolan_error *error)
{
    for (;;) {
        if (limits_reached())
            return fail_memory(error);
        enum portolan_fired fired = s->system->fire(s->system->model, s->present, action, s->next);
        if (fired == PORTOLAN_FIRED)
            return PORTOLAN_OK;
        enum portolan_status status = fired == PORTOLAN_TOO_LARGE ? PORTOLAN_OVERFLOW : widen(s);
        if (status != PORTOLAN_OK)
            return fail(error, status, "%s", portolan_status_text(status));
    }
}

bool states_is_next(const struct states *s, uint32_t number)
{
    return memcmp(key_of(s, number), s->next, s->system->key_bytes) == 0;
}

bool states_add_next(struct states *s)
{
    size_t key = s->system->key_bytes;
    if (s->count == UINT32_MAX - 1 ||
        !vector_grow((void **)&s->keys, &s->capacity, key * ((size_t)s->count + 1) + 1, 1))
        return false;
    memcpy(key_of(s, s->count++), s->next, key);
    return true;
}
