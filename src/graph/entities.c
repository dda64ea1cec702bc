/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/entities.h"

#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------------ what is offered */

static bool is_own(const struct rule *r, uint32_t node, uint32_t embargo)
{
    return r->nodes.item[node].embargo == embargo;
}

const struct rule_edge *embargo_link(const struct rule *r, uint32_t embargo)
{
    for (size_t i = 0; i < r->edges.count; i++) {
        const struct rule_edge *e = &r->edges.item[i];
        if (e->role == ROLE_EMBARGO && e->embargo == embargo && e->kind == EDGE_LABEL &&
            is_own(r, e->from, embargo) != is_own(r, e->to, embargo))
            return e;
    }
    return NULL;
}

/* It has no node of its own, or one that an edge leads to from elsewhere. */
static bool is_simple_embargo(const struct rule *r, uint32_t embargo)
{
    size_t nodes = 0, edges = 0;
    for (uint32_t i = 0; i < r->nodes.count; i++) {
        nodes += is_own(r, i, embargo);
        if (is_own(r, i, embargo) && r->nodes.item[i].sort != SORT_NONE)
            return false;
    }
    for (size_t i = 0; i < r->edges.count; i++)
        edges += r->edges.item[i].role == ROLE_EMBARGO && r->edges.item[i].embargo == embargo;
    return edges > 0 && (nodes == 0 || (nodes == 1 && embargo_link(r, embargo)));
}

static const char *why_not_edge(const struct rule_edge *e)
{
    if (e->kind == EDGE_PATH || e->kind == EDGE_CHOICE)
        return "has path expressions or wildcards";
    return e->is_negated || (e->kind == EDGE_EQUAL && e->role < ROLE_EMBARGO) ? "merges or compares nodes" : NULL;
}

static const char *why_not_node(const struct rule_node *n)
{
    return n->type_variable != NO_NUMBER ? "has path expressions or wildcards" : NULL;
}

static const char *why_not_whole(const struct program *p)
{
    enum { MOST_IMAGES = 64 };
    const struct rule *r = p->rule;
    if (p->is_condition)
        return "changes nothing, and is a step";
    if (r->levels.count > 1)
        return "has quantifiers";
    if (r->operations.count || p->levels[0].anchor.count > MOST_IMAGES)
        return "computes values";
    for (uint32_t i = 0; i < r->embargoes.count; i++)
        if (!is_simple_embargo(r, i))
            return "has an embargo with several nodes of its own, or one that is not connected";
    return r->paths.count || r->choices.count || r->label_variables ? "has path expressions or wildcards" : NULL;
}

static struct obstacle why_not_rule(const struct program *p)
{
    const struct rule *r = p->rule;
    for (size_t i = 0; i < r->edges.count; i++)
        if (why_not_edge(&r->edges.item[i]))
            return (struct obstacle){why_not_edge(&r->edges.item[i]), r, r->edges.item[i].line,
                                     r->edges.item[i].column};
    for (size_t i = 0; i < r->nodes.count; i++)
        if (why_not_node(&r->nodes.item[i]))
            return (struct obstacle){why_not_node(&r->nodes.item[i]), r, r->nodes.item[i].line,
                                     r->nodes.item[i].column};
    return (struct obstacle){.reason = why_not_whole(p), .rule = r};
}

struct obstacle why_no_entities(const struct engine *e)
{
    struct obstacle o = {.reason = e->isomorphism      ? "graphs are compared up to isomorphism"
                                   : e->controller     ? "there is a control program"
                                   : e->is_constrained ? "its types have multiplicities or parts"
                                                       : NULL};
    for (size_t i = 0; i < e->by_priority.count && !o.reason; i++) {
        const struct program *p = &e->programs[e->by_priority.item[i]];
        o = why_not_rule(p);
        if (p->rule->priority != e->programs[e->by_priority.item[0]].rule->priority)
            o = (struct obstacle){.reason = "has another priority than others", .rule = p->rule};
    }
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

/* An embargo does not mean values, so edges to them are not counted; see fits() in match.c. */
bool counters_of(struct graph_view *v, uint32_t entity, bool (*give)(struct graph_view *, uint32_t, int32_t),
                 int32_t change)
{
    struct entity e = *entity_get(&v->engine->universe, entity);
    bool to_value = value_of_node(&v->engine->universe, e.to) != NO_NUMBER;
    if (e.label == v->engine->universe.node_label)
        return true;
    return (!v->counts_out[e.label] || to_value || give(v, thing_of(v, THING_OUT, e.from, e.label), change)) &&
           (!v->counts_in[e.label] || give(v, thing_of(v, THING_IN, e.to, e.label), change)) &&
           (!v->counts_links || give(v, thing_of(v, THING_DEGREE, e.from, 0), change)) &&
           (!v->counts_links || to_value || give(v, thing_of(v, THING_DEGREE, e.to, 0), change));
}

/* The counters that rules ask for. */
static void find_counters(struct graph_view *v)
{
    const struct engine *e = v->engine;
    for (size_t i = 0; i < e->by_priority.count; i++) {
        const struct rule *r = e->programs[e->by_priority.item[i]].rule;
        for (size_t n = 0; n < r->nodes.count; n++)
            v->counts_links |= r->nodes.item[n].role == ROLE_ERASER;
        for (uint32_t k = 0; k < r->embargoes.count; k++) {
            const struct rule_edge *edge = embargo_link(r, k);
            if (edge)
                (is_own(r, edge->to, k) ? v->counts_out : v->counts_in)[edge->label] = true;
        }
    }
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
    struct variant_draft *d = &v->draft;
    numbers *all[] = {&v->loaded, &v->found,   &v->found_low, &v->found_high, &v->touching,
                      &d->image,  &d->deleted, &d->erased,    &d->links,      &d->gone,
                      &d->there,  &d->missing, &d->added,     &d->key,        &d->seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->item);
    free(d->touches.item);
    free(d->candidates.item);
    if (v->present.universe)
        present_clear(&v->present);
    matcher_clear(&v->matcher);
    sequences_clear(&v->things);
    sequences_clear(&v->actions);
    free(v->counts_out);
    free(v->counts_in);
    free(v);
}

static bool note_match(void *user, const uint32_t *key, size_t length)
{
    struct graph_view *v = user;
    if (!find_variants(v, key, length))
        v->matcher.out_of_memory = true;
    return !v->matcher.out_of_memory;
}

static void *open_view(const struct portolan_system *system)
{
    struct graph_view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->engine = engine_of_system(system);
    engine_lock(v->engine);
    size_t labels = v->engine->grammar->labels.count + 1;
    v->counts_out = calloc(labels, sizeof *v->counts_out);
    v->counts_in = calloc(labels, sizeof *v->counts_in);
    matcher_make(&v->matcher, &v->engine->universe, &v->present);
    v->matcher.keeps_all = v->matcher.ignores_embargoes = true;
    v->matcher.found = note_match;
    v->matcher.user = v;
    bool fine = v->counts_out && v->counts_in && present_make(&v->present, &v->engine->universe);
    if (fine)
        find_counters(v);
    fine = fine && meet_start(v);
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
    const struct universe *u = &v->engine->universe;
    memset(count, 0, v->things.count * sizeof *count);
    engine_lock(v->engine);
    if (!engine_load(v->engine, v->engine->initial))
        limits_run_out();
    const struct present *p = &v->engine->present;
    for (uint32_t i = 0; i < v->things.count; i++) {
        const struct thing *t = thing_get(v, i);
        const links *some = t->kind == THING_IN ? links_in(p, t->number) : links_out(p, t->number);
        if (t->kind == THING_ENTITY)
            count[i] = is_present(p, t->number);
        else if (t->kind == THING_DEGREE)
            count[i] = (uint32_t)(links_out(p, t->number)->count + links_in(p, t->number)->count);
        else
            for (size_t k = 0; k < some->count; k++)
                count[i] += some->item[k].label == t->label &&
                            (t->kind == THING_IN || value_of_node(u, some->item[k].other) == NO_NUMBER);
    }
    engine_unlock(v->engine);
}

/* ------------------------------------------------------------------- actions */

/* Lists the entities with a count in v->loaded, sorted; those before go to `before`. */
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

/* (locked) Finds all actions that might be enabled with counts between these. */
static bool find_actions(struct graph_view *v, const uint32_t *low, const uint32_t *high)
{
    const struct engine *e = v->engine;
    v->known = v->things.count;
    v->low = low;
    v->high = high;
    v->found.count = 0;
    v->is_valid = false;
    bool fine = list_entities(v, high, v->known, &v->loaded) && present_show(&v->present, &v->loaded);
    for (size_t i = 0; i < e->by_priority.count && fine; i++)
        fine = match_rule(&v->matcher, &e->programs[e->by_priority.item[i]], NULL);
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

static enum portolan_fired write_state(const void *view, const uint32_t *count, void *state)
{
    struct graph_view *v = (struct graph_view *)view;
    struct graph_state *s = state;
    numbers *list = &v->touching;
    engine_lock(v->engine);
    s->graph = list_entities(v, count, v->things.count, list) ? graph_of(&v->engine->universe, list) : NO_NUMBER;
    s->control = v->engine->initial_control;
    engine_unlock(v->engine);
    if (s->graph == NO_NUMBER) {
        s->graph = v->engine->initial;
        limits_run_out();
    }
    return PORTOLAN_FIRED;
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
                                                                .state = write_state};

const struct portolan_entities *const graph_entities[] = {&graph_view_of_entities, NULL};
