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
    size_t cycle_start; /* of a run; as in an answer */
};

struct shortening {
    struct portolan_system *system;
    const struct portolan_property *property;
    trace_measure *measure;
    struct portolan_answer *answer;
    enum portolan_fairness fairness;
    uint64_t steps_left; /* that may still be fired */
    bool of_runs;
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

/* Fires what can be fired of the answer's trace without the steps from `from` up to `to`, until a property of states is
 * decided.  False when that does not happen; whether a run will do, its replay must tell. */
static bool follow_without(struct shortening *s, size_t from, size_t to, struct trace *found)
{
    struct stepper at;
    struct portolan_error ignored;
    if (!stepper_make(&at, s->system))
        return false;
    found->steps.count = 0;
    found->cycle_start = s->answer->cycle_start;
    bool decided = !s->of_runs && is_decided(s, &at), fine = true;
    for (size_t i = 0; fine && !decided && i < s->answer->trace_length; i++) {
        uint32_t action = s->answer->trace[i];
        if (i == s->answer->cycle_start)
            found->cycle_start = found->steps.count;
        if ((i >= from && i < to) || !is_enabled(&at, action))
            continue;
        fine =
            s->steps_left && vector_push(&found->steps, action) && stepper_fire(&at, action, &ignored) == PORTOLAN_OK;
        s->steps_left -= fine;
        decided = fine && !s->of_runs && is_decided(s, &at);
    }
    if (s->answer->cycle_start == s->answer->trace_length)
        found->cycle_start = found->steps.count;
    stepper_clear(&at);
    return decided || (s->of_runs && fine);
}

static bool replays(const struct shortening *s, const struct trace *found)
{
    struct portolan_error ignored;
    const uint32_t *steps = found->steps.item;
    size_t length = found->steps.count;
    return (s->of_runs
                ? portolan_replay_run(s->system, steps, length, found->cycle_start, s->fairness, s->property, &ignored)
                : portolan_replay(s->system, steps, length, s->property, &ignored)) == PORTOLAN_OK;
}

/* Takes a trace over when it is better and replays. */
static bool replace_by(struct shortening *s, struct trace *found, bool is_shortest)
{
    struct portolan_answer *answer = s->answer;
    uint32_t *steps = found->steps.item;
    size_t length = found->steps.count;
    if (length && !s->of_runs && s->system->footprint && s->system->footprint->in_columns)
        reschedule(s->system, steps, length);
    if (s->measure(s->system, steps, length) >= s->measure(s->system, answer->trace, answer->trace_length) ||
        !replays(s, found))
        return false;
    free(answer->trace);
    answer->trace = steps;
    answer->trace_length = length;
    answer->cycle_start = found->cycle_start;
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

/* The run without the last of these steps before the cycle, which then begins with its own last `count` steps, that are
 * the same ones. */
static bool turn_cycle(const struct shortening *s, size_t count, struct trace *found)
{
    const struct portolan_answer *answer = s->answer;
    const uint32_t *cycle = answer->trace + answer->cycle_start, *end = answer->trace + answer->trace_length;
    size_t before = answer->cycle_start, left = count;
    found->steps.count = 0;
    for (size_t i = 0; i < before; i++)
        if (!vector_push(&found->steps, answer->trace[i]))
            return false;
    for (size_t i = before; i > 0 && left; i--)
        if (answer->trace[i - 1] == end[-1 - (ptrdiff_t)(count - left)]) {
            memmove(found->steps.item + i - 1, found->steps.item + i, (found->steps.count - i) * sizeof *cycle);
            found->steps.count--;
            left--;
        }
    found->cycle_start = found->steps.count;
    for (const uint32_t *step = end - count; step < end && !left; step++)
        left += !vector_push(&found->steps, *step);
    for (const uint32_t *step = cycle; step < end - count && !left; step++)
        left += !vector_push(&found->steps, *step);
    return !left;
}

/* A cycle may begin earlier than where the search closed it. */
static void begin_cycle_earlier(struct shortening *s)
{
    struct trace found = {0};
    for (size_t count = 1; s->answer->cycle_start < s->answer->trace_length && !limits_reached(); count++) {
        size_t length = s->answer->trace_length;
        if (count >= length - s->answer->cycle_start || s->steps_left < length || !turn_cycle(s, count, &found))
            break;
        s->steps_left -= length;
        if (replace_by(s, &found, false))
            count = 0;
    }
    free(found.steps.item);
}

static void look_again(struct shortening *s, uint64_t states)
{
    struct portolan_options options = {.reduction = "none",
                                       .search = s->of_runs ? NULL : "bfs",
                                       .fairness = s->fairness,
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
        struct trace found = {.steps = {.item = other->trace, .count = other->trace_length},
                              .cycle_start = other->cycle_start};
        other->trace = NULL;
        if (!s->of_runs && other->trace_length == s->answer->trace_length)
            s->answer->shortest = true;
        if (replace_by(s, &found, !s->of_runs) && s->of_runs) {
            leave_out_steps(s);
            begin_cycle_earlier(s);
        }
        free(found.steps.item);
    }
    result_clear(&result);
}

void shorten_answer(struct portolan_system *system, const struct portolan_property *property,
                    enum portolan_fairness fairness, const struct portolan_statistics *effort, trace_measure *measure,
                    struct portolan_answer *answer)
{
    bool of_states = property->kind == PORTOLAN_NO_DEADLOCK || property->kind == PORTOLAN_INVARIANT ||
                     property->kind == PORTOLAN_REACH;
    bool of_runs = property_is_temporal(property);
    if (!answer->has_trace || !(of_states || of_runs) || answer->trace_length < 2)
        return;
    struct shortening s = {.system = system,
                           .property = property,
                           .measure = measure,
                           .answer = answer,
                           .fairness = fairness,
                           .steps_left = effort_of(effort->transitions),
                           .of_runs = of_runs};
    leave_out_steps(&s);
    if (of_runs)
        begin_cycle_earlier(&s);
    look_again(&s, effort_of(effort->states));
}
