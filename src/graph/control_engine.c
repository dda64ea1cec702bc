/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/control_engine.h"

#include "base/limits.h"
#include "graph/control_run.h"
#include "graph/isomorphism.h"

#include <string.h>
#include <xxhash.h>

struct controller {
    struct engine *engine;
    struct control_run run;
    struct graph_state at; /* whose steps are known */
    bool is_known, is_final;
    control_steps steps;
    numbers actions; /* one a step, then those of conditions */
    control_numbers *found;
};

/* ------------------------------------------------------------------ what the program asks of the engine */

static uint32_t value_node(void *user, uint32_t value)
{
    return node_of_value(&((struct controller *)user)->engine->universe, value);
}

static bool note_application(void *user, const uint32_t *key, size_t length)
{
    struct controller *c = user;
    struct engine *e = c->engine;
    uint32_t action = engine_action(e, key, length);
    bool fine = action != NO_NUMBER;
    if (fine && e->actions.item[action].round != e->round) {
        e->actions.item[action].round = e->round;
        fine = vector_push(c->found, action);
    }
    e->matcher.out_of_memory |= !fine;
    return fine;
}

static bool match_in(void *user, uint32_t graph, uint32_t rule, const uint32_t *given, control_numbers *applications)
{
    struct controller *c = user;
    struct engine *e = c->engine;
    c->found = applications;
    engine_begin(e);
    e->matcher.found = note_application;
    e->matcher.user = c;
    return engine_load(e, graph) && match_rule(&e->matcher, &e->programs[rule], given);
}

static bool apply_in(void *user, uint32_t graph, uint32_t application, uint32_t *next)
{
    *next = engine_change(((struct controller *)user)->engine, graph, application);
    return *next != NO_NUMBER;
}

bool application_fails(const struct engine *e, uint32_t application)
{
    size_t length;
    const uint32_t *key = engine_key(e, application, &length);
    return length == 2 && key[1] == FAILED_NODE;
}

static bool fails_in(void *user, uint32_t application)
{
    return application_fails(((struct controller *)user)->engine, application);
}

/* Parameters are part of the anchor. */
uint32_t application_image(const struct engine *e, uint32_t application, uint32_t node)
{
    size_t length;
    const uint32_t *key = engine_key(e, application, &length);
    const numbers *anchor = &e->programs[key[0]].levels[0].anchor;
    for (size_t i = 0; i < anchor->count && i + 1 < length; i++)
        if (anchor->item[i] == node)
            return key[i + 1];
    return NO_NUMBER;
}

static uint32_t image_in(void *user, uint32_t application, uint32_t node)
{
    return application_image(((struct controller *)user)->engine, application, node);
}

static bool is_dead_in(void *user, uint32_t graph, bool *is_dead)
{
    return engine_is_dead(((struct controller *)user)->engine, graph, is_dead);
}

/* ------------------------------------------------------------------ canonical forms */

/* The node of the present graph that a variable marks. */
static uint32_t marked_node(const struct engine *e, uint32_t label)
{
    const numbers *marks = &e->present.by_label[label];
    return marks->count > 0 ? entity_get(&e->universe, marks->item[0])->from : GONE_NODE;
}

static uint32_t label_of(const struct controller *c, uint32_t location, size_t index)
{
    const struct control_program *program = c->run.program;
    uint32_t first = program->locations.item[location].first_live;
    return program->variables.item[program->live.item[first + index]].label;
}

/* Marks the nodes that variables have as values: a canonical form must know them. */
static bool add_marks(struct controller *c, uint32_t graph, uint32_t control, numbers *marks)
{
    struct engine *e = c->engine;
    const uint32_t *values;
    uint32_t location = control_location_of(&c->run, control, &values);
    bool fine = engine_load(e, graph);
    for (size_t i = 0; i < c->run.program->locations.item[location].live_count && fine; i++) {
        uint32_t label = label_of(c, location, i);
        if (label == NO_NUMBER || !has_node(&e->present, values[i]))
            continue;
        uint32_t mark = entity_of(&e->universe, values[i], label, values[i]);
        fine = mark != NO_NUMBER && vector_push(marks, mark);
    }
    numbers_sort(marks);
    return fine;
}

/* The marks of the canonical form are the values there. */
static bool take_marks(struct controller *c, uint32_t *graph, uint32_t *control)
{
    struct engine *e = c->engine;
    const struct control_program *program = c->run.program;
    const uint32_t *values;
    uint32_t location = control_location_of(&c->run, *control, &values);
    numbers now = {0}, marks = {0};
    bool fine = engine_load(e, *graph);
    for (size_t i = 0; i < program->locations.item[location].live_count && fine; i++) {
        uint32_t label = label_of(c, location, i), node = label == NO_NUMBER ? values[i] : marked_node(e, label);
        fine = vector_push(&now, node) &&
               (label == NO_NUMBER || node == GONE_NODE || vector_push(&marks, e->present.by_label[label].item[0]));
    }
    numbers_sort(&marks);
    if (fine) {
        *control = control_with(&c->run, *control, now.item);
        *graph = graph_change(&e->universe, *graph, &marks, &(numbers){0});
    }
    free(now.item);
    free(marks.item);
    return fine && *control != NO_NUMBER && *graph != NO_NUMBER;
}

static bool settle_in(void *user, uint32_t *graph, uint32_t *control)
{
    struct controller *c = user;
    struct engine *e = c->engine;
    numbers marks = {0};
    if (!e->isomorphism)
        return true;
    bool fine = add_marks(c, *graph, *control, &marks);
    bool has_marks = marks.count > 0;
    if (fine && has_marks)
        fine = (*graph = graph_change(&e->universe, *graph, &(numbers){0}, &marks)) != NO_NUMBER;
    free(marks.item);
    fine = fine && (*graph = class_of_graph(e->isomorphism, *graph)) != NO_NUMBER;
    return fine && (!has_marks || take_marks(c, graph, control));
}

/* ------------------------------------------------------------------ actions */

static uint64_t mix(uint64_t hash, uint64_t with)
{
    return XXH3_64bits_withSeed(&with, sizeof with, hash);
}

static uint64_t hash_entities(const struct universe *u, const numbers *some)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < some->count; i++) {
        const struct entity *e = entity_get(u, some->item[i]);
        hash += mix(mix(e->label, u->nodes.item[e->from].origin), u->nodes.item[e->to].origin);
    }
    return hash;
}

/* A hash of what the step changes and of the control state it leads to; it does not depend on what was met before. */
static uint64_t hash_step(struct engine *e, uint32_t graph, const struct control_step *step, bool *fine)
{
    const struct control_run *run = &e->controller->run;
    numbers removed = {0}, added = {0};
    const uint32_t *values;
    *fine = graph_difference(&e->universe, graph, step->graph, &removed, &added);
    uint64_t hash = mix(hash_entities(&e->universe, &removed), hash_entities(&e->universe, &added));
    free(removed.item);
    free(added.item);
    uint32_t location = control_location_of(run, step->control, &values);
    hash = mix(hash, location);
    for (uint32_t i = 0; i < run->program->locations.item[location].live_count; i++)
        hash = mix(hash, values[i] < e->universe.nodes.count ? e->universe.nodes.item[values[i]].origin : 0);
    return hash | 1; /* 0 is for the only one */
}

static bool is_only_one(const control_steps *steps, const struct control_step *step)
{
    unsigned count = 0;
    for (size_t i = 0; i < steps->count; i++)
        count += steps->item[i].application == step->application && steps->item[i].recipe == step->recipe;
    return count == 1;
}

uint32_t action_of_step(struct engine *e, uint32_t graph, const control_steps *steps, const struct control_step *step)
{
    bool fine = true, is_only = is_only_one(steps, step);
    if (is_only && step->recipe == NO_NUMBER)
        return step->application;
    uint64_t hash = is_only ? 0 : hash_step(e, graph, step, &fine);
    uint32_t recipes = (uint32_t)e->controller->run.program->recipes.count;
    uint32_t number = (uint32_t)e->grammar->rules.count + (step->recipe == NO_NUMBER ? recipes : step->recipe);
    numbers key = {0};
    size_t length;
    const uint32_t *application = engine_key(e, step->application, &length);
    fine = fine && vector_reserve(&key, STEP_PREFIX + length);
    if (fine) {
        key.item[0] = number;
        key.item[1] = (uint32_t)hash;
        key.item[2] = (uint32_t)(hash >> 32);
        memcpy(key.item + STEP_PREFIX, application, length * sizeof *application);
    }
    uint32_t action = fine ? engine_action(e, key.item, STEP_PREFIX + length) : NO_NUMBER;
    free(key.item);
    return action;
}

/* Conditions that are steps are asked in every state, whatever the program says. */
static bool ask_conditions(struct controller *c, uint32_t graph)
{
    struct engine *e = c->engine;
    bool is_dead;
    if (!e->grammar->conditions_are_steps)
        return true;
    if (!engine_is_dead(e, graph, &is_dead))
        return false;
    if (is_dead)
        return true;
    bool fine = engine_load(e, graph);
    engine_begin(e);
    for (uint32_t i = 0; i < e->grammar->rules.count && fine; i++)
        if (e->programs[i].rule && e->programs[i].is_condition)
            fine = engine_enabled_by(e, i, NULL);
    for (size_t i = 0; i < e->enabled.count && fine; i++)
        fine = vector_push(&c->actions, e->enabled.item[i]);
    return fine;
}

static bool know_steps(struct controller *c, const struct graph_state *state)
{
    if (c->is_known && memcmp(&c->at, state, sizeof *state) == 0)
        return true;
    c->is_known = false;
    c->steps.count = c->actions.count = 0;
    bool fine = control_allowed(&c->run, state->graph, state->control, &c->steps, &c->is_final);
    for (size_t i = 0; i < c->steps.count && fine; i++) {
        uint32_t action = action_of_step(c->engine, state->graph, &c->steps, &c->steps.item[i]);
        fine = action != NO_NUMBER && vector_push(&c->actions, action);
    }
    c->at = *state;
    return c->is_known = fine && ask_conditions(c, state->graph);
}

/* ------------------------------------------------------------------ the system */

uint32_t controller_start(struct engine *e)
{
    return control_start(&e->controller->run);
}

bool controller_enabled(struct engine *e, const struct graph_state *state)
{
    struct controller *c = e->controller;
    bool fine = know_steps(c, state);
    e->enabled.count = 0;
    for (size_t i = 0; i < c->actions.count && fine; i++)
        fine = vector_push(&e->enabled, c->actions.item[i]);
    return fine;
}

bool controller_fire(struct engine *e, const struct graph_state *state, uint32_t action, struct graph_state *after,
                     bool *fails)
{
    struct controller *c = e->controller;
    *after = *state;
    *fails = false;
    if (!know_steps(c, state))
        return false;
    for (size_t i = 0; i < c->steps.count; i++)
        if (c->actions.item[i] == action) {
            *after = (struct graph_state){c->steps.item[i].graph, c->steps.item[i].control};
            *fails = c->steps.item[i].fails;
            return true;
        }
    size_t length; /* a condition: nothing changes */
    const uint32_t *key = engine_key(e, action, &length);
    *fails = !key || (length == 2 && key[1] == FAILED_NODE);
    return true;
}

bool controller_is_final(struct engine *e, const struct graph_state *state)
{
    return know_steps(e->controller, state) && e->controller->is_final;
}

struct control_run controller_borrow(struct engine *e, struct control_host host)
{
    struct control_run run = {.grammar = e->grammar, .program = e->grammar->control, .host = host};
    run.states = e->controller->run.states;
    e->controller->run.states = (struct sequences){0};
    return run;
}

void controller_give_back(struct engine *e, struct control_run *run)
{
    e->controller->run.states = run->states;
    run->states = (struct sequences){0};
    control_run_clear(run);
}

uint32_t controller_location(const struct engine *e, uint32_t control)
{
    const uint32_t *values;
    return control_location_of(&e->controller->run, control, &values);
}

struct controller *controller_new(struct engine *engine)
{
    struct controller *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->engine = engine;
    struct control_host host = {c, value_node, match_in, apply_in, fails_in, image_in, settle_in, is_dead_in};
    control_run_make(&c->run, engine->grammar, host);
    return c;
}

void controller_free(struct controller *c)
{
    if (!c)
        return;
    control_run_clear(&c->run);
    free(c->steps.item);
    free(c->actions.item);
    free(c);
}
