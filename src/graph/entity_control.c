/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps under a control program as actions of a system of entities.
 *
 * The control state is an entity too: a step finds the one that it begins with, and takes it away and adds another
 * where it leads to another.  So steps that stay where they are in the program, like those of a loop over several
 * rules, may be independent, and no others are.
 *
 * A world (entities.h) says which calls of the program have a match, as far as a step depends on that, and what happens
 * within a recipe or an atomic block.  What is looked at in a graph in between is looked at in the world: the one
 * differs from the other by what was looked at before.  For the same reason nothing may be remembered from one world
 * to the next.
 */
#include "graph/control_engine.h"
#include "graph/entities.h"

#include <string.h>

enum { WORK_OF_WORLD = 120, WORK_OF_MATCHING = 40, WORK_OF_APPLYING = 60 }; /* as in entity_actions.c */

/* ----------------------------------------------------------------- the host */

static uint32_t value_node(void *user, uint32_t value)
{
    return node_of_value(&((struct graph_view *)user)->engine->universe, value);
}

static bool note_application(void *user, const uint32_t *key, size_t length)
{
    struct graph_view *v = user;
    control_numbers *all = v->worlds.applications;
    uint32_t action = engine_action(v->engine, key, length);
    for (size_t i = 0; i < all->count; i++)
        if (all->item[i] == action)
            return true;
    bool fine = action != NO_NUMBER && vector_push(all, action);
    v->judge.out_of_memory |= !fine;
    v->inner_judge.out_of_memory |= !fine;
    return fine;
}

/* The world itself, or a graph within a step. */
static bool is_inner(struct graph_view *v, uint32_t graph, bool *inner)
{
    *inner = graph != v->worlds.graph;
    return !*inner || present_load(&v->inner, graph);
}

static void look_at_given(struct graph_view *v, const struct rule *rule, const uint32_t *given)
{
    for (size_t i = 0; i < rule->nodes.count; i++)
        if (given[i] != NO_NUMBER && value_of_node(&v->engine->universe, given[i]) == NO_NUMBER)
            looks_note(&v->looks, (struct look){LOOK_NODE, given[i], 0, 0});
}

static bool match(void *user, uint32_t graph, uint32_t rule, const uint32_t *given, control_numbers *applications)
{
    struct graph_view *v = user;
    const struct program *program = &v->engine->programs[rule];
    bool inner;
    if (!is_inner(v, graph, &inner))
        return false;
    struct matcher *judge = inner ? &v->inner_judge : &v->judge;
    v->work += WORK_OF_MATCHING;
    v->worlds.applications = applications;
    judge->found = note_application;
    return match_rule(judge, program, given);
}

/* The match of the root that the world is made for, if it has what a call gives. */
static bool match_here(void *user, const uint32_t *given, control_numbers *applications)
{
    struct graph_view *v = user;
    const struct program *program = v->worlds.rule->program;
    uint32_t *bindings = malloc((program->bindings + 1) * sizeof *bindings);
    bool agrees = true, fine = bindings;
    if (fine)
        memcpy(bindings, v->worlds.bindings, program->bindings * sizeof *bindings);
    for (size_t i = 0; i < program->rule->nodes.count && fine; i++) {
        agrees = agrees && (given[i] == NO_NUMBER || bindings[i] == NO_NUMBER || bindings[i] == given[i]);
        bindings[i] = given[i] == NO_NUMBER ? bindings[i] : given[i];
    }
    if (fine && agrees) {
        look_at_given(v, program->rule, bindings);
        v->worlds.applications = applications;
        v->judge.found = note_application;
        fine = match_rule_at(&v->judge, program, bindings);
    }
    free(bindings);
    return fine;
}

static bool apply(void *user, uint32_t graph, uint32_t application, uint32_t *next)
{
    struct graph_view *v = user;
    struct engine *e = v->engine;
    size_t length;
    bool inner;
    if (!is_inner(v, graph, &inner))
        return false;
    const uint32_t *key = engine_key(e, application, &length);
    const struct program *program = &e->programs[key[0]];
    struct effect *effect = inner ? &v->inner_effect : &v->effect;
    *next = graph;
    v->work += WORK_OF_APPLYING;
    if (program->is_condition)
        return true;
    if (!effect_find(effect, program, key, length))
        return false;
    *next = graph_change(&e->universe, graph, &effect->removed, &effect->added);
    return *next != NO_NUMBER;
}

static bool fails(void *user, uint32_t application)
{
    return application_fails(((struct graph_view *)user)->engine, application);
}

static uint32_t image(void *user, uint32_t application, uint32_t node)
{
    return application_image(((struct graph_view *)user)->engine, application, node);
}

static bool stay(void *user, uint32_t *graph, uint32_t *control)
{
    (void)user;
    (void)graph;
    (void)control;
    return true;
}

static struct control_run borrow(struct graph_view *v)
{
    struct control_host host = {v, value_node, match, apply, fails, image, stay, NULL};
    return controller_borrow(v->engine, host);
}

/* ------------------------------------------------------------------ looking */

static uint32_t graph_of_world(struct graph_view *v)
{
    const struct present *p = &v->world;
    numbers all = {0};
    bool fine = true;
    for (uint32_t label = 0; label <= v->engine->universe.node_label && fine; label++)
        for (size_t i = 0; i < p->by_label[label].count && fine; i++)
            fine = vector_push(&all, p->by_label[label].item[i]);
    numbers_sort(&all);
    uint32_t graph = fine ? graph_of(&v->engine->universe, &all) : NO_NUMBER;
    free(all.item);
    return graph;
}

bool look_for_steps(struct graph_view *v)
{
    struct worlds *w = &v->worlds;
    w->steps.count = 0;
    v->work += WORK_OF_WORLD;
    w->graph = graph_of_world(v);
    if (w->graph == NO_NUMBER)
        return false;
    struct control_run run = borrow(v);
    bool fine = control_begun(&run, w->graph, w->control, w->rule->program->number, match_here, &w->steps);
    controller_give_back(v->engine, &run);
    return fine;
}

/* ------------------------------------------------------------------ finding */

/* Has an earlier call of these locations the same rule, anywhere? */
static bool was_called(const struct control_program *program, const control_numbers *ahead, uint32_t number)
{
    for (size_t i = 0; i < ahead->count; i++) {
        const struct control_location *at = &program->locations.item[ahead->item[i]];
        for (uint32_t call = at->first_call; call < at->first_call + at->call_count; call++) {
            if (call == number)
                return false;
            if (program->calls.item[call].rule == program->calls.item[number].rule &&
                !program->calls.item[call].argument_count)
                return true;
        }
    }
    return false;
}

static bool find_call(struct graph_view *v, const struct control_call *call)
{
    const struct viewed_rule *rule = v->rules;
    while (rule->program->number != call->rule)
        rule++;
    uint32_t *given = malloc((rule->program->rule->nodes.count + 1) * sizeof *given);
    bool fine = given;
    if (fine) {
        struct control_run run = borrow(v);
        fine = control_given(&run, v->worlds.control, call, given);
        controller_give_back(v->engine, &run);
    }
    fine = fine && match_rule_from(&v->finder, rule->program, &rule->skeleton, given);
    free(given);
    return fine;
}

bool find_steps(struct graph_view *v, uint32_t control)
{
    const struct control_program *program = v->engine->grammar->control;
    control_numbers ahead = {0};
    v->worlds.control = control;
    bool fine = control_ahead(program, controller_location(v->engine, control), &ahead);
    for (size_t i = 0; i < ahead.count && fine; i++) {
        const struct control_location *at = &program->locations.item[ahead.item[i]];
        for (uint32_t k = 0; k < at->call_count && fine && !at->is_hidden; k++)
            if (!was_called(program, &ahead, at->first_call + k))
                fine = find_call(v, &program->calls.item[at->first_call + k]);
    }
    free(ahead.item);
    return fine;
}

bool control_asks(const struct control_program *program, uint32_t rule)
{
    for (size_t i = 0; i < program->locations.count; i++) {
        const struct control_location *at = &program->locations.item[i];
        bool asks = at->depth > 0 || at->is_hidden;
        if (at->call_count)
            asks |= program->locations.item[at->on_success].call_count > 0 ||
                    program->locations.item[at->on_failure].call_count > 0;
        for (uint32_t k = 0; k < at->call_count && asks; k++)
            if (program->calls.item[at->first_call + k].rule == rule)
                return true;
    }
    return false;
}
