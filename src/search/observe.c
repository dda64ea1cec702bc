/* SPDX-License-Identifier: Apache-2.0 */
/* What happens beside the exploration: properties, statistics, progress, limits. */
#include "search/search.h"

#include "base/enabled.h"
#include "base/limits.h"
#include "property/property.h"
#include "search/product.h"
#include "system/deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPANSIONS_PER_LOOK = 256 };
static const double PROGRESS_SECONDS = 0.25, LONGEST_WALKING = 0.5;

double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

void end_search(struct search *s, enum portolan_stop stop)
{
    s->ended = true;
    s->result->stop = stop;
}

static size_t bytes_in_use(const struct search *s)
{
    size_t bytes = store_bytes(&s->store);
    bytes += s->own && s->stack_bytes ? s->stack_bytes(s) : 0;
    bytes += s->recording ? recording_bytes(s->recording) : 0;
    bytes += s->product ? product_bytes(s->product) : 0;
    bytes += s->proviso_class->bytes ? s->proviso_class->bytes(s->proviso) : 0;
    return bytes + s->reduction_class->bytes(s->reduction);
}

static void update_statistics(struct search *s)
{
    struct portolan_statistics *statistics = &s->result->statistics;
    size_t bytes = bytes_in_use(s);
    if (bytes > statistics->bytes)
        statistics->bytes = bytes;
    if (!s->own_states)
        statistics->states = s->store.count;
    else if (s->own)
        statistics->states = s->own_states(s);
    statistics->seconds = seconds_since(&s->start);
}

void end_short_of_memory(struct search *s)
{
    end_search(s, limits_stop_or_memory());
}

bool search_goes_on(struct search *s)
{
    if (!s->ended && limits_reached())
        end_search(s, limits_stop());
    return !s->ended && s->status == PORTOLAN_OK;
}

void observe_limits(struct search *s)
{
    if (!search_goes_on(s) || s->until_check-- > 0)
        return;
    s->until_check = EXPANSIONS_PER_LOOK;
    update_statistics(s);
    const struct portolan_options *options = s->options;
    const struct portolan_statistics *statistics = &s->result->statistics;
    if (options->memory_limit && statistics->bytes >= options->memory_limit)
        end_search(s, PORTOLAN_MEMORY_LIMIT);
    if (options->callbacks.progress && statistics->seconds >= s->next_progress) {
        options->callbacks.progress(options->callbacks.user, statistics);
        s->next_progress = statistics->seconds + PROGRESS_SECONDS;
    }
}

void observe_completion(struct search *s)
{
    if (!s->ended && limits_stop() != PORTOLAN_COMPLETE)
        end_search(s, limits_stop()); /* something was left out on the way */
    update_statistics(s);
}

/* Copies the state aside, since finding the path uses the expansion. */
static void keep_path(struct search *s, size_t property, uint32_t state)
{
    struct portolan_answer *answer = &s->result->answers[property];
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_A_PATH);
    size_t length = s->path(s, state, &answer->trace);
    enum portolan_stop stop = limits_stop();
    limits_end(&finishing);
    answer->has_trace = length != SIZE_MAX;
    answer->trace_length = answer->has_trace ? length : 0;
    if (answer->has_trace || stop == PORTOLAN_COMPLETE)
        return;
    s->decided[property] = false; /* nothing is said that no trace shows */
    s->undecided++;
    snprintf(answer->note, sizeof answer->note,
             "a state that decides it was found, but the limit came before the trace to it");
    end_search(s, stop);
}

static void observe_properties(struct search *s)
{
    const struct portolan_options *options = s->options;
    uint32_t state = s->now.state;
    bool deadlock = is_deadlock(s->system, s->now.bytes, s->now.enabled_count), found = false;
    for (size_t i = 0; i < options->property_count; i++) {
        if (s->decided[i] || !property_is_decided_by(options->properties[i], s->system, s->now.bytes, deadlock))
            continue;
        s->decided[i] = found = true;
        s->undecided--;
    }
    if (!found)
        return;
    for (size_t i = 0; i < options->property_count; i++)
        if (s->decided[i] && !s->result->answers[i].has_trace)
            keep_path(s, i, state);
    if (s->undecided == 0 && !options->all && !s->ended)
        end_search(s, PORTOLAN_DECIDED);
}

/* The present state as the system that was given to the search has it. */
static const void *shown_state(struct search *s)
{
    if (!s->shown)
        return s->now.bytes;
    s->system->open_state(s->system->model, s->now.bytes, s->shown);
    return s->shown;
}

void tell_expanded(struct search *s, bool fully)
{
    const struct portolan_callbacks *callbacks = &s->options->callbacks;
    if (callbacks->expanded)
        callbacks->expanded(callbacks->user, s->now.state, shown_state(s), s->now.enabled_count, fully);
}

void observe_state(struct search *s)
{
    const struct portolan_callbacks *callbacks = &s->options->callbacks;
    const struct expansion *e = &s->now;
    struct portolan_statistics *statistics = &s->result->statistics;
    statistics->visited++;
    statistics->transitions += e->chosen_count;
    statistics->expanded_fully += e->fully;
    tell_expanded(s, e->fully);
    if (is_deadlock(s->system, e->bytes, e->enabled_count)) {
        statistics->deadlocks++;
        if (callbacks->deadlock)
            callbacks->deadlock(callbacks->user, e->state, shown_state(s));
    }
    if (s->checking)
        s->status = check_relations(&s->check, e->bytes, s->error);
    if (s->undecided)
        observe_properties(s);
    if (s->watch && s->store.count >= s->next_watch && !s->ended)
        s->watch(s);
}

/* --- unbounded growth */

struct walk {
    unsigned char *present, *next, *anchor;
    uint32_t *enabled;
    size_t enabled_capacity;
};

/* The variable that is larger in `after`, when none is smaller; UINT32_MAX otherwise. */
static uint32_t covering(const struct portolan_system *system, const void *before, const void *after)
{
    uint32_t larger = UINT32_MAX;
    int64_t most = 0;
    for (uint32_t v = 0; v < system->variables; v++) {
        int64_t difference = system->value(system->model, after, v) - system->value(system->model, before, v);
        if (difference < 0)
            return UINT32_MAX;
        if (difference > most) {
            most = difference;
            larger = v;
        }
    }
    return larger;
}

/* Walks at random and compares with an anchor set anew after 1, 2, 4, ... steps: a state that covers an earlier one
 * on its path can be pumped (Karp and Miller 1969).  Says nothing when it finds nothing. */
static uint32_t pump(const struct portolan_system *system, struct walk *walk, uint64_t seed)
{
    enum { LONGEST_WALK = 5000 };
    system->initial(system->model, walk->present);
    memcpy(walk->anchor, walk->present, system->state_bytes);
    for (uint32_t step = 1, next_anchor = 2; step < LONGEST_WALK && !limits_reached(); step++) {
        uint32_t count;
        if (!enabled_list(system, walk->present, &walk->enabled, &walk->enabled_capacity, &count) || count == 0)
            return UINT32_MAX;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t action = walk->enabled[(seed >> 33) % count];
        if (system->fire(system->model, walk->present, action, walk->next) != PORTOLAN_FIRED)
            return UINT32_MAX;
        unsigned char *swapped = walk->present;
        walk->present = walk->next;
        walk->next = swapped;
        uint32_t variable = covering(system, walk->anchor, walk->present);
        if (variable != UINT32_MAX)
            return variable;
        if (step == next_anchor) {
            memcpy(walk->anchor, walk->present, system->state_bytes);
            next_anchor *= 2;
        }
    }
    return UINT32_MAX;
}

void name_growing(struct search *s)
{
    enum { WALKS = 16 };
    const struct portolan_system *system = s->system->opened ? s->system->opened : s->system;
    if (!system->monotone || !system->value || !system->variable_name || s->result->stop == PORTOLAN_INTERRUPTED)
        return;
    struct portolan_limits finishing, while_walking;
    limits_begin_finishing(&finishing, FOR_A_WALK);
    limits_begin(&while_walking, LONGEST_WALKING, 0, NULL);
    struct walk walk = {.present = malloc(system->state_bytes),
                        .next = malloc(system->state_bytes),
                        .anchor = malloc(system->state_bytes)};
    uint32_t variable = UINT32_MAX;
    if (walk.present && walk.next && walk.anchor && enabled_make(system, &walk.enabled, &walk.enabled_capacity))
        for (uint64_t i = 0; i < WALKS && variable == UINT32_MAX; i++)
            variable = pump(system, &walk, i + 1);
    if (variable != UINT32_MAX) {
        s->result->unbounded = true;
        snprintf(s->result->growing, sizeof s->result->growing, "%s", system->variable_name(system->model, variable));
    }
    limits_end(&while_walking);
    limits_end(&finishing);
    free(walk.present);
    free(walk.next);
    free(walk.anchor);
    free(walk.enabled);
}
