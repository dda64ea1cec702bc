/* SPDX-License-Identifier: Apache-2.0 */
/* What happens beside the exploration: properties, statistics, progress, limits. */
#include "search/search.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "property/property.h"
#include "search/crew.h"
#include "search/product.h"
#include "store/spill.h"
#include "system/deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPANSIONS_PER_LOOK = 256 };
static const double PROGRESS_SECONDS = 0.25;

void end_search(struct search *s, enum portolan_stop stop)
{
    __atomic_store_n(&s->result->stop, stop, __ATOMIC_RELAXED);
    s->ended = true;
}

static size_t bytes_in_use(const struct explorer *x)
{
    const struct search *s = x->search;
    const struct strategy *strategy = x->strategy;
    size_t bytes = store_bytes(&s->store);
    bytes += s->system->bytes ? s->system->bytes(s->system->model) : 0;
    bytes += strategy->own && strategy->bytes ? strategy->bytes(strategy) : 0;
    bytes += strategy->recording ? recording_bytes(strategy->recording) : 0;
    bytes += strategy->product ? product_bytes(strategy->product) : 0;
    bytes += s->proviso_class->bytes ? s->proviso_class->bytes(strategy->proviso) : 0;
    return bytes + s->reduction_class->bytes(x->reduction) * crew_size(s->crew);
}

static void update_statistics(struct explorer *x)
{
    struct search *s = x->search;
    struct portolan_statistics *statistics = &x->counted;
    size_t bytes = bytes_in_use(x);
    if (bytes > statistics->bytes)
        statistics->bytes = bytes;
    if (s->spill && spill_bytes(s->spill) > statistics->spilled)
        statistics->spilled = spill_bytes(s->spill);
    if (!x->strategy->states)
        statistics->states = store_count(&s->store);
    else if (x->strategy->own)
        statistics->states = x->strategy->states(x->strategy);
    statistics->seconds = seconds_since(&s->start);
}

void end_short_of_memory(struct search *s)
{
    end_search(s, limits_stop_or_memory());
}

static inline bool goes_on(struct explorer *x)
{
    struct search *s = x->search;
    if (!s->ended && limits_reached())
        end_search(s, limits_stop());
    return !s->ended && x->status == PORTOLAN_OK;
}

bool search_goes_on(struct explorer *x)
{
    return goes_on(x);
}

/* Tells the system how long the search is; with PORTOLAN_INTERPRETED it only says whether it was right so far. */
static void tell_length(struct explorer *x, enum portolan_engine engine)
{
    if (!x->system->quicken || x->status != PORTOLAN_OK)
        return;
    uint64_t visited = x->search->crew ? crew_visited(x->search->crew) : x->counted.visited;
    if (x->system->quicken(x->system, engine, x->fires_all, visited))
        return;
    x->status = fail(x->error, PORTOLAN_REFUSED, "internal error: compiled code and the interpreter differ");
    hint(x->error, "use --native never to search without compiled code");
}

void observe_length(struct explorer *x)
{
    if (x->search->options->engine != PORTOLAN_INTERPRETED)
        tell_length(x, x->search->options->engine);
}

void observe_between(struct explorer *x)
{
    const struct strategy *strategy = x->strategy;
    if (strategy->watch && x->search->store.count >= strategy->next_watch && !x->search->ended)
        strategy->watch(x);
    observe_length(x);
}

void observe_limits(struct explorer *x)
{
    struct search *s = x->search;
    if (!goes_on(x) || x->until_check-- > 0)
        return;
    x->until_check = EXPANSIONS_PER_LOOK;
    if (!s->crew) /* else at meetings: all run what it changes */
        observe_length(x);
    crew_lock(s->crew);
    update_statistics(x);
    const struct portolan_options *options = s->options;
    struct portolan_statistics sum = s->crew ? crew_sum(x) : x->counted;
    const struct portolan_statistics *statistics = &sum;
    if (options->memory_limit && statistics->bytes >= options->memory_limit)
        end_search(s, PORTOLAN_MEMORY_LIMIT);
    if (options->callbacks.progress && statistics->seconds >= s->next_progress) {
        options->callbacks.progress(options->callbacks.user, statistics);
        s->next_progress = statistics->seconds + PROGRESS_SECONDS;
    }
    crew_unlock(s->crew);
}

void observe_completion(struct explorer *x)
{
    struct search *s = x->search;
    tell_length(x, PORTOLAN_INTERPRETED);
    if (!s->ended && limits_stop() != PORTOLAN_COMPLETE)
        end_search(s, limits_stop()); /* something was left out on the way */
    update_statistics(x);
    s->result->statistics = x->counted;
}

/* Copies the state aside, since finding the path uses the expansion. */
static void keep_path(struct explorer *x, size_t property, uint32_t state)
{
    struct search *s = x->search;
    struct portolan_answer *answer = &s->result->answers[property];
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_A_PATH);
    size_t length = x->strategy->path(x, state, &answer->trace);
    enum portolan_stop stop = limits_stop();
    limits_end(&finishing);
    answer->has_trace = length != SIZE_MAX;
    answer->trace_length = answer->has_trace ? length : 0;
    if (answer->has_trace || stop == PORTOLAN_COMPLETE)
        return;
    s->undecided += s->decided[property];
    __atomic_store_n(&s->decided[property], false, __ATOMIC_RELAXED); /* nothing is claimed without a trace */
    snprintf(answer->note, sizeof answer->note,
             "a state that decides it was found, but a limit was reached before its trace could be built");
    end_search(s, stop);
}

/* Is the number larger here than where anybody has been? */
static bool is_larger(const struct explorer *x, const struct portolan_property *property,
                      const struct portolan_answer *answer, int64_t *number)
{
    return expression_number(property->expression, x->search->system, x->now.bytes, number) &&
           (!__atomic_load_n(&answer->has_maximum, __ATOMIC_ACQUIRE) ||
            *number > __atomic_load_n(&answer->maximum, __ATOMIC_RELAXED)) &&
           limits_stop() == PORTOLAN_COMPLETE; /* a model may give up in the middle of evaluating */
}

static void keep_maximum(struct explorer *x, const struct portolan_property *property, struct portolan_answer *answer)
{
    int64_t number;
    if (!is_larger(x, property, answer, &number))
        return;
    __atomic_store_n(&answer->maximum, number, __ATOMIC_RELAXED);
    __atomic_store_n(&answer->has_maximum, true, __ATOMIC_RELEASE);
}

static void observe_properties(struct explorer *x)
{
    struct search *s = x->search;
    const struct portolan_options *options = s->options;
    uint32_t state = x->now.state;
    bool deadlock = is_deadlock(s->system, x->now.bytes, x->now.enabled_count), found = false;
    for (size_t i = 0; i < options->property_count; i++) {
        struct portolan_answer *answer = &s->result->answers[i];
        char why[120];
        if (is_decided(s, i))
            continue;
        if (options->properties[i]->kind == PORTOLAN_MAXIMUM)
            keep_maximum(x, options->properties[i], answer);
        if (property_is_decided_by(options->properties[i], s->system, x->now.bytes, deadlock)) {
            free(answer->trace);
            *answer = (struct portolan_answer){0};
            found = true;
            __atomic_store_n(&s->decided[i], true, __ATOMIC_RELAXED);
            s->undecided--;
        } else if (!answer->has_no_value && options->properties[i]->kind == PORTOLAN_REACH &&
                   property_has_no_value(options->properties[i], s->system, x->now.bytes, deadlock, why, sizeof why)) {
            /* it may still be reached elsewhere; if it is not, this is what is shown */
            answer->has_no_value = found = true;
        }
    }
    if (!found)
        return;
    for (size_t i = 0; i < options->property_count; i++)
        if ((s->decided[i] || s->result->answers[i].has_no_value) && !s->result->answers[i].has_trace)
            keep_path(x, i, state);
    if (s->undecided == 0 && !options->all && !s->ended)
        end_search(s, PORTOLAN_DECIDED);
}

/* Several workers: does this state change an answer?  If it seems so, observe_properties looks again. */
static bool may_tell_something(struct explorer *x)
{
    const struct search *s = x->search;
    const struct portolan_options *options = s->options;
    bool deadlock = is_deadlock(s->system, x->now.bytes, x->now.enabled_count);
    for (size_t i = 0; i < options->property_count; i++) {
        const struct portolan_property *property = options->properties[i];
        char why[120];
        int64_t number;
        if (is_decided(s, i))
            continue;
        if ((property->kind == PORTOLAN_MAXIMUM && is_larger(x, property, &s->result->answers[i], &number)) ||
            property_is_decided_by(property, s->system, x->now.bytes, deadlock) ||
            (property->kind == PORTOLAN_REACH &&
             property_has_no_value(property, s->system, x->now.bytes, deadlock, why, sizeof why)))
            return true;
    }
    return false;
}

static void observe_properties_together(struct explorer *x)
{
    if (!may_tell_something(x))
        return;
    crew_lock(x->search->crew);
    if (x->search->undecided && !x->search->ended)
        observe_properties(x);
    crew_unlock(x->search->crew);
}

/* The present state as the system that was given to the search has it. */
static const void *shown_state(struct explorer *x)
{
    if (!x->shown)
        return x->now.bytes;
    x->system->open_state(x->system->model, x->now.bytes, x->shown);
    return x->shown;
}

void tell_expanded(struct explorer *x, bool fully)
{
    const struct portolan_callbacks *callbacks = &x->search->options->callbacks;
    if (!callbacks->expanded)
        return;
    crew_lock(x->search->crew);
    callbacks->expanded(callbacks->user, x->now.state, shown_state(x), x->now.enabled_count, fully);
    crew_unlock(x->search->crew);
}

void observe_state(struct explorer *x)
{
    struct search *s = x->search;
    const struct portolan_callbacks *callbacks = &s->options->callbacks;
    const struct expansion *e = &x->now;
    struct portolan_statistics *statistics = &x->counted;
    statistics->visited++;
    statistics->natively += x->system->is_native;
    statistics->transitions += e->chosen_count;
    statistics->expanded_fully += e->fully;
    tell_expanded(x, e->fully);
    if (is_deadlock(s->system, e->bytes, e->enabled_count)) {
        statistics->deadlocks++;
        if (callbacks->deadlock) {
            crew_lock(s->crew);
            callbacks->deadlock(callbacks->user, e->state, shown_state(x));
            crew_unlock(s->crew);
        }
    }
    if (x->checking)
        x->status = check_relations(&x->check, e->bytes, x->error);
    if (s->undecided && s->crew)
        observe_properties_together(x);
    else if (s->undecided)
        observe_properties(x);
    if (!s->crew && x->strategy->watch && s->store.count >= x->strategy->next_watch && !s->ended)
        x->strategy->watch(x);
}
