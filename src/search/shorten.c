/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaving out steps is delta debugging (Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, 2002)
 * with a lenient replay: steps that are no longer enabled once others are left out are left out with them.
 */
#include "search/shorten.h"

#include "base/limits.h"
#include "base/vector.h"
#include "property/property.h"
#include "search/search_system.h"
#include "stateless/system/reschedule.h"
#include "system/deadlock.h"
#include "system/stepper.h"

#include <stdlib.h>
#include <string.h>

/* The effort is counted in states and steps, not in seconds, so that the same trace comes out every time. */
enum { LEAST_EFFORT = 10000, MOST_EFFORT = 200000 };

struct trace {
    VECTOR(uint32_t) steps;
};

struct shortening {
    struct portolan_system *system;
    const struct portolan_property *property;
    trace_measure *measure;
    struct portolan_answer *answer;
    uint64_t steps_left; /* that may still be fired */
};

static uint64_t effort_of(uint64_t count)
{
    return count < LEAST_EFFORT ? LEAST_EFFORT : count > MOST_EFFORT ? MOST_EFFORT : count;
}

/* In the same way as the trace that there is. */
static bool is_decided(const struct shortening *s, const struct stepper *at)
{
    bool deadlock = is_deadlock(s->system, at->state, at->enabled_count);
    char why[120];
    bool has_no_value = property_has_no_value(s->property, s->system, at->state, deadlock, why, sizeof why);
    if (s->answer->has_no_value || has_no_value)
        return s->answer->has_no_value && has_no_value;
    return property_is_decided_by(s->property, s->system, at->state, deadlock);
}

static bool is_enabled(const struct stepper *at, uint32_t action)
{
    for (uint32_t i = 0; i < at->enabled_count; i++)
        if (at->enabled[i] == action)
            return true;
    return false;
}

/* Fires what can be fired of the answer's trace without the steps from `from` up to `to`, until the property is
 * decided.  False when that does not happen. */
static bool follow_without(struct shortening *s, size_t from, size_t to, struct trace *found)
{
    struct stepper at;
    struct portolan_error ignored;
    if (!stepper_make(&at, s->system))
        return false;
    found->steps.count = 0;
    bool decided = is_decided(s, &at), fine = true;
    for (size_t i = 0; fine && !decided && i < s->answer->trace_length; i++) {
        uint32_t action = s->answer->trace[i];
        if ((i >= from && i < to) || !is_enabled(&at, action))
            continue;
        fine =
            s->steps_left && vector_push(&found->steps, action) && stepper_fire(&at, action, &ignored) == PORTOLAN_OK;
        s->steps_left -= fine;
        decided = fine && is_decided(s, &at);
    }
    stepper_clear(&at);
    return decided;
}

/* Takes a trace over when it is better and replays. */
static bool replace_by(struct shortening *s, struct trace *found, bool is_shortest)
{
    struct portolan_answer *answer = s->answer;
    struct portolan_error ignored;
    uint32_t *steps = found->steps.item;
    size_t length = found->steps.count;
    if (length && s->system->footprint && s->system->footprint->in_columns)
        reschedule(s->system, steps, length);
    if (s->measure(s->system, steps, length) >= s->measure(s->system, answer->trace, answer->trace_length) ||
        portolan_replay(s->system, steps, length, s->property, &ignored) != PORTOLAN_OK)
        return false;
    free(answer->trace);
    answer->trace = steps;
    answer->trace_length = length;
    answer->shortest = is_shortest;
    memset(found, 0, sizeof *found);
    return true;
}

/* In ever smaller parts, from the end: what comes late is needed by fewer steps. */
static void leave_out_steps(struct shortening *s)
{
    struct trace found = {0};
    for (size_t part = (s->answer->trace_length + 1) / 2; part; part = part > 1 ? (part + 1) / 2 : 0)
        for (size_t to = s->answer->trace_length; to && s->steps_left && !limits_reached();) {
            size_t from = to > part ? to - part : 0;
            if (follow_without(s, from, to, &found) && replace_by(s, &found, false))
                to = from < s->answer->trace_length ? from : s->answer->trace_length;
            else
                to = from;
        }
    free(found.steps.item);
}

static void look_by_levels(struct shortening *s, uint64_t states)
{
    struct portolan_options options = {.reduction = "none",
                                       .search = "bfs",
                                       .properties = &s->property,
                                       .property_count = 1,
                                       .state_limit = states,
                                       .interrupt = limits_present ? limits_present->interrupt : NULL};
    struct portolan_result result;
    struct portolan_error ignored;
    if (search_system(s->system, &options, &result, &ignored) != PORTOLAN_OK)
        return;
    struct portolan_answer *other = &result.answers[0];
    if (other->has_trace && other->has_no_value == s->answer->has_no_value) {
        struct trace found = {.steps = {.item = other->trace, .count = other->trace_length}};
        other->trace = NULL;
        if (other->trace_length == s->answer->trace_length)
            s->answer->shortest = true;
        replace_by(s, &found, true);
        free(found.steps.item);
    }
    result_clear(&result);
}

void shorten_answer(struct portolan_system *system, const struct portolan_property *property,
                    const struct portolan_statistics *effort, trace_measure *measure, struct portolan_answer *answer)
{
    bool of_states = property->kind == PORTOLAN_NO_DEADLOCK || property->kind == PORTOLAN_INVARIANT ||
                     property->kind == PORTOLAN_REACH;
    if (!answer->has_trace || !of_states || answer->trace_length < 2)
        return;
    struct shortening s = {.system = system,
                           .property = property,
                           .measure = measure,
                           .answer = answer,
                           .steps_left = effort_of(effort->transitions)};
    leave_out_steps(&s);
    look_by_levels(&s, effort_of(effort->states));
}
