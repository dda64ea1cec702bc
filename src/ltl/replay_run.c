/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firing a run that goes on forever, and judging it: the check that every counterexample to a formula passes before
 * anyone sees it.  It uses nothing of the search, and formulas are evaluated by definition.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/vector.h"
#include "ltl/ltl_property.h"
#include "system/arguments.h"
#include "system/deadlock.h"
#include "system/resting.h"
#include "system/stepper.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_WALK = 4096 };

struct run {
    struct portolan_system *system;
    struct stepper stepper;
    const struct ltl_property *property; /* NULL: only the cycle is looked at */
    VECTOR(uint64_t) letters;            /* what is true in each state */
    unsigned char *anchor;               /* the state that must come again */
    bool failed;
};

static bool run_make(struct run *run, struct portolan_system *system, const struct portolan_property *property)
{
    *run = (struct run){.system = system, .property = property ? property->ltl : NULL};
    if (!stepper_make(&run->stepper, system))
        return false;
    run->anchor = malloc(system->state_bytes);
    if (!run->anchor)
        stepper_clear(&run->stepper);
    return run->anchor;
}

static void run_clear(struct run *run)
{
    stepper_clear(&run->stepper);
    free(run->anchor);
    free(run->letters.item);
}

static void take_letter(struct run *run)
{
    const struct stepper *at = &run->stepper;
    uint64_t letter = run->property ? ltl_valuation(&run->property->ltl, run->system, at->state,
                                                    is_deadlock(run->system, at->state, at->enabled_count), NULL)
                                    : 0;
    if (!vector_push(&run->letters, letter))
        run->failed = true;
}

/* Has the property no value in the present state?  That is an error whatever comes. */
static bool has_no_value(const struct run *run)
{
    bool no_value = false;
    const struct stepper *at = &run->stepper;
    if (run->property)
        ltl_valuation(&run->property->ltl, run->system, at->state,
                      is_deadlock(run->system, at->state, at->enabled_count), &no_value);
    return no_value;
}

static void set_anchor(struct run *run)
{
    memcpy(run->anchor, run->stepper.state, run->system->state_bytes);
}

static bool is_at_anchor(const struct run *run)
{
    return memcmp(run->anchor, run->stepper.state, run->system->key_bytes) == 0;
}

/* --- fairness */

struct treatment {
    size_t enabled_in; /* so many states of the cycle */
    bool taken;
};

struct justice {
    bool by_agent;
    VECTOR(struct treatment) of; /* each action or agent met */
    size_t states;               /* of the cycle so far */
    struct portolan_step step;
};

static bool justice_make(struct justice *j, const struct portolan_system *system, enum portolan_fairness fairness)
{
    *j = (struct justice){.by_agent = fairness == PORTOLAN_FAIR_AGENTS && system->footprint};
    j->step.accesses =
        calloc(j->by_agent ? (size_t)system->footprint->most_accesses + 1 : 1, sizeof(struct portolan_access));
    return j->step.accesses;
}

static void justice_clear(struct justice *j)
{
    free(j->of.item);
    free(j->step.accesses);
}

/* An action or agent is enabled in the present state of the cycle, and perhaps what leaves it. */
static bool treat(struct justice *j, uint32_t who, bool taken, bool counts)
{
    while (j->of.count <= who)
        if (!vector_push(&j->of, (struct treatment){0}))
            return false;
    j->of.item[who].enabled_in += counts;
    j->of.item[who].taken |= taken;
    return true;
}

/* The present state is one of the cycle, and left by this action.  False when memory ran out. */
static bool justice_see(struct justice *j, const struct stepper *at, uint32_t action)
{
    const struct portolan_system *system = at->system;
    bool fine = true;
    bool counts = !rests_within_step(system, at->state); /* elsewhere it matters only who moves */
    j->states += counts;
    for (uint32_t i = 0; i < at->enabled_count && !j->by_agent; i++)
        fine = fine && treat(j, at->enabled[i], at->enabled[i] == action, counts);
    for (uint32_t agent = 0; j->by_agent && agent < system->footprint->agents; agent++)
        if (system->footprint->next(system->model, at->state, agent, &j->step) && j->step.enabled)
            fine = fine && treat(j, agent, j->step.action == action, counts);
    return fine;
}

static bool is_just(const struct justice *j)
{
    for (size_t i = 0; i < j->of.count; i++)
        if (j->of.item[i].enabled_in == j->states && !j->of.item[i].taken)
            return false;
    return true;
}

/* --- the run */

static enum portolan_status fire_all(struct run *run, const uint32_t *trace, size_t length, size_t cycle_start,
                                     struct justice *justice, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < length && status == PORTOLAN_OK; i++) {
        if (i == cycle_start)
            set_anchor(run);
        if (i >= cycle_start && !justice_see(justice, &run->stepper, trace[i]))
            return fail_memory(error);
        take_letter(run);
        status = stepper_fire(&run->stepper, trace[i], error);
    }
    return status;
}

static enum portolan_status judge(struct run *run, size_t loop, struct portolan_error *error)
{
    bool fails = true;
    if (run->failed ||
        (run->property && !ltl_property_fails_on(run->property, run->letters.item, run->letters.count, loop, &fails)))
        return fail_memory(error);
    return fails ? PORTOLAN_OK : fail(error, PORTOLAN_BAD_INPUT, "the property is true of this run");
}

static enum portolan_status close_cycle(struct run *run, size_t length, size_t cycle_start,
                                        const struct justice *justice, struct portolan_error *error)
{
    if (cycle_start == length) {
        take_letter(run);
        if (run->stepper.enabled_count)
            return fail(error, PORTOLAN_BAD_INPUT, "the run does not end with its last step: something is enabled");
        return judge(run, cycle_start, error);
    }
    if (!is_at_anchor(run))
        return fail(error, PORTOLAN_BAD_INPUT, "the cycle does not close: its last step leads elsewhere");
    if (justice && !is_just(justice))
        return fail(error, PORTOLAN_BAD_INPUT,
                    "the cycle is not fair: something is enabled all the time and not taken");
    return judge(run, cycle_start, error);
}

/* Goes on anyhow; false when that does not come to an end or back to a state soon.  *loop is where it does. */
static bool walk_on(struct run *run, size_t *loop)
{
    take_letter(run);
    *loop = run->letters.count - 1;
    set_anchor(run);
    for (size_t step = 1, next_anchor = 2; step < LONGEST_WALK; step++) {
        if (run->stepper.enabled_count == 0) {
            *loop = run->letters.count - 1;
            return true;
        }
        if (stepper_fire(&run->stepper, run->stepper.enabled[0], NULL) != PORTOLAN_OK)
            return false;
        if (is_at_anchor(run))
            return true;
        take_letter(run);
        if (step == next_anchor) {
            *loop = run->letters.count - 1;
            set_anchor(run);
            next_anchor *= 2;
        }
    }
    return false;
}

/* Is one of the letters from here on that of a state that counts? */
static bool shows_itself(const struct run *run, size_t from)
{
    for (; from < run->letters.count; from++)
        if (!run->property || !ltl_rests(&run->property->ltl, run->letters.item[from]))
            return true;
    return false;
}

/* A prefix is bad when the automaton says so; and, where one way to go on can be followed, the formula of that. */
static enum portolan_status judge_prefix(struct run *run, size_t prefix, struct portolan_error *error)
{
    bool bad = true;
    size_t loop;
    bool closes = walk_on(run, &loop) && shows_itself(run, loop);
    if (run->failed || (run->property && !ltl_property_is_bad_prefix(run->property, run->letters.item, prefix, &bad)))
        return fail_memory(error);
    if (!bad)
        return fail(error, PORTOLAN_BAD_INPUT, "the property can still become true after the last step");
    return closes ? judge(run, loop, error) : PORTOLAN_OK;
}

/* Fires everything once, so that the layout of states does not change any more. */
static enum portolan_status settle(struct portolan_system *system, const uint32_t *trace, size_t length, bool walks,
                                   struct portolan_error *error)
{
    struct stepper stepper;
    if (!stepper_make(&stepper, system))
        return fail_memory(error);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < length && status == PORTOLAN_OK; i++)
        status = stepper_fire(&stepper, trace[i], error);
    for (size_t i = 0; walks && i < LONGEST_WALK && status == PORTOLAN_OK && stepper.enabled_count; i++)
        if (stepper_fire(&stepper, stepper.enabled[0], NULL) != PORTOLAN_OK)
            break;
    stepper_clear(&stepper);
    return status;
}

static enum portolan_status replay_run(struct portolan_system *system, const uint32_t *trace, size_t length,
                                       size_t cycle_start, enum portolan_fairness fairness,
                                       const struct portolan_property *property, struct portolan_error *error)
{
    bool has_cycle = cycle_start != PORTOLAN_NO_CYCLE;
    enum portolan_status status = settle(system, trace, length, !has_cycle, error);
    if (status != PORTOLAN_OK)
        return status;
    struct run run;
    struct justice justice;
    if (!run_make(&run, system, property))
        return fail_memory(error);
    status = justice_make(&justice, system, fairness) ? fire_all(&run, trace, length, cycle_start, &justice, error)
                                                      : fail_memory(error);
    if (status == PORTOLAN_OK && has_cycle)
        status = close_cycle(&run, length, cycle_start, fairness == PORTOLAN_UNFAIR ? NULL : &justice, error);
    else if (status == PORTOLAN_OK && !has_no_value(&run))
        status = judge_prefix(&run, length + 1, error);
    justice_clear(&justice);
    run_clear(&run);
    return status;
}

enum portolan_status portolan_replay_run(struct portolan_system *system, const uint32_t *trace, size_t length,
                                         size_t cycle_start, enum portolan_fairness fairness,
                                         const struct portolan_property *property, struct portolan_error *error)
{
    if (check_system(system, error) || (length && check_pointer(trace, "the trace", error)))
        return PORTOLAN_BAD_OPTION;
    if (property && !property_is_temporal(property))
        return fail(error, PORTOLAN_BAD_OPTION, "'%.200s' is a property of states: portolan_replay judges it",
                    portolan_property_text(property));
    if ((unsigned)fairness > PORTOLAN_FAIR_AGENTS || (fairness == PORTOLAN_FAIR_AGENTS && !system->footprint))
        return fail(error, PORTOLAN_BAD_OPTION, "there is no such fairness here");
    if (cycle_start != PORTOLAN_NO_CYCLE && cycle_start > length)
        return fail(error, PORTOLAN_BAD_INPUT, "the cycle starts after the end of the trace");
    struct portolan_limits limits;
    bool alone = limits_begin_if_none(&limits);
    enum portolan_status status = replay_run(system, trace, length, cycle_start, fairness, property, error);
    if (alone)
        limits_end(&limits);
    return status;
}
