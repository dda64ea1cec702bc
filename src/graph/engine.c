/* SPDX-License-Identifier: Apache-2.0 */
/* Steps between graphs: the applications of rules that a graph enables, and where they lead. */
#include "graph/engine.h"

#include "base/limits.h"
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
    uint32_t action = engine_action(e, key, is_condition && key[length - 1] != FAILED_NODE ? 1 : length);
    if (action == NO_NUMBER || !vector_reserve(&e->enabled, 1)) {
        e->matcher.out_of_memory = true;
        return false;
    }
    struct graph_action *a = &e->actions.item[action];
    if (a->round != e->round)
        e->enabled.item[e->enabled.count++] = action;
    a->round = e->round;
    return !is_condition;
}

void engine_begin(struct engine *e)
{
    e->round++;
    e->enabled.count = 0;
    e->matcher.found = note_enabled;
    e->matcher.user = e;
}

bool engine_enabled_by(struct engine *e, uint32_t rule, const uint32_t *given)
{
    return match_rule(&e->matcher, &e->programs[rule], given);
}

bool engine_enabled(struct engine *e, uint32_t graph)
{
    bool fine = engine_load(e, graph), any = false;
    int64_t priority = 0;
    engine_begin(e);
    for (size_t i = 0; i < e->by_priority.count && fine; i++) {
        uint32_t rule = e->by_priority.item[i];
        const struct program *program = &e->programs[rule];
        size_t before = e->enabled.count;
        if (any && !program->is_condition && program->rule->priority < priority)
            continue;
        fine = engine_enabled_by(e, rule, NULL);
        if (program->is_condition || e->enabled.count == before)
            continue; /* it does not keep rules of lower priority from being tried */
        any = true;
        priority = program->rule->priority;
    }
    return fine;
}

/* ------------------------------------------------------------------- steps */

uint32_t engine_change(struct engine *e, uint32_t graph, uint32_t action)
{
    size_t length;
    const uint32_t *key = engine_key(e, action, &length);
    const struct program *p = &e->programs[key[0]];
    if (p->is_condition)
        return graph;
    if (!engine_load(e, graph) || !effect_find(&e->effect, p, key, length))
        return NO_NUMBER;
    return graph_change(&e->universe, graph, &e->effect.removed, &e->effect.added);
}

uint32_t engine_apply(struct engine *e, uint32_t graph, uint32_t action)
{
    uint32_t after = engine_change(e, graph, action);
    return e->isomorphism && after != NO_NUMBER && after != graph ? canonical_graph(e->isomorphism, after) : after;
}
