/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/system/search.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "stateless/mailbox.h"
#include "stateless/saved.h"
#include "stateless/stateless.h"
#include "stateless/system/properties.h"
#include "stateless/system/shards.h"
#include "stateless/system/state_machine.h"
#include "system/fingerprint.h"
#include "system/result.h"

#include <stdlib.h>
#include <string.h>

/* A machine for each worker; how many there are. */
static uint32_t make_machines(const struct properties *p, struct machine **machines, uint32_t count)
{
    uint32_t made = 0;
    while (made < count && (machines[made] = state_machine_make(p->system, p->visible)))
        made++;
    return made;
}

static bool make_fired(const struct portolan_system *system, struct portolan_result *result)
{
    if (has_fixed_actions(system))
        result->fired = calloc((size_t)system->actions + 1, sizeof *result->fired);
    return !has_fixed_actions(system) || result->fired;
}

static enum portolan_status explore(struct properties *p, struct search_shared *shared, const struct method *method,
                                    struct portolan_error *error)
{
    struct machine *machines[MOST_WORKERS];
    uint32_t made = make_machines(p, machines, shared->worker_count);
    if (made == shared->worker_count)
        return search_machines(shared, method, machines, error);
    while (made-- > 0)
        machines[made]->class->free(machines[made]);
    return fail_memory(error);
}

/* Is it the question that the plan was made for? */
static enum portolan_status check_plan(struct shard_order *order, uint64_t mark, struct portolan_error *error)
{
    if (order->task == SHARDS_PLAN)
        order->mark = mark;
    if (order->mark != mark)
        return fail(error, PORTOLAN_REFUSED,
                    "'%s' belongs to another model or an earlier version of it, or was written with other options",
                    order->directory);
    return PORTOLAN_OK;
}

static enum portolan_status explore_shard(struct properties *p, struct search_shared *shared,
                                          const struct method *method, struct portolan_error *error)
{
    shared->saved->mark = shard_mark(p->options->shard, shared->saved->mark);
    shared->saved->stays = true; /* until there is an answer */
    enum portolan_status status = explore(p, shared, method, error);
    return status == PORTOLAN_OK ? shard_end(p, shared->split, error) : status;
}

static enum portolan_status explore_leaves(struct properties *p, struct search_shared *shared,
                                           const struct method *method, struct portolan_error *error)
{
    struct mailbox_source source;
    if (!mailbox_open(&source, p->options->shard->mailbox, p->options->interrupt))
        return fail(error, PORTOLAN_IO, "cannot open '%s'", p->options->shard->mailbox);
    shared->leaves = &source.source; // cppcheck-suppress autoVariables
    enum portolan_status status = explore(p, shared, method, error);
    shared->leaves = NULL;
    mailbox_close(&source, status == PORTOLAN_OK ? p->result->stop : PORTOLAN_COMPLETE);
    return status == PORTOLAN_OK ? shard_end(p, NULL, error) : status;
}

static enum portolan_status search(struct properties *p, struct search_shared *shared, struct saved *saved,
                                   const struct method *method, struct portolan_error *error)
{
    const struct portolan_options *options = shared->options;
    if (shared->saved || options->shard)
        saved->mark = fingerprint(p->system, options, shared->result);
    shared->fired_count = fixed_actions(p->system);
    enum portolan_status status = options->shard ? check_plan(options->shard, saved->mark, error) : PORTOLAN_OK;
    if (status != PORTOLAN_OK)
        return status;
    if (options->shard && options->shard->task == SHARDS_PLAN)
        return shards_plan(p, method, explore, error);
    status = !options->shard                        ? explore(p, shared, method, error)
             : options->shard->task == SHARDS_MERGE ? shards_merge(p, error)
             : options->shard->mailbox              ? explore_leaves(p, shared, method, error)
                                                    : explore_shard(p, shared, method, error);
    return status == PORTOLAN_OK ? properties_conclude(p, error) : status;
}

enum portolan_status search_stateless(struct portolan_system *system, const struct portolan_options *options,
                                      const struct method *method, struct portolan_result *result,
                                      struct portolan_error *error)
{
    struct properties properties;
    uint32_t threads = options->threads ? options->threads : 1;
    memset(result, 0, sizeof *result);
    name_stateless_parts(method, result);
    if ((options->checkpoint || options->resume) &&
        (threads > 1 || method->run || options->callbacks.execution || !has_fixed_actions(system)))
        return fail(error, PORTOLAN_REFUSED, "no checkpoint %s",
                    threads > 1                  ? "of several threads: a checkpoint holds the work of one"
                    : !has_fixed_actions(system) ? "of this model: its actions are numbered as they are met"
                    : options->callbacks.execution
                        ? "of a search that lists its executions"
                        : "of a method that explores in its own way: lazy:printed and random runs");
    if (options->shard && shards_check(system, options, method, error) != PORTOLAN_OK)
        return PORTOLAN_REFUSED;
    struct search_shared shared = {.options = options,
                                   .result = result,
                                   .observer = &properties.observer,
                                   .worker_count = threads < MOST_WORKERS ? threads : MOST_WORKERS};
    struct saved saved;
    if (saved_make(&saved, options, ARCHIVE_EXECUTIONS, 0))
        shared.saved = &saved;
    struct split split;
    if (options->shard && options->shard->task == SHARD_EXPLORE && !options->shard->mailbox) {
        split = shard_split(options->shard);
        shared.split = &split;
    }
    enum portolan_status status = properties_make(&properties, system, options, result) && make_fired(system, result)
                                      ? search(&properties, &shared, &saved, method, error)
                                      : fail_memory(error);
    properties_clear(&properties);
    result->fired_all = result->fired && result->stop == PORTOLAN_COMPLETE;
    if (status != PORTOLAN_OK)
        result_clear(result);
    return status;
}
