/* SPDX-License-Identifier: Apache-2.0 */
/* Firing a trace step by step: the check that every counterexample passes before anyone sees it. */
#include "system/replay.h"
#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "property/property.h"
#include "system/arguments.h"
#include "system/deadlock.h"
#include "system/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool list_enabled(struct stepper *stepper)
{
    return enabled_list(stepper->system, stepper->state, &stepper->enabled, &stepper->enabled_capacity,
                        &stepper->enabled_count);
}

bool stepper_make(struct stepper *stepper, struct portolan_system *system)
{
    memset(stepper, 0, sizeof *stepper);
    stepper->system = system;
    stepper->state = malloc(system->state_bytes);
    stepper->before = malloc(system->state_bytes);
    if (stepper->state && stepper->before && enabled_make(system, &stepper->enabled, &stepper->enabled_capacity)) {
        system->initial(system->model, stepper->state);
        if (list_enabled(stepper))
            return true;
    }
    stepper_clear(stepper);
    return false;
}

void stepper_clear(struct stepper *stepper)
{
    free(stepper->state);
    free(stepper->before);
    free(stepper->enabled);
    memset(stepper, 0, sizeof *stepper);
}

/* Rewrites the present state for a wider layout. */
static enum portolan_status widen(struct stepper *stepper)
{
    struct portolan_system *system = stepper->system;
    enum portolan_status status = system->widen(system);
    if (status != PORTOLAN_OK)
        return status;
    unsigned char *state = malloc(system->state_bytes), *before = malloc(system->state_bytes);
    if (!state || !before) {
        free(state);
        free(before);
        return PORTOLAN_NO_MEMORY;
    }
    system->convert(system->model, stepper->state, state);
    free(stepper->state);
    free(stepper->before);
    stepper->state = state;
    stepper->before = before;
    return PORTOLAN_OK;
}

enum portolan_status stepper_fire(struct stepper *stepper, uint32_t action, struct portolan_error *error)
{
    struct portolan_system *system = stepper->system;
    bool is_enabled = false;
    if (limits_reached())
        return fail_memory(error);
    for (uint32_t i = 0; i < stepper->enabled_count; i++)
        is_enabled |= stepper->enabled[i] == action;
    if (!is_enabled) {
        bool known = system->action_name && action < system->actions;
        const char *name = known ? system->action_name(system->model, action) : NULL;
        return fail(error, PORTOLAN_BAD_INPUT, "step %zu: '%s' is not enabled", stepper->steps + 1,
                    name ? name : "an unknown action");
    }
    for (;;) {
        enum portolan_fired fired = system->fire(system->model, stepper->state, action, stepper->before);
        if (fired == PORTOLAN_FIRED)
            break;
        if (fired == PORTOLAN_TOO_LARGE)
            return fail(error, PORTOLAN_OVERFLOW, "step %zu: a count exceeds %d", stepper->steps + 1, INT32_MAX);
        enum portolan_status status = widen(stepper);
        if (status != PORTOLAN_OK)
            return fail(error, status, "%s", portolan_status_text(status));
    }
    unsigned char *swapped = stepper->state;
    stepper->state = stepper->before;
    stepper->before = swapped;
    stepper->steps++;
    return list_enabled(stepper) ? PORTOLAN_OK : fail_memory(error);
}

/* The agent whose next step in the state is this action, and what it touches. */
static bool find_step(const struct portolan_system *system, const void *state, uint32_t action,
                      struct portolan_step *step)
{
    for (uint32_t agent = 0; agent < system->footprint->agents; agent++)
        if (system->footprint->next(system->model, state, agent, step) && step->enabled && step->action == action)
            return true;
    return false;
}

static bool plain_conflict(const struct portolan_step *a, const struct portolan_step *b)
{
    for (uint32_t i = 0; i < a->access_count; i++)
        for (uint32_t j = 0; j < b->access_count; j++) {
            const struct portolan_access *p = &a->accesses[i], *q = &b->accesses[j];
            if (p->object == q->object && (p->writes || q->writes) && !p->synchronises && !q->synchronises)
                return true;
        }
    return false;
}

/* Could the last two steps of the trace have been taken at the same time, with a conflict? */
static enum portolan_status ends_in_race(struct portolan_system *system, const uint32_t *trace, size_t length,
                                         bool *race, struct portolan_error *error)
{
    struct stepper stepper;
    *race = false;
    if (length < 2 || !system->footprint)
        return PORTOLAN_OK;
    if (!stepper_make(&stepper, system)) {
        stepper_clear(&stepper);
        return fail_memory(error);
    }
    size_t room = (size_t)system->footprint->most_accesses + 1;
    struct portolan_step a = {.accesses = calloc(room, sizeof *a.accesses)};
    struct portolan_step b = {.accesses = calloc(room, sizeof *b.accesses)};
    enum portolan_status status = a.accesses && b.accesses ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; i + 2 < length && status == PORTOLAN_OK; i++)
        status = stepper_fire(&stepper, trace[i], error);
    *race = status == PORTOLAN_OK && find_step(system, stepper.state, trace[length - 2], &a) &&
            find_step(system, stepper.state, trace[length - 1], &b) && plain_conflict(&a, &b);
    free(a.accesses);
    free(b.accesses);
    stepper_clear(&stepper);
    return status;
}

/* Does the last state decide the property, or have no value for it, or do the last two steps decide it? */
static enum portolan_status judge_end(const struct stepper *stepper, const struct portolan_property *property,
                                      const uint32_t *trace, size_t length, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    bool decided = false, deadlock = is_deadlock(stepper->system, stepper->state, stepper->enabled_count);
    char why[120];
    if (property->kind == PORTOLAN_NO_RACE)
        status = ends_in_race(stepper->system, trace, length, &decided, error);
    else
        decided = property_is_decided_by(property, stepper->system, stepper->state, deadlock) ||
                  property_has_no_value(property, stepper->system, stepper->state, deadlock, why, sizeof why);
    if (status != PORTOLAN_OK || decided)
        return status;
    if (limits_reached())
        return fail_memory(error); /* then nothing counts as decided */
    return fail(error, PORTOLAN_BAD_INPUT, "the last state does not decide '%s'", portolan_property_text(property));
}

/* Leaves the stepper in the last state; it is to be cleared whatever happens. */
static enum portolan_status replay(struct stepper *stepper, struct portolan_system *system, const uint32_t *trace,
                                   size_t length, const struct portolan_property *property,
                                   struct portolan_error *error)
{
    if (!stepper_make(stepper, system))
        return fail_memory(error);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < length && status == PORTOLAN_OK; i++)
        status = stepper_fire(stepper, trace[i], error);
    return status == PORTOLAN_OK && property ? judge_end(stepper, property, trace, length, error) : status;
}

enum portolan_status portolan_replay(struct portolan_system *system, const uint32_t *trace, size_t length,
                                     const struct portolan_property *property, struct portolan_error *error)
{
    struct stepper stepper = {0};
    enum portolan_status status = check_system(system, error);
    if (status == PORTOLAN_OK && length)
        status = check_pointer(trace, "the trace", error);
    if (status != PORTOLAN_OK)
        return status;
    struct portolan_limits limits;
    bool alone = limits_begin_if_none(&limits);
    status = replay(&stepper, system, trace, length, property, error);
    if (alone)
        limits_end(&limits);
    stepper_clear(&stepper);
    return status;
}

enum portolan_status replay_answer(struct portolan_system *system, const struct portolan_property *property,
                                   struct portolan_answer *answer, struct portolan_error *error)
{
    struct stepper stepper = {0};
    enum portolan_status status = replay(&stepper, system, answer->trace, answer->trace_length, property, error);
    char why[120];
    if (status == PORTOLAN_OK &&
        property_has_no_value(property, system, stepper.state,
                              is_deadlock(system, stepper.state, stepper.enabled_count), why, sizeof why)) {
        snprintf(answer->note, sizeof answer->note, "in the last state %s", why);
        answer->has_no_value = true;
    }
    stepper_clear(&stepper);
    return status;
}
