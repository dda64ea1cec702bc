/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/system/properties.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "property/property.h"
#include "property/verdict.h"
#include "stateless/schedule.h"
#include "stateless/system/state_machine.h"
#include "system/replay.h"
#include "system/saved_answers.h"

#include <stdlib.h>

/* Is the property about states on the way, so that the end of an execution does not tell? */
static bool is_seen_between(const struct portolan_property *property)
{
    return !property->lasting && !property_needs_only_deadlocks(property);
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
static void explain(struct properties *p, struct worker *w, size_t property, const uint32_t *last, size_t count,
                    size_t depth)
{
    struct portolan_answer *answer = &p->result->answers[property];
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

static void decide(struct properties *p, struct worker *w, size_t property, const uint32_t *last, size_t count,
                   size_t depth)
{
    struct portolan_answer *answer = &p->result->answers[property];
    if (p->decided[property])
        return;
    p->decided[property] = true;
    if (answer->has_no_value) {
        free(answer->trace);
        *answer = (struct portolan_answer){0};
    }
    explain(p, w, property, last, count, depth);
    if (--p->undecided == 0 && !p->options->all)
        observe_stop(w, PORTOLAN_DECIDED);
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
static void look_for_races(struct properties *p, struct worker *w, size_t property)
{
    const struct execution *x = &w->execution;
    for (uint32_t event = 0; event < x->events.count; event++) {
        const struct race *races = races_of(x, event);
        for (uint32_t i = 0; i < x->events.item[event].race_count; i++)
            if (is_data_race(x, races[i].first, event)) {
                decide(p, w, property, (uint32_t[]){races[i].first, event}, 2, 0);
                return;
            }
    }
}

/* --- the other properties */

/* Does the state at a depth decide the property? */
static bool is_decided_at(const struct properties *p, const struct worker *w, const struct portolan_property *property,
                          size_t depth)
{
    return property_is_decided_by(property, p->system, state_machine_state(w->machine, depth), false);
}

/* The first depth at which a lasting property is broken, by bisection: it stays so. */
static size_t breaking_depth(const struct properties *p, const struct worker *w,
                             const struct portolan_property *property)
{
    size_t low = 0, high = w->execution.events.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (is_decided_at(p, w, property, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* Mostly it is enough to show what happens before the last event: for a visible one, all visible ones do.  What lasts
 * may have come about by steps that do not depend on each other. */
static void decide_at(struct properties *p, struct worker *w, size_t i, size_t depth)
{
    const struct portolan_property *property = p->options->properties[i];
    struct portolan_answer *answer = &p->result->answers[i];
    decide(p, w, i, &(uint32_t){(uint32_t)depth - 1}, depth > 0, 0);
    if (property->lasting && answer->has_trace &&
        portolan_replay(p->system, answer->trace, answer->trace_length, property, NULL) != PORTOLAN_OK) {
        free(answer->trace);
        answer->has_trace = false;
        explain(p, w, i, NULL, 0, depth);
    }
}

/* A reach property that has no value at a depth can still be reached elsewhere; if it is not, this is what is shown. */
static void keep_error(struct properties *p, struct worker *w, size_t i, size_t depth)
{
    struct portolan_answer *answer = &p->result->answers[i];
    char why[120];
    if (answer->has_no_value || p->options->properties[i]->kind != PORTOLAN_REACH ||
        !property_has_no_value(p->options->properties[i], p->system, state_machine_state(w->machine, depth), false, why,
                               sizeof why))
        return;
    answer->has_no_value = true;
    explain(p, w, i, NULL, 0, depth);
}

static void look_between(struct properties *p, struct worker *w, size_t i)
{
    const struct portolan_property *property = p->options->properties[i];
    for (size_t depth = 0; depth <= w->execution.events.count; depth++) {
        if (depth && !is_visible(p->system, p->visible, w->execution.events.item[depth - 1].action))
            continue;
        if (is_decided_at(p, w, property, depth)) {
            decide_at(p, w, i, depth);
            return;
        }
        keep_error(p, w, i, depth);
    }
}

static void look_at_property(struct properties *p, struct worker *w, size_t i, enum machine_end end)
{
    const struct portolan_property *property = p->options->properties[i];
    if (property->kind == PORTOLAN_NO_RACE) {
        look_for_races(p, w, i);
        return;
    }
    if (is_seen_between(property)) {
        look_between(p, w, i);
        return;
    }
    const void *last_state = state_machine_state(w->machine, w->execution.events.count);
    if (!property_is_decided_by(property, p->system, last_state, end == MACHINE_DEADLOCKED))
        return;
    if (property->lasting)
        decide_at(p, w, i, breaking_depth(p, w, property));
    else
        decide(p, w, i, NULL, 0, w->execution.events.count);
}

static void tell_execution(const struct properties *p, struct worker *w, enum machine_end end, bool cut)
{
    const struct portolan_callbacks *callbacks = &p->options->callbacks;
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
        worker_give_up(w, fail_memory(&w->error));
    }
    free(agents);
    free(order.item);
}

static void ended(struct observer *observer, struct worker *w, enum machine_end end, bool cut)
{
    struct properties *p = (struct properties *)observer;
    struct search_shared *shared = w->shared;
    if (!p->undecided && !p->options->callbacks.execution)
        return;
    if (shared->worker_count > 1)
        pthread_mutex_lock(&shared->mutex);
    for (size_t i = 0; i < p->options->property_count && !atomic_load(&shared->over); i++)
        if (!p->decided[i])
            look_at_property(p, w, i, end);
    if (p->options->callbacks.execution)
        tell_execution(p, w, end, cut);
    if (shared->worker_count > 1)
        pthread_mutex_unlock(&shared->mutex);
}

static void at_point(struct observer *observer, struct worker *w)
{
    struct properties *p = (struct properties *)observer;
    for (size_t i = 0; i < p->options->property_count; i++) {
        const struct portolan_property *property = p->options->properties[i];
        bool of_states = property->kind == PORTOLAN_INVARIANT || property->kind == PORTOLAN_REACH;
        const void *state = state_machine_state(w->machine, w->execution.events.count);
        if (of_states && !property->lasting && !p->decided[i] &&
            property_is_decided_by(property, p->system, state, false))
            decide(p, w, i, NULL, 0, w->execution.events.count);
    }
}

/* --- beginning and end */

/*
 * Executions that differ in the order of independent steps only are explored once, so of the states between the steps
 * many are not seen.  When the steps that may change a property are taken to depend on each other, all executions that
 * are left out show the property's values in the same order as one that is explored.
 */
static bool mark_visible(struct properties *p)
{
    for (size_t i = 0; i < p->options->property_count; i++) {
        const struct portolan_property *property = p->options->properties[i];
        if (!is_seen_between(property))
            continue;
        if (!p->visible)
            p->visible = calloc((size_t)fixed_actions(p->system) + 1, sizeof *p->visible);
        if (!p->visible)
            return false;
        property_mark_visible(property, p->system, p->visible);
    }
    return true;
}

static void keep(struct observer *observer, struct archive *archive)
{
    struct properties *p = (struct properties *)observer;
    keep_answers(archive, p->result->answers, p->decided, p->options->property_count, &p->undecided);
}

bool properties_make(struct properties *p, struct portolan_system *system, const struct portolan_options *options,
                     struct portolan_result *result)
{
    *p = (struct properties){.observer = {.ended = ended, .at_point = at_point, .keep = keep},
                             .system = system,
                             .options = options,
                             .result = result,
                             .undecided = options->property_count};
    p->decided = calloc(options->property_count + 1, sizeof *p->decided);
    result->answers = calloc(options->property_count + 1, sizeof *result->answers);
    result->answer_count = options->property_count;
    return p->decided && result->answers && mark_visible(p);
}

void properties_clear(struct properties *p)
{
    free(p->decided);
    free(p->visible);
}

enum portolan_status properties_conclude(struct properties *p, struct portolan_error *error)
{
    struct portolan_result *result = p->result;
    for (size_t i = 0; i < result->answer_count; i++) {
        const struct portolan_property *property = p->options->properties[i];
        struct portolan_answer *answer = &result->answers[i];
        answer->verdict = verdict_of(property->kind, p->decided[i], result->stop);
        if (!p->decided[i] && !answer->has_trace)
            continue;
        if (!answer->has_trace)
            return fail(error, PORTOLAN_NO_MEMORY, "out of memory");
        struct portolan_error wrong;
        struct portolan_limits finishing;
        limits_begin_finishing(&finishing, FOR_REPLAYING);
        enum portolan_status status = replay_answer(p->system, property, answer, &wrong);
        if (status == PORTOLAN_STOPPED)
            answer_withdraw(answer, &result->stop);
        limits_end(&finishing);
        if (status != PORTOLAN_OK && status != PORTOLAN_STOPPED)
            return fail(error, status, "internal error: the trace of '%s' does not replay: %s", property->text,
                        wrong.message);
    }
    return PORTOLAN_OK;
}
