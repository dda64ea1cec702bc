/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/stateless.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "property/property.h"
#include "property/verdict.h"
#include "stateless/shared.h"
#include "stateless/split.h"
#include "system/replay.h"
#include "system/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Executions that differ in the order of independent steps only are explored once, so of the states between the steps
 * many are not seen.  When the steps that may change a property are taken to depend on each other, all executions that
 * are left out show the property's values in the same order as one that is explored.
 */
static bool mark_visible(struct search_shared *shared)
{
    for (size_t i = 0; i < shared->options->property_count; i++) {
        const struct portolan_property *property = shared->options->properties[i];
        if (!property_is_seen_between(property))
            continue;
        if (!shared->visible)
            shared->visible = calloc((size_t)fixed_actions(shared->system) + 1, sizeof *shared->visible);
        if (!shared->visible)
            return false;
        property_mark_visible(property, shared->system, shared->visible);
    }
    return true;
}

static enum portolan_status unknown_method(const char *name, struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (size_t m = 0; methods[m]; m++)
        nearest_offer(&nearest, methods[m]->name);
    fail(error, PORTOLAN_REFUSED, "reduction '%s' does not go with a stateless search", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "use optimal, lazy, source, dpor or none");
    return PORTOLAN_REFUSED;
}

enum portolan_status method_choose(const struct portolan_options *options, const struct method **method,
                                   struct traits *traits, struct portolan_error *error)
{
    bool named = options->reduction && strcmp(options->reduction, "auto") != 0;
    const char *name = named ? options->reduction : options->bounds_preemptions ? method_bounded.name : "optimal";
    *method = method_find(name);
    if (!*method)
        return unknown_method(name, error);
    traits->search |= STATELESS | (options->random_runs ? RANDOM_RUNS : EVERY_EXECUTION);
    traits->reduction |= (named ? REDUCTION_BY_NAME : 0) | ((*method)->counts_preemptions ? 0 : IGNORES_PREEMPTIONS);
    if (options->random_runs && !named)
        *method = &method_random;
    traits->reduction |= (*method)->run ? SINGLE_THREADED : 0;
    return PORTOLAN_OK;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    limits_adopt(worker->shared->limits);
    worker_explore(worker);
    return NULL;
}

/* The first worker runs in the calling thread; without the others it does everything. */
static void run_workers(struct search_shared *shared)
{
    pthread_t threads[MOST_WORKERS];
    uint32_t started = 1;
    for (; started < shared->worker_count; started++)
        if (pthread_create(&threads[started], NULL, run_worker, &shared->workers[started]) != 0)
            break;
    if (started < shared->worker_count) { /* those that are not there count as idle for ever */
        pthread_mutex_lock(&shared->mutex);
        shared->worker_count = started;
        pthread_mutex_unlock(&shared->mutex);
    }
    worker_explore(&shared->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* Each gets a machine of the system; where there is none, the only one gets the given one. */
static enum portolan_status make_workers(struct search_shared *shared, const struct method *method,
                                         struct machine *given, struct portolan_error *error)
{
    uint32_t count = shared->worker_count;
    shared->workers = calloc(count, sizeof *shared->workers);
    if (!shared->workers)
        return fail_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        struct machine *machine = given ? given : state_machine_make(shared->system, shared->visible);
        if (!machine || !worker_make(&shared->workers[i], shared, method, machine))
            return fail_memory(error);
        shared->workers[i].bound = shared->options->bound;
    }
    struct worker *first = &shared->workers[0];
    first->split = shared->split;
    first->execution.met = shared->split ? shared->split->met : NULL;
    struct node *root = node_make(&first->pool);
    if (root && vector_push(&first->stack, root))
        return PORTOLAN_OK;
    if (root)
        node_release(&first->pool, root);
    return fail_memory(error);
}

static enum portolan_status failure_of(const struct search_shared *shared, struct portolan_error *error)
{
    for (uint32_t i = 0; i < shared->worker_count; i++) {
        const struct worker *w = &shared->workers[i];
        if (w->status != PORTOLAN_OK) {
            if (error)
                *error = w->error;
            return w->status;
        }
    }
    return PORTOLAN_OK;
}

/* Why the search has ended; that it saw all of what it was to see is not always everything. */
static enum portolan_stop why_ended(struct search_shared *shared)
{
    const struct portolan_statistics *statistics = &shared->result->statistics;
    if (atomic_load(&shared->over))
        return shared->stop;
    if (limits_stop() != PORTOLAN_COMPLETE)
        return limits_stop();
    if (statistics->left_out)
        return PORTOLAN_PREEMPTION_LIMIT;
    if (shared->options->random_runs)
        return PORTOLAN_STATE_LIMIT;
    if (statistics->cut)
        return PORTOLAN_STEP_LIMIT;
    return shared->workers[0].method->is_sound ? PORTOLAN_COMPLETE : PORTOLAN_PARTIAL;
}

static enum portolan_status conclude(struct search_shared *shared, struct portolan_error *error)
{
    struct portolan_result *result = shared->result;
    result->stop = why_ended(shared);
    for (size_t i = 0; i < result->answer_count; i++) {
        const struct portolan_property *property = shared->options->properties[i];
        struct portolan_answer *answer = &result->answers[i];
        answer->verdict = verdict_of(property->kind, shared->decided[i], result->stop);
        if (!shared->decided[i])
            continue;
        if (!answer->has_trace)
            return fail(error, PORTOLAN_NO_MEMORY, "out of memory");
        struct portolan_error wrong;
        struct portolan_limits finishing;
        limits_begin_finishing(&finishing, FOR_REPLAYING);
        enum portolan_status status = replay_answer(shared->system, property, answer, &wrong);
        if (status == PORTOLAN_STOPPED)
            answer_withdraw(answer, &result->stop);
        limits_end(&finishing);
        if (status != PORTOLAN_OK && status != PORTOLAN_STOPPED)
            return fail(error, status, "internal error: the trace of '%s' does not replay: %s", property->text,
                        wrong.message);
    }
    return PORTOLAN_OK;
}

static void name_parts(const struct method *method, struct portolan_result *result)
{
    snprintf(result->reduction, sizeof result->reduction, "%s", method->name);
    snprintf(result->proviso, sizeof result->proviso, "none");
    snprintf(result->search, sizeof result->search, "stateless");
}

/* `machine` is NULL when there is a system. */
static enum portolan_status search(struct search_shared *shared, const struct method *method, struct machine *machine,
                                   struct portolan_error *error)
{
    struct portolan_result *result = shared->result;
    size_t properties = shared->options->property_count;
    clock_gettime(CLOCK_MONOTONIC, &shared->start);
    shared->limits = limits_present;
    pthread_mutex_init(&shared->mutex, NULL);
    pthread_cond_init(&shared->work_or_end, NULL);
    uint32_t made = shared->worker_count;
    shared->undecided = properties;
    shared->decided = calloc(properties + 1, sizeof *shared->decided);
    result->answers = calloc(properties + 1, sizeof *result->answers);
    result->answer_count = properties;
    enum portolan_status status = shared->decided && result->answers && mark_visible(shared)
                                      ? make_workers(shared, method, machine, error)
                                      : fail_memory(error);
    if (status == PORTOLAN_OK) {
        run_workers(shared);
        observe_end(shared);
        status = failure_of(shared, error);
    }
    if (status == PORTOLAN_OK)
        status = conclude(shared, error);
    for (uint32_t i = 0; i < made && shared->workers; i++)
        worker_clear(&shared->workers[i]);
    free(shared->workers);
    free(shared->decided);
    free(shared->visible);
    pthread_cond_destroy(&shared->work_or_end);
    pthread_mutex_destroy(&shared->mutex);
    if (status != PORTOLAN_OK)
        result_clear(result);
    return status;
}

enum portolan_status search_stateless(struct portolan_system *system, const struct portolan_options *options,
                                      const struct method *method, struct portolan_result *result,
                                      struct portolan_error *error)
{
    memset(result, 0, sizeof *result);
    uint32_t threads = options->threads ? options->threads : 1;
    name_parts(method, result);
    if (threads > 1 && method->several_workers)
        method = method->several_workers;
    struct search_shared shared = {.system = system,
                                   .options = options,
                                   .result = result,
                                   .worker_count = threads < MOST_WORKERS ? threads : MOST_WORKERS};
    return search(&shared, method, NULL, error);
}

enum portolan_status search_machine(struct machine *machine, const struct portolan_options *options,
                                    struct split *split, struct portolan_result *result, struct portolan_error *error)
{
    const struct method *method;
    memset(result, 0, sizeof *result);
    struct traits traits = traits_of_request(NULL, options);
    enum portolan_status status = method_choose(options, &method, &traits, error);
    struct part_names names = {.reduction = options->reduction};
    if (status == PORTOLAN_OK)
        status = check_soundness(&traits, &names, options, error);
    if (status != PORTOLAN_OK)
        return status;
    name_parts(method, result);
    struct search_shared shared = {.options = options, .result = result, .worker_count = 1, .split = split};
    return search(&shared, method, machine, error);
}
