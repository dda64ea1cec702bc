/* SPDX-License-Identifier: Apache-2.0 */
/* What happens at the end of an execution: properties, callbacks; and now and then: limits, progress. */
#include "base/diagnostic.h"
#include "property/property.h"
#include "search/search.h"
#include "stateless/schedule.h"
#include "stateless/shared.h"

#include <stdlib.h>
#include <string.h>

static const double PROGRESS_SECONDS = 0.25;

static void stop_all(struct search_shared *shared, enum portolan_stop stop)
{
    if (!atomic_exchange(&shared->over, true))
        shared->stop = stop;
}

/* --- counterexamples */

/* Writes the events as the answer's trace. */
static bool keep_trace(const struct worker *w, struct portolan_answer *answer, const struct event_list *order)
{
    answer->trace = malloc((order->count + 1) * sizeof *answer->trace);
    if (!answer->trace)
        return false;
    for (size_t i = 0; i < order->count; i++)
        answer->trace[i] = w->execution.events.item[order->item[i]].action;
    answer->trace_length = order->count;
    answer->has_trace = true;
    return true;
}

/* Widens a cut so that it holds all that happens before an event, but not the event. */
static void cut_before(const struct execution *x, uint32_t event, uint32_t *cut)
{
    const struct event *e = &x->events.item[event];
    for (uint32_t a = 0; a < x->agents; a++) {
        uint32_t needed = clock_of(x, event)[a] - (a == e->agent);
        if (needed > cut[a])
            cut[a] = needed;
    }
}

/* Shows what is needed for up to two last events, and these; and all events before a depth. */
static void explain(struct worker *w, size_t property, const uint32_t *last, size_t count, size_t depth)
{
    struct portolan_answer *answer = &w->shared->result->answers[property];
    const struct execution *x = &w->execution;
    struct event_list order = {0};
    uint32_t *cut = calloc((size_t)x->agents + 1, sizeof *cut);
    bool fine = cut;
    for (size_t i = 0; i < count && fine; i++)
        cut_before(x, last[i], cut);
    for (size_t i = 0; i < count && fine; i++) { /* of two that race, the first is not part of what comes before */
        const struct event *e = &x->events.item[last[i]];
        if (cut[e->agent] >= e->order)
            cut[e->agent] = e->order - 1;
    }
    for (size_t i = 0; i < depth && fine; i++)
        cut[x->events.item[i].agent] = x->events.item[i].order;
    fine = fine && fewest_switches(x, cut, &order);
    for (size_t i = 0; i < count && fine; i++)
        fine = vector_push(&order, last[i]);
    if (fine && !answer->has_trace)
        keep_trace(w, answer, &order);
    free(order.item);
    free(cut);
}

static void decide(struct worker *w, size_t property, const uint32_t *last, size_t count, size_t depth)
{
    struct search_shared *shared = w->shared;
    struct portolan_answer *answer = &shared->result->answers[property];
    if (shared->decided[property])
        return;
    shared->decided[property] = true;
    if (answer->has_no_value) {
        free(answer->trace);
        *answer = (struct portolan_answer){0};
    }
    explain(w, property, last, count, depth);
    if (--shared->undecided == 0 && !shared->options->all)
        stop_all(shared, PORTOLAN_DECIDED);
}

/* --- data races */

static bool is_data_race(const struct execution *x, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < x->events.item[a].access_count; i++)
        for (uint32_t j = 0; j < x->events.item[b].access_count; j++) {
            const struct portolan_access *p = &accesses_of(x, a)[i], *q = &accesses_of(x, b)[j];
            if (p->object == q->object && (p->writes || q->writes) && !p->synchronises && !q->synchronises)
                return true;
        }
    return false;
}

/* Two accesses in conflict with nothing between them could have been made at the same time. */
static void look_for_races(struct worker *w, size_t property)
{
    struct execution *x = &w->execution;
    for (uint32_t event = 0; event < x->events.count; event++) {
        const uint32_t *firsts;
        size_t count = execution_races(x, event, &firsts);
        for (size_t i = 0; count != SIZE_MAX && i < count; i++)
            if (is_data_race(x, firsts[i], event)) {
                decide(w, property, (uint32_t[]){firsts[i], event}, 2, 0);
                return;
            }
    }
}

/* --- the other properties */

/* Does the state at a depth decide the property? */
static bool is_decided_at(const struct worker *w, const struct portolan_property *property, size_t depth)
{
    return property_is_decided_by(property, w->shared->system, state_machine_state(w->machine, depth), false);
}

/* The first depth at which a lasting property is broken, by bisection: it stays so. */
static size_t breaking_depth(const struct worker *w, const struct portolan_property *property)
{
    size_t low = 0, high = w->execution.events.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (is_decided_at(w, property, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* Mostly it is enough to show what happens before the last event: for a visible one, all visible ones do.  What lasts
 * may have come about by steps that do not depend on each other. */
static void decide_at(struct worker *w, size_t i, size_t depth)
{
    const struct portolan_property *property = w->shared->options->properties[i];
    struct portolan_answer *answer = &w->shared->result->answers[i];
    decide(w, i, &(uint32_t){(uint32_t)depth - 1}, depth > 0, 0);
    if (property->lasting && answer->has_trace &&
        portolan_replay(w->shared->system, answer->trace, answer->trace_length, property, NULL) != PORTOLAN_OK) {
        free(answer->trace);
        answer->has_trace = false;
        explain(w, i, NULL, 0, depth);
    }
}

/* A reach property that has no value at a depth can still be reached elsewhere; if it is not, this is what is shown. */
static void keep_error(struct worker *w, size_t i, size_t depth)
{
    struct portolan_answer *answer = &w->shared->result->answers[i];
    char why[120];
    if (answer->has_no_value || w->shared->options->properties[i]->kind != PORTOLAN_REACH ||
        !property_has_no_value(w->shared->options->properties[i], w->shared->system,
                               state_machine_state(w->machine, depth), false, why, sizeof why))
        return;
    answer->has_no_value = true;
    explain(w, i, NULL, 0, depth);
}

static void look_between(struct worker *w, size_t i)
{
    const struct portolan_property *property = w->shared->options->properties[i];
    for (size_t depth = 0; depth <= w->execution.events.count; depth++) {
        if (depth && !w->shared->visible[w->execution.events.item[depth - 1].action])
            continue;
        if (is_decided_at(w, property, depth)) {
            decide_at(w, i, depth);
            return;
        }
        keep_error(w, i, depth);
    }
}

static void look_at_property(struct worker *w, size_t i, enum machine_end end)
{
    const struct portolan_property *property = w->shared->options->properties[i];
    if (property->kind == PORTOLAN_NO_RACE) {
        look_for_races(w, i);
        return;
    }
    if (property_is_seen_between(property)) {
        look_between(w, i);
        return;
    }
    const void *last_state = state_machine_state(w->machine, w->execution.events.count);
    if (!property_is_decided_by(property, w->shared->system, last_state, end == MACHINE_DEADLOCKED))
        return;
    if (property->lasting)
        decide_at(w, i, breaking_depth(w, property));
    else
        decide(w, i, NULL, 0, w->execution.events.count);
}

static void tell_execution(struct worker *w, enum machine_end end, bool cut)
{
    const struct portolan_callbacks *callbacks = &w->shared->options->callbacks;
    const struct execution *x = &w->execution;
    struct event_list order = {0};
    uint32_t *agents = malloc((x->events.count + 1) * sizeof *agents);
    if (agents && canonical_order(x, &order)) {
        for (size_t i = 0; i < order.count; i++)
            agents[i] = x->events.item[order.item[i]].agent;
        struct portolan_execution execution = {.agents = agents,
                                               .length = order.count,
                                               .last_state = state_machine_state(w->machine, order.count),
                                               .deadlock = end == MACHINE_DEADLOCKED,
                                               .cut = cut};
        callbacks->execution(callbacks->user, &execution);
    } else {
        w->status = fail_memory(&w->error);
        atomic_store(&w->shared->over, true);
    }
    free(agents);
    free(order.item);
}

void observe_execution(struct worker *w, enum machine_end end, bool cut)
{
    struct search_shared *shared = w->shared;
    w->deadlocks += end == MACHINE_DEADLOCKED;
    if (!shared->undecided && !shared->options->callbacks.execution)
        return;
    if (shared->worker_count > 1)
        pthread_mutex_lock(&shared->mutex);
    for (size_t i = 0; i < shared->options->property_count && !atomic_load(&shared->over); i++)
        if (!shared->decided[i])
            look_at_property(w, i, end);
    if (shared->options->callbacks.execution)
        tell_execution(w, end, cut);
    if (shared->worker_count > 1)
        pthread_mutex_unlock(&shared->mutex);
}

void observe_point(struct worker *w)
{
    struct search_shared *shared = w->shared;
    for (size_t i = 0; i < shared->options->property_count; i++) {
        const struct portolan_property *property = shared->options->properties[i];
        bool of_states = property->kind == PORTOLAN_INVARIANT || property->kind == PORTOLAN_REACH;
        const void *state = state_machine_state(w->machine, w->execution.events.count);
        if (of_states && !property->lasting && !shared->decided[i] &&
            property_is_decided_by(property, shared->system, state, false))
            decide(w, i, NULL, 0, w->execution.events.count);
    }
}

/* --- limits and progress */

/* How much of the tree lies behind a worker, if what is wanted now were all that ever will be. */
static double part_done(const struct worker *w)
{
    double part = 0, share = 1;
    for (size_t i = 0; i + 1 < w->stack.count; i++) {
        uint32_t waiting = 0;
        struct node *node = w->stack.item[i];
        node_lock(node);
        for (const struct plan *plan = node->wanted.first; plan; plan = plan->next)
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
    uint64_t limit = w->shared->options->state_limit;
    if (!limit || atomic_fetch_add(&w->shared->counted, 1) < limit)
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
