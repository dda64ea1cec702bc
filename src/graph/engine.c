/* SPDX-License-Identifier: Apache-2.0 */
/* Steps between graphs: the applications of rules that a graph enables, and where they lead. */
#include "graph/engine.h"

#include "base/limits.h"
#include "graph/constraints.h"
#include "graph/isomorphism.h"
#include "graph/names.h"

void engine_lock(const struct engine *e)
{
    pthread_mutex_lock(&((struct engine *)e)->lock);
}

void engine_unlock(const struct engine *e)
{
    pthread_mutex_unlock(&((struct engine *)e)->lock);
}

bool engine_load(struct engine *e, uint32_t graph)
{
    return present_load(&e->present, graph);
}

bool engine_look_at(struct engine *e, uint32_t graph)
{
    return engine_load(e, graph) && (!e->isomorphism || isomorphism_look_at(e->isomorphism, graph));
}

/* ----------------------------------------------------------------- actions */

/* The number of an action whose key is new. */
static uint32_t number_action(struct engine *e, uint32_t key)
{
    uint32_t action;
    if (!graph_awaited(e, key, &action))
        return NO_NUMBER;
    if (action != NO_NUMBER) {
        e->actions.item[action].key = key;
        return action;
    }
    action = (uint32_t)e->actions.count;
    return vector_push(&e->actions, ((struct graph_action){.key = key})) ? action : NO_NUMBER;
}

uint32_t engine_action(struct engine *e, const uint32_t *key, size_t length)
{
    bool is_new;
    uint32_t number = sequence_insert(&e->keys, key, length, &is_new);
    if (number == SEQUENCE_NONE || number < e->action_of_key.count)
        return number == SEQUENCE_NONE ? NO_NUMBER : e->action_of_key.item[number];
    uint32_t action = vector_reserve(&e->action_of_key, 1) ? number_action(e, number) : NO_NUMBER;
    return action != NO_NUMBER && vector_push(&e->action_of_key, action) ? action : NO_NUMBER;
}

uint32_t engine_application(struct engine *e, const struct program *program, const uint32_t *key, size_t length)
{
    if (e->isomorphism)
        key = key_outside(e->isomorphism, program, key, &length);
    return key ? engine_action(e, key, length) : NO_NUMBER;
}

const uint32_t *engine_key(const struct engine *e, uint32_t action, size_t *length)
{
    if (action >= e->actions.count || e->actions.item[action].key == NO_NUMBER)
        return NULL;
    return sequence_get(&e->keys, e->actions.item[action].key, length);
}

/* ----------------------------------------------------------------- enabled */

static bool note_enabled(void *user, const uint32_t *key, size_t length)
{
    struct engine *e = user;
    bool is_condition = e->matcher.program->is_condition;
    uint32_t action =
        engine_application(e, e->matcher.program, key, is_condition && key[length - 1] != FAILED_NODE ? 1 : length);
    if (action == NO_NUMBER || !engine_enable(e, action) || !inheritance_note(e, action)) {
        e->matcher.out_of_memory = true;
        return false;
    }
    return !is_condition;
}

bool engine_enable(struct engine *e, uint32_t action)
{
    struct graph_action *a = &e->actions.item[action];
    if (a->round == e->round)
        return true;
    a->round = e->round;
    return vector_push(&e->enabled, action);
}

void engine_begin(struct engine *e)
{
    e->round++;
    e->enabled.count = 0;
    inheritance_begin(e);
    e->matcher.found = note_enabled;
    e->matcher.user = e;
}

bool engine_enabled_by(struct engine *e, uint32_t rule, const uint32_t *given)
{
    return match_rule(&e->matcher, &e->programs[rule], given);
}

bool engine_is_dead(struct engine *e, uint32_t graph, bool *is_dead)
{
    struct violation violation;
    *is_dead = false;
    return !e->is_constrained || (engine_load(e, graph) && find_violation(&e->present, is_dead, &violation));
}

bool engine_enabled(struct engine *e, uint32_t graph)
{
    bool is_dead, fine = engine_is_dead(e, graph, &is_dead) && engine_look_at(e, graph), any = false, all = true;
    int64_t priority = 0;
    struct heritage *heritage = inheritance_take(e, graph);
    engine_begin(e);
    for (size_t i = 0; i < e->by_priority.count && fine && !is_dead; i++) {
        uint32_t rule = e->by_priority.item[i];
        const struct program *program = &e->programs[rule];
        size_t before = e->enabled.count;
        if (any && !program->is_condition && program->rule->priority < priority) {
            all = false;
            continue;
        }
        fine = heritage && program->is_inheritable ? inheritance_match(e, program, heritage)
                                                   : engine_enabled_by(e, rule, NULL);
        if (program->is_condition || e->enabled.count == before)
            continue; /* it does not keep rules of lower priority from being tried */
        any = true;
        priority = program->rule->priority;
    }
    if (fine && all)
        e->inheritance.graph = graph;
    free(heritage);
    return fine;
}

/* ------------------------------------------------------------------- steps */

/* What an action does to a graph, in engine.effect; *changes: anything at all.  False when memory is exhausted. */
static bool find_effect(struct engine *e, uint32_t graph, uint32_t action, bool *changes)
{
    size_t length;
    const uint32_t *key = engine_key(e, action, &length);
    const struct program *p = &e->programs[key[0]];
    *changes = false;
    if (p->is_condition)
        return true;
    bool fine = engine_look_at(e, graph);
    if (fine && e->isomorphism)
        key = key_inside(e->isomorphism, p, key, &length);
    fine = fine && key && effect_find(&e->effect, p, key, length);
    *changes = fine && (e->effect.removed.count || e->effect.added.count);
    return fine;
}

uint32_t engine_change(struct engine *e, uint32_t graph, uint32_t action)
{
    bool changes;
    if (!find_effect(e, graph, action, &changes))
        return NO_NUMBER;
    return changes ? graph_change(&e->universe, graph, &e->effect.removed, &e->effect.added) : graph;
}

/* The graph up to isomorphism is found without writing out the one that the action leads to. */
uint32_t engine_apply(struct engine *e, uint32_t graph, uint32_t action)
{
    bool changes;
    uint32_t after = graph, known = e->universe.graphs.count;
    if (!find_effect(e, graph, action, &changes))
        return NO_NUMBER;
    const numbers *removed = &e->effect.removed, *added = &e->effect.added;
    if (changes)
        after = e->isomorphism ? class_of_change(e->isomorphism, &e->present, removed, added)
                               : graph_change(&e->universe, graph, removed, added);
    if (after != NO_NUMBER && after >= known && graph == e->inheritance.graph)
        inheritance_leave(e, after);
    return after;
}
