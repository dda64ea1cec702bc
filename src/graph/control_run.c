/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/control_run.h"

#include "base/limits.h"

#include <string.h>

/* A call that matched, on the way that verdicts lead from the location of a state. */
struct trial {
    uint32_t call, application;
    uint32_t graph, control; /* afterwards */
    bool is_hidden;          /* the location it was called at */
    bool fails;              /* there is no afterwards */
};

/* How far verdicts are followed: to the end, to a location of some depth, or out of the recipe. */
enum extent { TO_THE_END, WITHIN_DEPTH, WITHIN_RECIPE };

/* What verdicts lead to from a state. */
struct visit {
    VECTOR(struct trial) trials;
    uint32_t depth; /* the least of all locations */
    bool fails;     /* a trial does */
    bool comes_out; /* at one of them no recipe is open */
    bool is_final;  /* the last one */
};

static bool can_come_down(struct control_run *run, uint32_t graph, uint32_t control, uint32_t depth, bool *can);

void control_run_make(struct control_run *run, const struct grammar *grammar, struct control_host host)
{
    *run = (struct control_run){.grammar = grammar, .program = grammar->control, .host = host};
}

void control_run_clear(struct control_run *run)
{
    sequences_clear(&run->states);
    sequences_clear(&run->pairs);
    free(run->answers.item);
    *run = (struct control_run){0};
}

/* ------------------------------------------------------------------ control states */

uint32_t control_start(struct control_run *run)
{
    bool is_new; /* no variable has a value yet */
    return sequence_insert(&run->states, &run->program->start, 1, &is_new);
}

uint32_t control_location_of(const struct control_run *run, uint32_t control, const uint32_t **values)
{
    size_t length;
    const uint32_t *state = sequence_get(&run->states, control, &length);
    *values = state + 1;
    return state[0];
}

uint32_t control_with(struct control_run *run, uint32_t control, const uint32_t *values)
{
    size_t length;
    const uint32_t *state = sequence_get(&run->states, control, &length);
    uint32_t *changed = malloc(length * sizeof *changed);
    if (!changed)
        return NO_NUMBER;
    bool is_new;
    changed[0] = state[0];
    memcpy(changed + 1, values, (length - 1) * sizeof *changed);
    uint32_t number = sequence_insert(&run->states, changed, length, &is_new);
    free(changed);
    return number;
}

static uint32_t value_of(const struct control_run *run, uint32_t control, uint32_t variable)
{
    const uint32_t *values;
    const struct control_location *at = &run->program->locations.item[control_location_of(run, control, &values)];
    for (uint32_t i = 0; i < at->live_count; i++)
        if (run->program->live.item[at->first_live + i] == variable)
            return values[i];
    return NO_NUMBER;
}

/* The node of the rule that an argument of the call is for. */
static uint32_t node_of_argument(const struct control_run *run, const struct control_call *call, uint32_t argument)
{
    const struct rule *rule = &run->grammar->rules.item[call->rule];
    for (size_t i = 0; i < rule->parameters.count; i++)
        if (!rule->parameters.item[i].is_hidden && argument-- == 0)
            return rule->parameters.item[i].node;
    return NO_NUMBER;
}

static uint32_t value_after(const struct control_run *run, uint32_t control, const struct control_call *call,
                            uint32_t application, uint32_t variable)
{
    for (uint32_t a = 0; a < call->argument_count; a++) {
        const struct control_argument *argument = &run->program->arguments.item[call->first_argument + a];
        if (argument->kind == CONTROL_RESULT && argument->number == variable)
            return run->host.image(run->host.user, application, node_of_argument(run, call, a));
    }
    return value_of(run, control, variable);
}

static uint32_t control_after(struct control_run *run, uint32_t control, const struct control_call *call,
                              uint32_t application)
{
    const struct control_location *to = &run->program->locations.item[call->to];
    control_numbers state = {0};
    bool is_new, fine = vector_push(&state, call->to);
    for (uint32_t i = 0; i < to->live_count && fine; i++)
        fine = vector_push(&state,
                           value_after(run, control, call, application, run->program->live.item[to->first_live + i]));
    uint32_t number = fine ? sequence_insert(&run->states, state.item, state.count, &is_new) : NO_NUMBER;
    free(state.item);
    return number;
}

/* ------------------------------------------------------------------ verdicts */

bool control_given(const struct control_run *run, uint32_t control, const struct control_call *call, uint32_t *given)
{
    size_t nodes = run->grammar->rules.item[call->rule].nodes.count;
    bool fine = true;
    for (size_t i = 0; i < nodes; i++)
        given[i] = NO_NUMBER;
    for (uint32_t a = 0; a < call->argument_count && fine; a++) {
        const struct control_argument *argument = &run->program->arguments.item[call->first_argument + a];
        uint32_t node = node_of_argument(run, call, a);
        if (argument->kind == CONTROL_VALUE)
            fine = (given[node] = run->host.node_of_value(run->host.user, argument->number)) != NO_NUMBER;
        else if (argument->kind == CONTROL_GIVEN)
            given[node] = value_of(run, control, argument->number);
    }
    return fine;
}

/* here: at one place only; NULL: anywhere. */
static bool match_call(struct control_run *run, uint32_t graph, uint32_t control, const struct control_call *call,
                       bool (*here)(void *, const uint32_t *, control_numbers *), control_numbers *applications)
{
    uint32_t *given = malloc((run->grammar->rules.item[call->rule].nodes.count + 1) * sizeof *given);
    bool fine = given && control_given(run, control, call, given) &&
                (here ? here(run->host.user, given, applications)
                      : run->host.match(run->host.user, graph, call->rule, given, applications));
    free(given);
    return fine;
}

/* Applies what matched. */
static bool try_application(struct control_run *run, uint32_t graph, uint32_t control, struct trial *trial)
{
    const struct control_host *host = &run->host;
    trial->graph = graph;
    trial->control = control;
    trial->fails = host->fails(host->user, trial->application);
    if (trial->fails)
        return true;
    trial->control = control_after(run, control, &run->program->calls.item[trial->call], trial->application);
    return trial->control != NO_NUMBER && host->apply(host->user, graph, trial->application, &trial->graph) &&
           host->settle(host->user, &trial->graph, &trial->control);
}

/* Tries all applications of a call; is any of them a success? */
static bool try_call(struct control_run *run, uint32_t graph, uint32_t control, uint32_t location, uint32_t call,
                     const control_numbers *applications, struct visit *visit, bool *is_success)
{
    const struct control_location *at = &run->program->locations.item[location];
    bool is_deeper = run->program->locations.item[run->program->calls.item[call].to].depth > at->depth;
    for (size_t i = 0; i < applications->count; i++) {
        struct trial trial = {.call = call, .application = applications->item[i], .is_hidden = at->is_hidden};
        bool can = true;
        if (limits_reached() || !try_application(run, graph, control, &trial) || !vector_push(&visit->trials, trial))
            return false;
        if (!*is_success && is_deeper && !trial.fails &&
            !can_come_down(run, trial.graph, trial.control, at->depth, &can))
            return false;
        visit->fails |= trial.fails;
        *is_success |= can;
    }
    return true;
}

static bool try_calls(struct control_run *run, uint32_t graph, uint32_t control, uint32_t location, struct visit *visit,
                      bool *is_success)
{
    const struct control_location *at = &run->program->locations.item[location];
    control_numbers applications = {0};
    bool fine = true;
    for (uint32_t i = 0; i < at->call_count && fine; i++) {
        applications.count = 0;
        fine = match_call(run, graph, control, &run->program->calls.item[at->first_call + i], NULL, &applications) &&
               try_call(run, graph, control, location, at->first_call + i, &applications, visit, is_success);
    }
    free(applications.item);
    return fine;
}

/* Verdicts that go round in a circle lead nowhere, so there are at most as many as locations. */
static bool visit_state(struct control_run *run, uint32_t graph, uint32_t control, enum extent extent, uint32_t depth,
                        struct visit *visit)
{
    const uint32_t *values;
    uint32_t location = control_location_of(run, control, &values);
    bool is_dead = false;
    visit->trials.count = 0;
    visit->depth = run->program->locations.item[location].depth;
    visit->comes_out = !run->program->locations.item[location].is_hidden;
    visit->is_final = visit->fails = false;
    if (run->host.is_dead && !run->host.is_dead(run->host.user, graph, &is_dead))
        return false;
    if (is_dead)
        return true;
    for (size_t most = run->program->locations.count; most > 0; most--) {
        const struct control_location *at = &run->program->locations.item[location];
        bool is_success = false;
        visit->depth = at->depth < visit->depth ? at->depth : visit->depth;
        visit->comes_out |= !at->is_hidden;
        visit->is_final = at->is_final;
        if (at->call_count == 0 || (extent == WITHIN_DEPTH && at->depth <= depth) ||
            (extent == WITHIN_RECIPE && !at->is_hidden))
            return true;
        if (!try_calls(run, graph, control, location, visit, &is_success))
            return false;
        location = is_success ? at->on_success : at->on_failure;
    }
    return true;
}

/* ------------------------------------------------------------------ atomic blocks and recipes */

struct reached { /* states: graph, control */
    struct sequences set;
    struct visit visit;
};

static bool reach(struct reached *reached, uint32_t graph, uint32_t control)
{
    bool is_new;
    return !limits_reached() &&
           sequence_insert(&reached->set, (uint32_t[]){graph, control}, 2, &is_new) != SEQUENCE_NONE;
}

static void reached_clear(struct reached *reached)
{
    sequences_clear(&reached->set);
    free(reached->visit.trials.item);
}

/* Visits number i of what was reached; what its trials lead to is reached too. */
static bool go_on(struct control_run *run, struct reached *reached, uint32_t i, enum extent extent, uint32_t depth)
{
    size_t length;
    const uint32_t *state = sequence_get(&reached->set, i, &length);
    bool fine = visit_state(run, state[0], state[1], extent, depth, &reached->visit);
    for (size_t t = 0; t < reached->visit.trials.count && fine; t++) {
        const struct trial *trial = &reached->visit.trials.item[t];
        if (!trial->fails)
            fine = reach(reached, trial->graph, trial->control);
    }
    return fine;
}

static bool search_down(struct control_run *run, struct reached *reached, uint32_t depth, bool *can)
{
    *can = false;
    for (uint32_t i = 0; i < reached->set.count && !*can; i++) {
        if (!go_on(run, reached, i, WITHIN_DEPTH, depth))
            return false;
        *can = reached->visit.depth <= depth || reached->visit.fails; /* what fails must be seen */
    }
    return true;
}

enum { UNKNOWN, NO, YES };

static bool answer_at(struct control_run *run, const uint32_t state[2], uint32_t depth, uint8_t **answer)
{
    bool is_new;
    uint32_t pair = sequence_insert(&run->pairs, (uint32_t[]){state[0], state[1], depth}, 3, &is_new);
    while (pair != SEQUENCE_NONE && run->answers.count <= pair)
        if (!vector_push(&run->answers, UNKNOWN))
            return false;
    *answer = pair == SEQUENCE_NONE ? NULL : &run->answers.item[pair];
    return *answer;
}

/* If the first of what was reached cannot, nothing that it reaches can. */
static bool remember(struct control_run *run, const struct reached *reached, uint32_t depth, bool can)
{
    uint8_t *answer;
    size_t length;
    for (uint32_t i = 0; i < (can ? 1 : reached->set.count); i++) {
        if (!answer_at(run, sequence_get(&reached->set, i, &length), depth, &answer))
            return false;
        *answer = can ? YES : NO;
    }
    return true;
}

/* Can the state come to a location where no more than `depth` atomic blocks are open? */
static bool can_come_down(struct control_run *run, uint32_t graph, uint32_t control, uint32_t depth, bool *can)
{
    const uint32_t *values, state[2] = {graph, control};
    uint8_t *answer;
    *can = run->program->locations.item[control_location_of(run, control, &values)].depth <= depth;
    if (*can)
        return true;
    if (!answer_at(run, state, depth, &answer))
        return false;
    *can = *answer == YES;
    if (*answer != UNKNOWN)
        return true;
    struct reached reached = {0};
    bool fine = reach(&reached, graph, control) && search_down(run, &reached, depth, can) &&
                remember(run, &reached, depth, *can);
    reached_clear(&reached);
    return fine;
}

/* ------------------------------------------------------------------ steps */

static bool add_step(struct control_run *run, control_steps *steps, const struct trial *first, uint32_t graph,
                     uint32_t control, bool fails)
{
    struct control_step step;
    bool can = true;
    memset(&step, 0, sizeof step); /* with what lies between the fields */
    step.application = first->application;
    step.recipe = run->program->calls.item[first->call].recipe;
    step.graph = graph;
    step.control = control;
    step.fails = fails;
    for (size_t i = 0; i < steps->count; i++)
        if (memcmp(&steps->item[i], &step, sizeof step) == 0)
            return true;
    if (!fails && !can_come_down(run, graph, control, 0, &can))
        return false;
    return !can || vector_push(steps, step);
}

/* A step for each state in which the recipe that the trial begins can end. */
static bool add_recipe(struct control_run *run, control_steps *steps, const struct trial *first)
{
    struct reached reached = {0};
    size_t length;
    bool fails = false, fine = reach(&reached, first->graph, first->control);
    for (uint32_t i = 0; i < reached.set.count && fine; i++) {
        fine = go_on(run, &reached, i, WITHIN_RECIPE, 0);
        const uint32_t *state = sequence_get(&reached.set, i, &length);
        if (fine && reached.visit.comes_out)
            fine = add_step(run, steps, first, state[0], state[1], false);
        fails |= reached.visit.fails;
    }
    if (fine && fails)
        fine = add_step(run, steps, first, first->graph, first->control, true);
    reached_clear(&reached);
    return fine;
}

static bool add_steps(struct control_run *run, control_steps *steps, const struct trial *trial)
{
    if (trial->is_hidden)
        return true; /* a part of the step that led here */
    return !trial->fails && run->program->calls.item[trial->call].recipe != NO_NUMBER
               ? add_recipe(run, steps, trial)
               : add_step(run, steps, trial, trial->graph, trial->control, trial->fails);
}

bool control_allowed(struct control_run *run, uint32_t graph, uint32_t control, control_steps *steps, bool *is_final)
{
    struct visit visit = {0};
    bool fine = visit_state(run, graph, control, TO_THE_END, 0, &visit);
    for (size_t i = 0; i < visit.trials.count && fine; i++)
        fine = add_steps(run, steps, &visit.trials.item[i]);
    *is_final = visit.is_final;
    free(visit.trials.item);
    return fine;
}

/* ------------------------------------------------------------------ steps at one place */

static bool contains(const control_numbers *some, uint32_t number)
{
    for (size_t i = 0; i < some->count; i++)
        if (some->item[i] == number)
            return true;
    return false;
}

bool control_ahead(const struct control_program *program, uint32_t location, control_numbers *locations)
{
    size_t next = locations->count;
    bool fine = vector_push(locations, location);
    for (; next < locations->count && fine; next++) {
        const struct control_location *at = &program->locations.item[locations->item[next]];
        uint32_t to[] = {at->on_success, at->on_failure};
        for (int i = 0; i < 2 && at->call_count && fine; i++)
            fine = contains(locations, to[i]) || vector_push(locations, to[i]);
    }
    return fine;
}

static bool calls_rule(const struct control_program *program, const struct control_location *at, uint32_t rule)
{
    for (uint32_t i = 0; i < at->call_count; i++)
        if (program->calls.item[at->first_call + i].rule == rule)
            return true;
    return false;
}

/* Is the rule called behind the location, without a step in between? */
static bool is_called_behind(const struct control_program *program, uint32_t location, uint32_t rule, bool *is_called)
{
    control_numbers ahead = {0};
    bool fine = control_ahead(program, location, &ahead);
    *is_called = false;
    for (size_t i = 1; i < ahead.count && fine; i++)
        *is_called |= calls_rule(program, &program->locations.item[ahead.item[i]], rule);
    free(ahead.item);
    return fine;
}

/* Is a call of the location a success?  No more is tried than that takes. */
static bool find_verdict(struct control_run *run, uint32_t graph, uint32_t control, uint32_t location, bool *is_success)
{
    const struct control_location *at = &run->program->locations.item[location];
    control_numbers applications = {0};
    struct visit visit = {0};
    bool fine = true;
    *is_success = false;
    for (uint32_t i = 0; i < at->call_count && fine && !*is_success; i++) {
        const struct control_call *call = &run->program->calls.item[at->first_call + i];
        applications.count = 0;
        fine = match_call(run, graph, control, call, NULL, &applications);
        if (run->program->locations.item[call->to].depth <= at->depth)
            *is_success = applications.count > 0;
        else
            fine =
                fine && try_call(run, graph, control, location, at->first_call + i, &applications, &visit, is_success);
    }
    free(applications.item);
    free(visit.trials.item);
    return fine;
}

static bool begin_at(struct control_run *run, uint32_t graph, uint32_t control, uint32_t location, uint32_t number,
                     bool (*match_here)(void *, const uint32_t *, control_numbers *), control_steps *steps)
{
    const struct control_call *call = &run->program->calls.item[number];
    control_numbers applications = {0};
    bool fine = match_call(run, graph, control, call, match_here, &applications);
    for (size_t i = 0; i < applications.count && fine; i++) {
        struct trial trial = {.call = number,
                              .application = applications.item[i],
                              .is_hidden = run->program->locations.item[location].is_hidden};
        fine = try_application(run, graph, control, &trial) && add_steps(run, steps, &trial);
    }
    free(applications.item);
    return fine;
}

bool control_begun(struct control_run *run, uint32_t graph, uint32_t control, uint32_t rule,
                   bool (*match_here)(void *user, const uint32_t *given, control_numbers *applications),
                   control_steps *steps)
{
    const uint32_t *values;
    uint32_t location = control_location_of(run, control, &values);
    for (size_t most = run->program->locations.count; most > 0; most--) {
        const struct control_location *at = &run->program->locations.item[location];
        bool goes_on, is_success, fine = true;
        for (uint32_t i = 0; i < at->call_count && fine; i++)
            if (run->program->calls.item[at->first_call + i].rule == rule)
                fine = begin_at(run, graph, control, location, at->first_call + i, match_here, steps);
        if (!fine || !is_called_behind(run->program, location, rule, &goes_on))
            return false;
        if (!goes_on)
            return true;
        if (!find_verdict(run, graph, control, location, &is_success))
            return false;
        location = is_success ? at->on_success : at->on_failure;
    }
    return true;
}
