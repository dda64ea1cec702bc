/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/entities.h"

#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------------ what is offered */

struct obstacle why_no_entities(const struct engine *e)
{
    struct obstacle o = {.reason = e->isomorphism      ? "graphs are compared up to isomorphism"
                                   : e->is_constrained ? "its types have multiplicities or parts"
                                                       : NULL};
    for (size_t i = 0; i < e->by_priority.count && !o.reason; i++)
        if (e->programs[e->by_priority.item[i]].is_condition)
            o = (struct obstacle){.reason = "changes nothing, and is a step",
                                  .rule = e->programs[e->by_priority.item[i]].rule};
    return o;
}

/* -------------------------------------------------------------- its entities */

uint32_t thing_of(struct graph_view *v, enum thing_kind kind, uint32_t number, uint32_t label)
{
    bool is_new;
    return sequence_insert(&v->things, (uint32_t[]){kind, number, label}, 3, &is_new);
}

static const struct thing *thing_get(const struct graph_view *v, uint32_t thing)
{
    return (const struct thing *)(v->things.items.item + 3 * (size_t)thing);
}

bool counters_of(struct graph_view *v, uint32_t entity, bool (*give)(struct graph_view *, uint32_t, int32_t),
                 int32_t change)
{
    struct entity e = *entity_get(&v->engine->universe, entity);
    const struct counters *c = &v->counters;
    bool counts_from = counts_links(v, e.from), counts_to = counts_links(v, e.to);
    if (c->anywhere[e.label] && !give(v, thing_of(v, THING_LABEL, 0, e.label), change))
        return false;
    return e.label == v->engine->universe.node_label ||
           ((!c->out[e.label] || give(v, thing_of(v, THING_OUT, e.from, e.label), change)) &&
            (!c->in[e.label] || give(v, thing_of(v, THING_IN, e.to, e.label), change)) &&
            (!counts_from || give(v, thing_of(v, THING_DEGREE, e.from, 0), change)) &&
            (!counts_to || give(v, thing_of(v, THING_DEGREE, e.to, 0), change)));
}

static bool meet(struct graph_view *v, uint32_t thing, int32_t change)
{
    (void)v;
    (void)change;
    return thing != NO_NUMBER;
}

/* All that the start graph has is met first. */
static bool meet_start(struct graph_view *v)
{
    const struct present *p = &v->engine->present;
    bool fine = engine_load(v->engine, v->engine->initial);
    if (fine && v->engine->controller)
        fine = thing_of(v, THING_CONTROL, v->engine->initial_control, 0) != NO_NUMBER;
    for (uint32_t label = 0; fine && label <= v->engine->universe.node_label; label++)
        for (size_t i = 0; i < p->by_label[label].count && fine; i++)
            fine = thing_of(v, THING_ENTITY, p->by_label[label].item[i], 0) != NO_NUMBER &&
                   counters_of(v, p->by_label[label].item[i], meet, 0);
    return fine;
}

/* ------------------------------------------------------------------- the view */

static void close_view(void *view)
{
    struct graph_view *v = view;
    struct worlds *w = &v->worlds;
    numbers *all[] = {&v->loaded, &v->found,   &v->found_low, &v->found_high, &v->touching,
                      &w->keys,   &w->missing, &w->open,      &w->key,        &w->touched};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->item);
    free(w->touches.item);
    free(w->steps.item);
    free(v->looks.list.item);
    if (v->greatest.universe)
        present_clear(&v->greatest);
    if (v->world.universe)
        present_clear(&v->world);
    if (v->inner.universe)
        present_clear(&v->inner);
    matcher_clear(&v->finder);
    matcher_clear(&v->judge);
    matcher_clear(&v->inner_judge);
    effect_clear(&v->effect);
    effect_clear(&v->inner_effect);
    rules_clear(v);
    sequences_clear(&v->things);
    sequences_clear(&v->actions);
    counters_clear(&v->counters);
    free(v);
}

/* The rule whose skeleton is looked for. */
static const struct viewed_rule *sought_rule(const struct graph_view *v)
{
    const struct viewed_rule *r = v->rules;
    while (r->program != v->finder.program)
        r++;
    return r;
}

static bool note_match(void *user, const uint32_t *bindings, size_t count)
{
    (void)count;
    struct graph_view *v = user;
    if (!find_variants(v, sought_rule(v), bindings))
        v->finder.out_of_memory = true;
    return !v->finder.out_of_memory;
}

static bool prepare(struct graph_view *v)
{
    struct universe *u = &v->engine->universe;
    matcher_make(&v->finder, u, &v->greatest);
    v->finder.only_root = true;
    v->finder.found = note_match;
    v->finder.user = v;
    matcher_make(&v->judge, u, &v->world);
    v->judge.user = v;
    matcher_make(&v->inner_judge, u, &v->inner);
    v->inner_judge.user = v;
    v->effect = (struct effect){.universe = u, .present = &v->world};
    v->inner_effect = (struct effect){.universe = u, .present = &v->inner};
    if (!view_rules(v) || !find_counters(v) || !present_make(&v->greatest, u) || !present_make(&v->world, u) ||
        !present_make(&v->inner, u))
        return false;
    v->looks.types_change = v->counters.types_change;
    v->world.looks = v->inner.looks = &v->looks;
    return meet_start(v);
}

static void *open_view(const struct portolan_system *system)
{
    struct graph_view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->engine = engine_of_system(system);
    engine_lock(v->engine);
    bool fine = prepare(v);
    engine_unlock(v->engine);
    if (fine)
        return v;
    close_view(v);
    return NULL;
}

static uint32_t entities(const void *view)
{
    return ((const struct graph_view *)view)->things.count;
}

/* Each counter as often as an entity counts in it; the lists of the start graph are those that were met. */
static void write_initial(const void *view, uint32_t *count)
{
    const struct graph_view *v = view;
    memset(count, 0, v->things.count * sizeof *count);
    engine_lock(v->engine);
    if (!engine_load(v->engine, v->engine->initial))
        limits_run_out();
    const struct present *p = &v->engine->present;
    for (uint32_t i = 0; i < v->things.count; i++) {
        const struct thing *t = thing_get(v, i);
        const links *some = t->kind == THING_IN ? links_in(p, t->number) : links_out(p, t->number);
        if (t->kind == THING_FAILURE)
            continue;
        if (t->kind == THING_CONTROL)
            count[i] = t->number == v->engine->initial_control;
        else if (t->kind == THING_ENTITY)
            count[i] = is_present(p, t->number);
        else if (t->kind == THING_LABEL)
            count[i] = (uint32_t)p->by_label[t->label].count;
        else if (t->kind == THING_DEGREE)
            count[i] = (uint32_t)(links_out(p, t->number)->count + links_in(p, t->number)->count);
        else
            for (size_t k = 0; k < some->count; k++)
                count[i] += some->item[k].label == t->label;
    }
    engine_unlock(v->engine);
}

/* ------------------------------------------------------------------- actions */

/* Lists the entities with a count, sorted. */
static bool list_entities(const struct graph_view *v, const uint32_t *count, uint32_t known, numbers *list)
{
    bool fine = true;
    list->count = 0;
    for (uint32_t i = 0; i < known && fine; i++)
        if (count[i] && thing_get(v, i)->kind == THING_ENTITY)
            fine = vector_push(list, thing_get(v, i)->number);
    numbers_sort(list);
    return fine;
}

/* Beyond that much work in a call the caller must do without the list. */
enum { WORK_OF_CALL = 20, MOST_WORK = 20000 };

/* Those of each control state that may be there. */
static bool find_all_steps(struct graph_view *v)
{
    bool fine = true;
    for (uint32_t i = 0; i < v->known && fine; i++)
        if (v->high[i] && thing_get(v, i)->kind == THING_CONTROL)
            fine = find_steps(v, thing_get(v, i)->number);
    return fine;
}

/* (locked) Finds all actions that might be enabled with counts between these. */
static bool find_actions(struct graph_view *v, const uint32_t *low, const uint32_t *high)
{
    const struct engine *e = v->engine;
    v->known = v->things.count;
    v->low = low;
    v->high = high;
    v->found.count = 0;
    v->is_valid = v->gave_up = false;
    v->work += WORK_OF_CALL;
    v->budget = v->work + (low == high ? UINT32_MAX : MOST_WORK);
    bool fine = list_entities(v, high, v->known, &v->loaded) && present_show(&v->greatest, &v->loaded) &&
                list_entities(v, low, v->known, &v->loaded) && present_show(&v->world, &v->loaded);
    if (fine && e->controller)
        fine = find_all_steps(v);
    for (size_t i = 0; i < v->viewed.count && fine && !e->controller; i++)
        fine = match_rule_from(&v->finder, v->rules[i].program, &v->rules[i].skeleton, NULL);
    numbers_sort(&v->found);
    return fine;
}

static bool give_all(const numbers *some, const struct portolan_receiver *receiver)
{
    bool fine = true;
    for (size_t i = 0; i < some->count && fine; i++)
        fine = receiver->give(receiver->user, some->item[i]);
    return fine;
}

static bool enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver)
{
    struct graph_view *v = view;
    engine_lock(v->engine);
    bool fine = find_actions(v, count, count);
    engine_unlock(v->engine);
    return fine && give_all(&v->found, receiver);
}

static bool keep_counts(numbers *kept, const uint32_t *count, uint32_t known)
{
    kept->count = 0;
    if (!vector_reserve(kept, (size_t)known + 1))
        return false;
    memcpy(kept->item, count, known * sizeof *count);
    kept->count = known;
    return true;
}

/* Entities that were met since have no count. */
static bool are_kept(const numbers *kept, const uint32_t *count, uint32_t known)
{
    for (uint32_t i = 0; i < known; i++)
        if (count[i] != (i < kept->count ? kept->item[i] : 0))
            return false;
    return true;
}

static const struct portolan_touch *touches(const void *view, uint32_t action, uint32_t *count)
{
    size_t length;
    const uint32_t *key = sequence_get(&((const struct graph_view *)view)->actions, action, &length);
    *count = (uint32_t)((length - 1) / (sizeof(struct portolan_touch) / sizeof *key));
    return (const struct portolan_touch *)(key + 1);
}

/* It is asked for one entity after the other, with the same counts. */
static bool possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                     const struct portolan_receiver *receiver)
{
    struct graph_view *v = view;
    uint32_t count, known = v->things.count;
    bool fine = true;
    if (!v->is_valid || !are_kept(&v->found_low, low, known) || !are_kept(&v->found_high, high, known)) {
        engine_lock(v->engine);
        fine = find_actions(v, low, high);
        engine_unlock(v->engine);
        v->is_valid = fine && keep_counts(&v->found_low, low, known) && keep_counts(&v->found_high, high, known);
        fine = v->is_valid;
    }
    v->touching.count = 0;
    for (size_t i = 0; i < v->found.count && fine; i++) {
        const struct portolan_touch *touch = touches(v, v->found.item[i], &count);
        for (uint32_t k = 0; k < count && fine; k++)
            if (touch[k].entity == entity)
                fine = vector_push(&v->touching, v->found.item[i]);
    }
    return fine && give_all(&v->touching, receiver);
}

static uint32_t action_of(const void *view, uint32_t action)
{
    size_t length;
    return sequence_get(&((const struct graph_view *)view)->actions, action, &length)[0];
}

static bool has_failed(const struct graph_view *v, const uint32_t *count)
{
    for (uint32_t i = 0; i < v->things.count; i++)
        if (thing_get(v, i)->kind == THING_FAILURE)
            return count[i];
    return false;
}

static uint32_t control_of(const struct graph_view *v, const uint32_t *count)
{
    for (uint32_t i = 0; i < v->things.count; i++)
        if (count[i] && thing_get(v, i)->kind == THING_CONTROL)
            return thing_get(v, i)->number;
    return v->engine->initial_control;
}

static enum portolan_fired write_state(const void *view, const uint32_t *count, void *state)
{
    struct graph_view *v = (struct graph_view *)view;
    struct graph_state *s = state;
    numbers *list = &v->touching;
    engine_lock(v->engine);
    s->graph = list_entities(v, count, v->things.count, list) ? graph_of(&v->engine->universe, list) : NO_NUMBER;
    s->control = control_of(v, count);
    engine_unlock(v->engine);
    if (s->graph == NO_NUMBER) {
        s->graph = v->engine->initial;
        limits_run_out();
    }
    return has_failed(v, count) ? PORTOLAN_TOO_LARGE : PORTOLAN_FIRED;
}

static bool gave_up(const void *view)
{
    return ((const struct graph_view *)view)->gave_up;
}

static uint64_t work(const void *view)
{
    return ((const struct graph_view *)view)->work;
}

static const struct portolan_entities graph_view_of_entities = {.size = sizeof(struct portolan_entities),
                                                                .name = "graph",
                                                                .open = open_view,
                                                                .close = close_view,
                                                                .entities = entities,
                                                                .initial = write_initial,
                                                                .enabled = enabled,
                                                                .possible = possible,
                                                                .touches = touches,
                                                                .action = action_of,
                                                                .state = write_state,
                                                                .gave_up = gave_up,
                                                                .work = work};

const struct portolan_entities *const graph_entities[] = {&graph_view_of_entities, NULL};
