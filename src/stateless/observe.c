/* SPDX-License-Identifier: Apache-2.0 */
/* What happens beside the exploration: executions are counted and shown to the observer; limits and progress. */
#include "base/clock.h"
#include "stateless/common_tree.h"
#include "stateless/shared.h"

static const double PROGRESS_SECONDS = 0.25;

static void stop_all(struct search_shared *shared, enum portolan_stop stop)
{
    if (!atomic_exchange(&shared->over, true))
        shared->stop = stop;
}

void observe_execution(struct worker *w, enum machine_end end, bool cut)
{
    struct observer *observer = w->shared->observer;
    w->deadlocks += end == MACHINE_DEADLOCKED;
    if (observer)
        observer->ended(observer, w, end, cut);
}

void observe_point(struct worker *w)
{
    struct observer *observer = w->shared->observer;
    if (observer)
        observer->at_point(observer, w);
}

/* --- limits and progress */

/* How much of the tree lies behind a worker, if the backtrack sets never grew again. */
static double part_done(const struct worker *w)
{
    double part = 0, share = 1;
    for (size_t i = 0; i + 1 < w->stack.count; i++) {
        uint32_t waiting = 0;
        struct node *node = w->stack.item[i];
        node_lock(node);
        for (const struct wakeup_node *branch = node->backtrack.first; branch; branch = branch->next)
            waiting++;
        double ways = node->explored + waiting;
        part += share * (node->explored - 1) / ways;
        node_unlock(node);
        share /= ways;
    }
    return part + share;
}

/* Workers tell their counts now and then, so that nobody reads what another is writing. */
static void publish(struct worker *w)
{
    w->told =
        (struct portolan_statistics){.executions = w->executions,
                                     .blocked = w->blocked,
                                     .cut = w->cut,
                                     .left_out = w->left_out,
                                     .guarantee = w->guarantee,
                                     .agents = w->agents_seen,
                                     .transitions = w->steps,
                                     .deadlocks = w->deadlocks,
                                     .depth = w->deepest,
                                     .bytes = w->machine->class->bytes(w->machine) + execution_bytes(&w->execution) +
                                              node_pool_bytes(&w->pool) + w->more_bytes};
}

static void add_up(struct search_shared *shared)
{
    struct portolan_statistics *statistics = &shared->result->statistics;
    struct portolan_statistics sum = {.seconds = seconds_since(&shared->start)};
    for (uint32_t i = 0; i < shared->worker_count; i++) {
        const struct portolan_statistics *told = &shared->workers[i].told;
        sum.executions += told->executions;
        sum.blocked += told->blocked;
        sum.cut += told->cut;
        sum.left_out += told->left_out;
        sum.guarantee = told->guarantee;
        sum.agents = told->agents;
        sum.transitions += told->transitions;
        sum.deadlocks += told->deadlocks;
        sum.depth = told->depth > sum.depth ? told->depth : sum.depth;
        sum.bytes += told->bytes;
    }
    if (shared->tree && !shared->split) /* of one that processes explore together they count it once */
        sum.bytes += common_tree_bytes(shared->tree);
    if (statistics->bytes > sum.bytes)
        sum.bytes = statistics->bytes;
    *statistics = sum;
}

void observe_progress(struct worker *w)
{
    struct search_shared *shared = w->shared;
    const struct portolan_options *options = shared->options;
    pthread_mutex_lock(&shared->mutex);
    publish(w);
    add_up(shared);
    struct portolan_statistics *statistics = &shared->result->statistics;
    if (options->interrupt && *options->interrupt)
        stop_all(shared, PORTOLAN_INTERRUPTED);
    else if (options->time_limit > 0 && statistics->seconds >= options->time_limit)
        stop_all(shared, PORTOLAN_TIME_LIMIT);
    else if (options->memory_limit && statistics->bytes >= options->memory_limit)
        stop_all(shared, PORTOLAN_MEMORY_LIMIT);
    if (options->callbacks.progress && statistics->seconds >= shared->next_progress) {
        double part = w->method->run ? 0 : part_done(w);
        statistics->expected = part > 0 ? (double)statistics->executions / part : 0;
        options->callbacks.progress(options->callbacks.user, statistics);
        shared->next_progress = statistics->seconds + PROGRESS_SECONDS;
    }
    pthread_mutex_unlock(&shared->mutex);
}

void observe_stop(struct worker *w, enum portolan_stop stop)
{
    stop_all(w->shared, stop);
}

bool observe_count(struct worker *w)
{
    /* a file is written behind an execution */
    uint64_t limit = w->shared->saved || w->leaves ? 0 : w->shared->options->state_limit;
    if (!limit || atomic_fetch_add(w->tree ? &w->tree->counted : &w->shared->counted, 1) < limit)
        return true;
    stop_all(w->shared, PORTOLAN_STATE_LIMIT);
    return false;
}

void observe_too_long(struct worker *w)
{
    stop_all(w->shared, PORTOLAN_DEPTH_LIMIT);
}

void observe_divergence(struct worker *w)
{
    stop_all(w->shared, PORTOLAN_DIVERGES);
}

void observe_failure(struct worker *w)
{
    stop_all(w->shared, PORTOLAN_DECIDED);
}

void observe_end(struct search_shared *shared)
{
    for (uint32_t i = 0; i < shared->worker_count; i++)
        publish(&shared->workers[i]);
    add_up(shared);
}
