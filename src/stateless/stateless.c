/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/stateless.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "stateless/common_tree.h"
#include "stateless/saved.h"
#include "stateless/shared.h"
#include "stateless/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status unknown_method(const struct method *const *table, const char *name,
                                           struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (; *table; table++)
        nearest_offer(&nearest, (*table)->name);
    fail(error, PORTOLAN_REFUSED, "reduction '%s' cannot be combined with a stateless search", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    else
        hint(error, "use optimal, lazy, source, dpor or none");
    return PORTOLAN_REFUSED;
}

enum portolan_status method_choose(const struct method *const *table, const struct portolan_options *options,
                                   const struct method **method, struct traits *traits, struct portolan_error *error)
{
    bool named = options->reduction && strcmp(options->reduction, "auto") != 0;
    *method = named                         ? method_find(table, options->reduction)
              : options->bounds_preemptions ? &method_bounded
                                            : &method_optimal;
    if (!*method)
        return unknown_method(table, options->reduction, error);
    traits->search |= STATELESS | (options->random_runs ? RANDOM_RUNS : EVERY_EXECUTION);
    traits->reduction |=
        (named ? REDUCTION_BY_NAME : 0) | ((*method)->preserves_bounded_traces ? 0 : IGNORES_PREEMPTIONS);
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
    if (started < shared->worker_count) { /* those that are not there count as idle forever */
        pthread_mutex_lock(&shared->mutex);
        shared->worker_count = started;
        pthread_mutex_unlock(&shared->mutex);
    }
    worker_explore(&shared->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* Frees the machines for which there is no worker when memory is short. */
static bool give_machines(struct search_shared *shared, const struct method *method, struct machine *const *machines)
{
    bool fine = shared->workers;
    for (uint32_t i = 0; i < shared->worker_count; i++) {
        if (!shared->workers) {
            machines[i]->class->free(machines[i]);
            continue;
        }
        fine &= worker_make(&shared->workers[i], shared, method, machines[i]);
        shared->workers[i].bound = shared->options->bound;
        shared->workers[i].tree = shared->tree;
        shared->workers[i].leaves = shared->leaves;
    }
    return fine;
}

bool wants_common_tree(const struct portolan_options *options)
{
    const struct method *method;
    struct traits traits = {0};
    return method_choose(machine_methods, options, &method, &traits, NULL) == PORTOLAN_OK &&
           method->sequences == WAKE_UP;
}

/* Several workers that build wake-up trees build one together. */
static bool lacks_tree(const struct search_shared *shared, const struct method *method)
{
    return !shared->tree && shared->worker_count > 1 && method->sequences == WAKE_UP;
}

static enum portolan_status make_workers(struct search_shared *shared, const struct method *method,
                                         struct machine *const *machines, struct portolan_error *error)
{
    shared->workers = calloc(shared->worker_count, sizeof *shared->workers);
    if (!give_machines(shared, method, machines) || lacks_tree(shared, method))
        return fail_memory(error);
    struct worker *first = &shared->workers[0];
    first->split = shared->split;
    first->execution.met = shared->split && !shared->split->everybody ? shared->split->met : NULL;
    if (shared->saved && shared->saved->from)
        return saved_read(first, error);
    if (shared->tree || shared->leaves)
        return PORTOLAN_OK;
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
    return shared->workers[0].method->preserves_traces ? PORTOLAN_COMPLETE : PORTOLAN_PARTIAL;
}

void name_stateless_parts(const struct method *method, struct portolan_result *result)
{
    snprintf(result->reduction, sizeof result->reduction, "%s", method->name);
    snprintf(result->proviso, sizeof result->proviso, "none");
    snprintf(result->search, sizeof result->search, "stateless");
}

enum portolan_status search_machines(struct search_shared *shared, const struct method *method,
                                     struct machine *const *machines, struct portolan_error *error)
{
    clock_gettime(CLOCK_MONOTONIC, &shared->start);
    shared->limits = limits_present;
    pthread_mutex_init(&shared->mutex, NULL);
    pthread_cond_init(&shared->work_or_end, NULL);
    uint32_t made = shared->worker_count;
    struct common_tree *tree = lacks_tree(shared, method) ? common_tree_make() : NULL;
    if (tree)
        shared->tree = tree;
    enum portolan_status status = make_workers(shared, method, machines, error);
    if (status == PORTOLAN_OK) {
        run_workers(shared);
        observe_end(shared);
        status = failure_of(shared, error);
        shared->result->stop = why_ended(shared);
        if (shared->saved)
            saved_end(shared->saved, shared->result);
    }
    for (uint32_t i = 0; i < made && shared->workers; i++)
        worker_drop_stack(&shared->workers[i]);
    for (uint32_t i = 0; i < made && shared->workers; i++)
        worker_clear(&shared->workers[i]);
    common_tree_free(tree);
    free(shared->workers);
    pthread_cond_destroy(&shared->work_or_end);
    pthread_mutex_destroy(&shared->mutex);
    return status;
}

enum portolan_status search_machine(struct machine *machine, const struct portolan_options *options,
                                    struct split *split, struct leaf_source *leaves, struct portolan_result *result,
                                    struct portolan_error *error)
{
    const struct method *method;
    memset(result, 0, sizeof *result);
    struct traits traits = {.option = traits_of_options(options)};
    enum portolan_status status = method_choose(machine_methods, options, &method, &traits, error);
    const struct rule *broken = status == PORTOLAN_OK ? broken_rule(&traits) : NULL;
    if (broken)
        status = refuse_by_rule(broken, &(struct part_names){.reduction = options->reduction}, error);
    if (status != PORTOLAN_OK) {
        machine->class->free(machine);
        return status;
    }
    name_stateless_parts(method, result);
    struct search_shared shared = {
        .options = options, .result = result, .worker_count = 1, .split = split, .leaves = leaves};
    if (split)
        shared.tree = split->tree;
    return search_machines(&shared, method, &machine, error);
}
