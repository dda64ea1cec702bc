/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A match as actions of a system of entities.
 *
 * The skeleton of the root was found in the greatest graph.  Whether the rule can be applied there, and what it does,
 * depends on what else it looks at: embargoes, levels below, paths, rules with a higher priority, edges that vanish or
 * are there already.  So the match is tried in a graph that has only what is there for certain, and what the match
 * needs.  An entity that is looked at and may be there or not is decided both ways, one world for each.  In a world in
 * which all is decided that is looked at, the looks are the conditions of the action: an entity is there, or it is
 * not, and a counter says that there are no others.  Actions of different worlds are never enabled together.
 */
#include "graph/entities.h"

#include "base/limits.h"
#include "graph/control_engine.h"

#include <string.h>

enum { WORK_OF_LOOKING = 30, WORK_OF_KEEPING = 100 }; /* about as many times 200 instructions, on small graphs */

/* ----------------------------------------------------------------- touches */

/* The touch of an entity of the view, made when there is none; NULL when memory is exhausted. */
static struct portolan_touch *touch(struct graph_view *v, uint32_t thing)
{
    struct worlds *w = &v->worlds;
    if (thing == NO_NUMBER || (thing >= w->touched.count && !vector_reserve(&w->touched, thing + 1 - w->touched.count)))
        return NULL;
    while (w->touched.count <= thing)
        w->touched.item[w->touched.count++] = 0;
    if (!w->touched.item[thing]) {
        if (!vector_push(&w->touches, ((struct portolan_touch){.entity = thing, .high = UINT32_MAX})))
            return NULL;
        w->touched.item[thing] = (uint32_t)w->touches.count;
    }
    return &w->touches.item[w->touched.item[thing] - 1];
}

/* A world has one count for each, so nothing contradicts it. */
static bool require(struct graph_view *v, uint32_t thing, uint32_t count)
{
    struct portolan_touch *t = touch(v, thing);
    if (t)
        t->low = t->high = count;
    return t;
}

static bool add_to(struct graph_view *v, uint32_t thing, int32_t change)
{
    struct portolan_touch *t = touch(v, thing);
    if (t)
        t->change += change;
    return t;
}

static bool require_entity(struct graph_view *v, uint32_t entity)
{
    return entity != NO_NUMBER && require(v, thing_of(v, THING_ENTITY, entity, 0), is_present(&v->world, entity));
}

static bool change_entity(struct graph_view *v, uint32_t entity, int32_t change)
{
    return require_entity(v, entity) && add_to(v, thing_of(v, THING_ENTITY, entity, 0), change) &&
           counters_of(v, entity, add_to, change);
}

static bool require_links(struct graph_view *v, const links *some, uint32_t label, uint32_t *count)
{
    bool fine = true;
    for (size_t i = 0; i < some->count && fine; i++)
        if (label == NO_NUMBER || some->item[i].label == label) {
            fine = require_entity(v, some->item[i].entity);
            ++*count;
        }
    return fine;
}

/* What was looked at is as it is in this world. */
static bool require_look(struct graph_view *v, const struct look *look)
{
    struct universe *u = &v->engine->universe;
    const struct counters *c = &v->counters;
    uint32_t count = 0;
    switch (look->kind) {
    case LOOK_NODE: return require_entity(v, entity_of(u, look->node, u->node_label, look->node));
    case LOOK_EDGE: return require_entity(v, entity_of(u, look->node, look->label, look->other));
    case LOOK_OUT:
        return c->out[look->label] && require_links(v, links_out(&v->world, look->node), look->label, &count) &&
               require(v, thing_of(v, THING_OUT, look->node, look->label), count);
    case LOOK_IN:
        return c->in[look->label] && require_links(v, links_in(&v->world, look->node), look->label, &count) &&
               require(v, thing_of(v, THING_IN, look->node, look->label), count);
    case LOOK_LINKS:
        return counts_links(v, look->node) && require_links(v, links_out(&v->world, look->node), NO_NUMBER, &count) &&
               require_links(v, links_in(&v->world, look->node), NO_NUMBER, &count) &&
               require(v, thing_of(v, THING_DEGREE, look->node, 0), count);
    default: break;
    }
    const numbers *all = &v->world.by_label[look->label];
    bool fine = c->anywhere[look->label];
    for (size_t i = 0; i < all->count && fine; i++)
        fine = require_entity(v, all->item[i]);
    return fine && require(v, thing_of(v, THING_LABEL, 0, look->label), (uint32_t)all->count);
}

static int compare_touches(const void *a, const void *b)
{
    const struct portolan_touch *x = a, *y = b;
    return x->entity < y->entity ? -1 : x->entity > y->entity;
}

/* By entity; those that ask for nothing and change nothing are dropped. */
static void order_touches(struct worlds *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->touches.count; i++) {
        const struct portolan_touch *t = &w->touches.item[i];
        w->touched.item[t->entity] = 0;
        if (t->change || t->low || t->high != UINT32_MAX)
            w->touches.item[kept++] = *t;
    }
    w->touches.count = kept;
    qsort(w->touches.item, kept, sizeof *w->touches.item, compare_touches);
}

/* ----------------------------------------------------------------- actions */

static bool is_allowed(const struct graph_view *v)
{
    for (size_t i = 0; i < v->worlds.touches.count; i++) {
        const struct portolan_touch *t = &v->worlds.touches.item[i];
        uint32_t low = t->entity < v->known ? v->low[t->entity] : 0;
        uint32_t high = t->entity < v->known ? v->high[t->entity] : 0;
        if (t->low > high || t->high < low)
            return false;
    }
    return true;
}

static bool keep_action(struct graph_view *v, uint32_t engine_action)
{
    struct worlds *w = &v->worlds;
    bool is_new;
    w->key.count = 0;
    bool fine = engine_action != NO_NUMBER && vector_push(&w->key, engine_action);
    for (size_t i = 0; i < w->touches.count && fine; i++) {
        const struct portolan_touch *t = &w->touches.item[i];
        fine = vector_push(&w->key, t->entity) && vector_push(&w->key, t->low) && vector_push(&w->key, t->high) &&
               vector_push(&w->key, (uint32_t)t->change);
    }
    uint32_t action = fine ? sequence_insert(&v->actions, w->key.item, w->key.count, &is_new) : SEQUENCE_NONE;
    return action != SEQUENCE_NONE && vector_push(&v->found, action);
}

static bool has_failed(const uint32_t *key, size_t length)
{
    return length == 2 && key[1] == FAILED_NODE;
}

static bool change_all(struct graph_view *v, const uint32_t *key, size_t length)
{
    if (has_failed(key, length))
        return add_to(v, thing_of(v, THING_FAILURE, 0, 0), 1);
    bool fine = effect_find(&v->effect, v->worlds.rule->program, key, length);
    for (size_t i = 0; i < v->effect.removed.count && fine; i++)
        fine = change_entity(v, v->effect.removed.item[i], -1);
    for (size_t i = 0; i < v->effect.added.count && fine; i++)
        fine = change_entity(v, v->effect.added.item[i], 1);
    return fine;
}

/* What a step under control does. */
static bool change_by_step(struct graph_view *v, const struct control_step *step)
{
    struct worlds *w = &v->worlds;
    numbers removed = {0}, added = {0};
    uint32_t before = thing_of(v, THING_CONTROL, w->control, 0);
    bool fine = require(v, before, 1);
    if (step->fails)
        return fine && add_to(v, thing_of(v, THING_FAILURE, 0, 0), 1);
    if (step->control != w->control) {
        uint32_t after = thing_of(v, THING_CONTROL, step->control, 0);
        fine = fine && add_to(v, before, -1) && require(v, after, 0) && add_to(v, after, 1);
    }
    fine = fine && graph_difference(&v->engine->universe, w->graph, step->graph, &removed, &added);
    for (size_t i = 0; i < removed.count && fine; i++)
        fine = change_entity(v, removed.item[i], -1);
    for (size_t i = 0; i < added.count && fine; i++)
        fine = change_entity(v, added.item[i], 1);
    free(removed.item);
    free(added.item);
    return fine;
}

static bool require_looks(struct graph_view *v)
{
    bool fine = true;
    v->worlds.touches.count = 0;
    v->work += WORK_OF_KEEPING;
    for (size_t i = 0; i < v->looks.list.count && fine; i++)
        fine = require_look(v, &v->looks.list.item[i]);
    return fine;
}

static bool keep_steps(struct graph_view *v)
{
    struct worlds *w = &v->worlds;
    bool fine = true;
    for (size_t i = 0; i < w->steps.count && fine; i++) {
        fine = require_looks(v) && change_by_step(v, &w->steps.item[i]);
        order_touches(w);
        fine = fine &&
               (!is_allowed(v) || keep_action(v, action_of_step(v->engine, w->graph, &w->steps, &w->steps.item[i])));
    }
    return fine;
}

/* All that is looked at is decided: the applications in this world are actions. */
static bool keep_actions(struct graph_view *v)
{
    struct worlds *w = &v->worlds;
    bool fine = true;
    v->looks.is_off = true;
    if (v->engine->controller)
        fine = keep_steps(v);
    for (size_t at = 0; at < w->keys.count && fine; at += 1 + w->keys.item[at]) {
        const uint32_t *key = w->keys.item + at + 1;
        size_t length = w->keys.item[at];
        fine = require_looks(v) && change_all(v, key, length);
        order_touches(w);
        fine = fine && (!is_allowed(v) || keep_action(v, engine_action(v->engine, key, length)));
    }
    v->looks.is_off = false;
    return fine;
}

/* ------------------------------------------------------------------ worlds */

static bool note_key(void *user, const uint32_t *key, size_t length)
{
    struct graph_view *v = user;
    struct worlds *w = &v->worlds;
    bool fine = vector_push(&w->keys, (uint32_t)length);
    for (size_t i = 0; i < length && fine; i++)
        fine = vector_push(&w->keys, key[i]);
    v->judge.out_of_memory |= !fine;
    return fine;
}

static bool note_higher(void *user, const uint32_t *key, size_t length)
{
    (void)key;
    (void)length;
    ((struct graph_view *)user)->worlds.gives_way = true;
    return false;
}

/* Is a rule with a higher priority in the way?  Rules come by priority. */
static bool look_higher(struct graph_view *v)
{
    const struct rule *own = v->worlds.rule->program->rule;
    bool fine = true;
    v->judge.found = note_higher;
    for (const struct viewed_rule *r = v->rules; fine && !v->worlds.gives_way; r++) {
        if (r->program->rule->priority <= own->priority)
            break;
        fine = match_rule(&v->judge, r->program, NULL);
    }
    return fine;
}

/* The nodes of the root are there; of edges and types the matcher makes sure. */
static void look_at_nodes(struct graph_view *v)
{
    const struct rule *r = v->worlds.rule->program->rule;
    for (uint32_t i = 0; i < r->nodes.count; i++) {
        uint32_t image = v->worlds.bindings[i];
        if (image != NO_NUMBER && value_of_node(&v->engine->universe, image) == NO_NUMBER)
            looks_note(&v->looks, (struct look){LOOK_NODE, image, 0, 0});
    }
}

/* Finds the applications of this world, and what must be looked at for that. */
static bool look_around(struct graph_view *v)
{
    struct worlds *w = &v->worlds;
    v->looks.list.count = w->keys.count = 0;
    w->gives_way = false;
    v->work += WORK_OF_LOOKING;
    v->judge.found = note_key;
    look_at_nodes(v);
    bool fine = match_rule_at(&v->judge, w->rule->program, w->bindings);
    w->is_hopeless = w->rule->is_single && v->judge.is_hopeless && w->keys.count == 0;
    if (v->engine->controller) {
        w->keys.count = w->steps.count = 0;
        return fine && (w->is_hopeless || look_for_steps(v)) && !v->looks.no_memory;
    }
    fine = fine && (w->keys.count == 0 || look_higher(v));
    for (size_t at = 0; at < w->keys.count && fine && !w->gives_way; at += 1 + w->keys.item[at])
        fine = has_failed(w->keys.item + at + 1, w->keys.item[at]) ||
               effect_find(&v->effect, w->rule->program, w->keys.item + at + 1, w->keys.item[at]);
    if (w->gives_way)
        w->keys.count = 0;
    return fine && !v->looks.no_memory;
}

/* Could it be there, and is it not decided? */
static bool is_open(const struct graph_view *v, uint32_t entity)
{
    const numbers *missing = &v->worlds.missing;
    return is_present(&v->greatest, entity) && !is_present(&v->world, entity) &&
           !(entity < missing->count && missing->item[entity]);
}

/* An edge is there only if its ends are, so these are decided first. */
static bool open_entity(struct graph_view *v, uint32_t entity)
{
    struct universe *u = &v->engine->universe;
    struct entity e = *entity_get(u, entity);
    bool fine = true, ends_are_there = true;
    if (!is_open(v, entity))
        return true;
    for (int i = 0; i < 2 && fine && e.label != u->node_label; i++) {
        uint32_t end = i ? e.to : e.from;
        uint32_t node = value_of_node(u, end) == NO_NUMBER ? entity_of(u, end, u->node_label, end) : NO_NUMBER;
        if (node == NO_NUMBER || is_present(&v->world, node))
            continue;
        ends_are_there = false;
        fine = !is_open(v, node) || vector_push(&v->worlds.open, node);
    }
    return fine && (!ends_are_there || vector_push(&v->worlds.open, entity));
}

static bool open_links(struct graph_view *v, const links *some, uint32_t label)
{
    bool fine = true;
    for (size_t i = 0; i < some->count && fine; i++)
        if (label == NO_NUMBER || some->item[i].label == label)
            fine = open_entity(v, some->item[i].entity);
    return fine;
}

/* Appends what a look might also have seen to worlds.open. */
static bool open_look(struct graph_view *v, const struct look *look)
{
    struct universe *u = &v->engine->universe;
    const struct present *all = &v->greatest;
    bool fine = true;
    switch (look->kind) {
    case LOOK_NODE: return open_entity(v, entity_of(u, look->node, u->node_label, look->node));
    case LOOK_EDGE: return open_entity(v, entity_of(u, look->node, look->label, look->other));
    case LOOK_OUT: return open_links(v, links_out(all, look->node), look->label);
    case LOOK_IN: return open_links(v, links_in(all, look->node), look->label);
    case LOOK_LINKS:
        return open_links(v, links_out(all, look->node), NO_NUMBER) &&
               open_links(v, links_in(all, look->node), NO_NUMBER);
    default: break;
    }
    for (size_t i = 0; i < all->by_label[look->label].count && fine; i++)
        fine = open_entity(v, all->by_label[look->label].item[i]);
    return fine;
}

static void decide_missing(struct graph_view *v, uint32_t entity, bool is_missing)
{
    if (entity < v->worlds.missing.count)
        v->worlds.missing.item[entity] = is_missing;
}

/* Where types do not change, a node is never without its own: nobody looks whether it may get one. */
static uint32_t own_type(const struct graph_view *v, uint32_t entity)
{
    const struct universe *u = &v->engine->universe;
    const struct entity *e = entity_get(u, entity);
    const links *out = links_out(&v->greatest, e->from);
    for (size_t i = 0; i < out->count && e->label == u->node_label && !v->counters.types_change; i++)
        if (u->grammar->labels.item[out->item[i].label].kind == LABEL_TYPE && out->item[i].other == e->from)
            return out->item[i].entity;
    return NO_NUMBER;
}

static bool put(struct graph_view *v, uint32_t entity)
{
    uint32_t type = own_type(v, entity);
    return present_put(&v->world, entity) &&
           (type == NO_NUMBER || is_present(&v->world, type) || present_put(&v->world, type));
}

static void take(struct graph_view *v, uint32_t entity)
{
    uint32_t type = own_type(v, entity);
    if (type != NO_NUMBER)
        present_take(&v->world, type);
    present_take(&v->world, entity);
}

static bool explore(struct graph_view *v);

/* The worlds in which the first of some entities that is there is this one or that one, then that in which none is. */
static bool decide(struct graph_view *v, const numbers *open)
{
    bool fine = true;
    for (size_t i = 0; i < open->count && fine; i++) {
        fine = put(v, open->item[i]) && explore(v);
        take(v, open->item[i]);
        decide_missing(v, open->item[i], true);
    }
    fine = fine && look_around(v) && keep_actions(v);
    for (size_t i = 0; i < open->count; i++)
        decide_missing(v, open->item[i], false);
    return fine;
}

/* Every world that agrees with what is decided. */
static bool explore(struct graph_view *v)
{
    struct worlds *w = &v->worlds;
    if (limits_reached() || v->work > v->budget) {
        v->gave_up = v->work > v->budget;
        return false;
    }
    if (!look_around(v))
        return false;
    if (w->is_hopeless)
        return true;
    w->open.count = 0;
    for (size_t i = 0; i < v->looks.list.count; i++)
        if (!open_look(v, &v->looks.list.item[i]))
            return false;
    if (w->open.count == 0)
        return keep_actions(v);
    numbers_sort(&w->open);
    numbers open = w->open;
    w->open = (numbers){0};
    bool fine = decide(v, &open);
    free(open.item);
    return fine;
}

/* --------------------------------------------------------------- beginning */

/* Puts what the match of the root needs into the world, and notes it. */
static bool need(struct graph_view *v, numbers *needed, uint32_t entity)
{
    if (entity == NO_NUMBER || is_present(&v->world, entity))
        return entity != NO_NUMBER;
    return vector_push(needed, entity) && put(v, entity);
}

static bool need_match(struct graph_view *v, const struct viewed_rule *rule, const uint32_t *bindings, numbers *needed)
{
    struct universe *u = &v->engine->universe;
    const struct rule *r = rule->program->rule;
    bool fine = true;
    for (uint32_t i = 0; i < r->nodes.count && fine; i++)
        if (bindings[i] != NO_NUMBER && value_of_node(u, bindings[i]) == NO_NUMBER)
            fine = need(v, needed, entity_of(u, bindings[i], u->node_label, bindings[i]));
    for (size_t i = 0; i < rule->skeleton.count && fine; i++) {
        const struct rule_edge *e = &r->edges.item[rule->skeleton.item[i].item];
        if (rule->skeleton.item[i].kind != STEP_EDGE)
            continue;
        uint32_t label = e->kind == EDGE_LABEL ? e->label : bindings[label_binding(r, rule->skeleton.item[i].item)];
        fine = need(v, needed, entity_of(u, bindings[e->from], label, bindings[e->to]));
    }
    return fine;
}

static bool make_room_for_missing(struct graph_view *v)
{
    numbers *missing = &v->worlds.missing;
    size_t entities = v->engine->universe.entities.count;
    if (entities > missing->count && !vector_reserve(missing, entities - missing->count))
        return false;
    while (missing->count < entities)
        missing->item[missing->count++] = false;
    return true;
}

bool find_variants(struct graph_view *v, const struct viewed_rule *rule, const uint32_t *bindings)
{
    numbers needed = {0};
    v->worlds.rule = rule;
    v->worlds.bindings = bindings;
    bool fine = make_room_for_missing(v) && need_match(v, rule, bindings, &needed) && explore(v);
    for (size_t i = 0; i < needed.count; i++)
        take(v, needed.item[i]);
    free(needed.item);
    return fine;
}
