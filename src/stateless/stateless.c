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

/* Is something asked for that only executions can tell? */
static bool asks_for_executions(const struct portolan_options *options)
{
    for (size_t i = 0; i < options->property_count; i++)
        if (options->properties[i]->kind == PORTOLAN_NO_RACE)
            return true;
    return options->bound || options->callbacks.execution;
}

bool is_stateless(const struct portolan_options *options)
{
    bool any_search = !options->search || strcmp(options->search, "auto") == 0;
    if (options->bounds_preemptions || options->random_runs)
        return true; /* whatever else is asked for goes with it or is refused */
    if (!any_search && strcmp(options->search, "stateless") == 0)
        return true;
    if (!options->reduction || strcmp(options->reduction, "auto") == 0)
        return any_search && asks_for_executions(options);
    return strcmp(options->reduction, "none") != 0 && method_find(options->reduction);
}

static enum portolan_status check_property(const struct portolan_property *property, bool random,
                                           struct portolan_error *error)
{
    if (random && (property->kind == PORTOLAN_INVARIANT || property->kind == PORTOLAN_REACH))
        return PORTOLAN_OK; /* what is found is real, and the rest stays open */
    if (!property_is_temporal(property) && !property_needs_every_state(property))
        return PORTOLAN_OK;
    fail(error, PORTOLAN_REFUSED, "a stateless search does not see every state, as '%s' asks", property->text);
    hint(error, "use --search dfs or bfs");
    return PORTOLAN_REFUSED;
}

static bool make_fired(const struct search_shared *shared)
{
    const struct portolan_system *system = shared->system;
    if (system && has_fixed_actions(system))
        shared->result->fired = calloc((size_t)system->actions + 1, sizeof *shared->result->fired);
    return !system || !has_fixed_actions(system) || shared->result->fired;
}

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

static const char *method_name(const struct portolan_options *options)
{
    if (options->reduction && strcmp(options->reduction, "auto") != 0)
        return options->reduction;
    return options->bounds_preemptions ? method_bounded.name : "optimal";
}

/* Random runs and a bound on preemptions leave little choice. */
static enum portolan_status check_mode(const struct portolan_options *options, const struct method *method,
                                       struct portolan_error *error)
{
    bool named = options->reduction && strcmp(options->reduction, "auto") != 0;
    if (options->random_runs && options->bounds_preemptions)
        return fail(error, PORTOLAN_REFUSED, "random runs have no bound on preemptions");
    if (options->random_runs && named) {
        fail(error, PORTOLAN_REFUSED, "random runs have no use for reduction '%s'", options->reduction);
        hint(error, "leave --reduction out");
        return PORTOLAN_REFUSED;
    }
    if (options->bounds_preemptions && !method->counts_preemptions) {
        fail(error, PORTOLAN_REFUSED, "reduction '%s' is not sound with a bound on preemptions", method->name);
        hint(error, "use %s, which is the default then, or none", method_bounded.name);
        return PORTOLAN_REFUSED;
    }
    return PORTOLAN_OK;
}

static enum portolan_status choose_method(const struct portolan_options *options, const struct method **method,
                                          struct portolan_error *error)
{
    *method = method_find(method_name(options));
    if (*method && check_mode(options, *method, error) != PORTOLAN_OK)
        return PORTOLAN_REFUSED;
    if (*method && options->random_runs)
        *method = &method_random;
    if (*method)
        return PORTOLAN_OK;
    struct nearest nearest = nearest_to(method_name(options));
    for (size_t m = 0; methods[m]; m++)
        nearest_offer(&nearest, methods[m]->name);
    fail(error, PORTOLAN_REFUSED, "reduction '%s' does not go with a stateless search", method_name(options));
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "use optimal, lazy, source, dpor or none");
    return PORTOLAN_REFUSED;
}

static enum portolan_status check_options(const struct portolan_system *system, const struct portolan_options *options,
                                          const struct method **method, struct portolan_error *error)
{
    if (choose_method(options, method, error) != PORTOLAN_OK)
        return PORTOLAN_REFUSED;
    const char *name = (*method)->name;
    if (options->search && strcmp(options->search, "auto") != 0 && strcmp(options->search, "stateless") != 0) {
        fail(error, PORTOLAN_REFUSED, "reduction '%s' stores no states: it does not go with --search %s", name,
             options->search);
        hint(error, "leave --search out");
        return PORTOLAN_REFUSED;
    }
    if (options->proviso && strcmp(options->proviso, "auto") != 0 && strcmp(options->proviso, "none") != 0)
        return fail(error, PORTOLAN_REFUSED, "a stateless search has no use for a proviso");
    if (options->chains || options->check_relations)
        return fail(error, PORTOLAN_REFUSED, "--chains and --check-relations belong to searches that store states");
    if (options->callbacks.expanded || options->callbacks.edge) {
        fail(error, PORTOLAN_REFUSED, "reduction '%s' stores no states, so there is no graph to export", name);
        hint(error, "use --reduction stubborn, or none");
        return PORTOLAN_REFUSED;
    }
    if (!system->footprint)
        return fail(error, PORTOLAN_REFUSED, "reduction '%s' needs the footprint view, which this model lacks", name);
    if (options->threads > 1 && (*method)->run)
        return fail(error, PORTOLAN_REFUSED, "'%s' runs on one thread only", name);
    if (options->threads > 1 && system->widen)
        return fail(error, PORTOLAN_REFUSED, "a stateless search of such a model runs on one thread only");
    for (size_t i = 0; i < options->property_count; i++) {
        enum portolan_status status = check_property(options->properties[i], options->random_runs, error);
        if (status != PORTOLAN_OK)
            return status;
    }
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
    enum portolan_status status = shared->decided && result->answers && make_fired(shared) && mark_visible(shared)
                                      ? make_workers(shared, method, machine, error)
                                      : fail_memory(error);
    if (status == PORTOLAN_OK) {
        run_workers(shared);
        observe_end(shared);
        status = failure_of(shared, error);
    }
    if (status == PORTOLAN_OK)
        status = conclude(shared, error);
    result->fired_all = result->fired && result->stop == PORTOLAN_COMPLETE;
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
                                      struct portolan_result *result, struct portolan_error *error)
{
    const struct method *method;
    memset(result, 0, sizeof *result);
    enum portolan_status status = check_options(system, options, &method, error);
    if (status != PORTOLAN_OK)
        return status;
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
    enum portolan_status status = choose_method(options, &method, error);
    if (status != PORTOLAN_OK)
        return status;
    name_parts(method, result);
    struct search_shared shared = {.options = options, .result = result, .worker_count = 1, .split = split};
    return search(&shared, method, machine, error);
}
