/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A match as actions of a system of entities.
 *
 * A match leaves open whether an edge that it creates is there already, which edges vanish with a node that it deletes,
 * which edge of an embargo is missing, and how many nodes of the name of a new one are there.  There is an action for
 * each way to decide that; two of them are never enabled together.  The edges at a deleted node are decided one by one,
 * and the counter of the node says that there are no others, whatever is met later.  Of these ways only those are
 * followed that the counts of the call allow: in a graph there is one.
 */
#include "graph/entities.h"

#include "base/limits.h"

#include <string.h>

static uint32_t lowest(const struct graph_view *v, uint32_t thing)
{
    return thing < v->known ? v->low[thing] : 0;
}

static uint32_t highest(const struct graph_view *v, uint32_t thing)
{
    return thing < v->known ? v->high[thing] : 0;
}

static bool has(const numbers *some, uint32_t number)
{
    for (size_t i = 0; i < some->count; i++)
        if (some->item[i] == number)
            return true;
    return false;
}

/* ----------------------------------------------------------------- touches */

static struct portolan_touch *touch_of(struct graph_view *v, uint32_t thing)
{
    struct variant_draft *d = &v->draft;
    for (size_t i = 0; i < d->touches.count; i++)
        if (d->touches.item[i].entity == thing)
            return &d->touches.item[i];
    struct portolan_touch touch = {.entity = thing, .high = UINT32_MAX};
    return thing != NO_NUMBER && vector_push(&d->touches, touch) ? &d->touches.item[d->touches.count - 1] : NULL;
}

static bool require(struct graph_view *v, uint32_t thing, uint32_t count)
{
    struct portolan_touch *touch = touch_of(v, thing);
    if (!touch)
        return false;
    touch->low = touch->low > count ? touch->low : count; /* two counts: none will do */
    touch->high = touch->high < count ? touch->high : count;
    return true;
}

static bool require_entity(struct graph_view *v, uint32_t entity, uint32_t count)
{
    return entity != NO_NUMBER && require(v, thing_of(v, THING_ENTITY, entity, 0), count);
}

static bool require_all(struct graph_view *v, const numbers *entities, uint32_t count)
{
    bool fine = true;
    for (size_t i = 0; i < entities->count && fine; i++)
        fine = require_entity(v, entities->item[i], count);
    return fine;
}

static bool add_to(struct graph_view *v, uint32_t thing, int32_t change)
{
    struct portolan_touch *touch = touch_of(v, thing);
    if (touch)
        touch->change += change;
    return touch;
}

static bool change_entity(struct graph_view *v, uint32_t entity, int32_t change)
{
    return entity != NO_NUMBER && require_entity(v, entity, change < 0) &&
           add_to(v, thing_of(v, THING_ENTITY, entity, 0), change) && counters_of(v, entity, add_to, change);
}

/* ------------------------------------------------------ from draft to action */

static uint32_t image_of(const struct graph_view *v, uint32_t node)
{
    return v->draft.image.item[node];
}

static uint32_t entity_of_node(struct graph_view *v, uint32_t node)
{
    struct universe *u = &v->engine->universe;
    return entity_of(u, node, u->node_label, node);
}

static uint32_t entity_of_edge(struct graph_view *v, const struct rule_edge *e)
{
    return entity_of(&v->engine->universe, image_of(v, e->from), e->label, image_of(v, e->to));
}

static bool is_value(const struct graph_view *v, uint32_t node)
{
    return value_of_node(&v->engine->universe, node) != NO_NUMBER;
}

static bool is_of_type(const struct grammar *g, const struct rule_node *n, const struct link *link, uint32_t node)
{
    return link->other == node && g->labels.item[link->label].kind == LABEL_TYPE &&
           (link->label == n->type || (!n->is_exact_type && is_subtype(g, link->label, n->type)));
}

/* A node keeps its type for life, so one label will do. */
static bool require_type(struct graph_view *v, const struct rule_node *n, uint32_t image)
{
    const links *out = links_out(&v->present, image);
    for (size_t i = 0; i < out->count && n->type != NO_NUMBER; i++)
        if (is_of_type(v->engine->grammar, n, &out->item[i], image))
            return require_entity(v, out->item[i].entity, 1);
    return true;
}

static bool require_match(struct graph_view *v)
{
    const struct rule *r = v->draft.program->rule;
    bool fine = true;
    for (uint32_t i = 0; i < r->nodes.count && fine; i++)
        if (r->nodes.item[i].role <= ROLE_ERASER && !is_value(v, image_of(v, i)))
            fine = require_entity(v, entity_of_node(v, image_of(v, i)), 1) &&
                   require_type(v, &r->nodes.item[i], image_of(v, i));
    for (size_t i = 0; i < r->edges.count && fine; i++)
        if (r->edges.item[i].role <= ROLE_ERASER)
            fine = require_entity(v, entity_of_edge(v, &r->edges.item[i]), 1);
    return fine;
}

/* The candidates that were seen are there, and the counter says that there are no others. */
static bool require_embargoes(struct graph_view *v)
{
    const struct variant_draft *d = &v->draft;
    const struct rule *r = d->program->rule;
    bool fine = true;
    for (uint32_t i = 0; i < r->embargoes.count && fine; i++) {
        const struct rule_edge *e = embargo_link(r, i);
        uint32_t seen = 0;
        if (!e)
            continue;
        for (size_t k = 0; k < d->seen.count && fine; k++) {
            const struct candidate *c = &d->candidates.item[d->seen.item[k]];
            seen += c->embargo == i;
            fine = require_entity(v, c->entity, 1);
        }
        bool is_out = r->nodes.item[e->to].embargo == i;
        uint32_t node = image_of(v, is_out ? e->from : e->to);
        fine = fine && require(v, thing_of(v, is_out ? THING_OUT : THING_IN, node, e->label), seen);
    }
    return fine;
}

/* How many ends of these edges a node is. */
static uint32_t ends_at(const struct graph_view *v, const numbers *edges, uint32_t node)
{
    uint32_t count = 0;
    for (size_t i = 0; i < edges->count; i++) {
        const struct entity *e = entity_get(&v->engine->universe, edges->item[i]);
        count += (e->from == node) + (e->to == node);
    }
    return count;
}

static bool delete_all(struct graph_view *v)
{
    const struct variant_draft *d = &v->draft;
    bool fine = true;
    for (size_t i = 0; i < d->erased.count && fine; i++)
        if (!has(&d->added, d->erased.item[i]))
            fine = change_entity(v, d->erased.item[i], -1);
    for (size_t i = 0; i < d->gone.count && fine; i++)
        fine = change_entity(v, d->gone.item[i], -1);
    for (size_t i = 0; i < d->deleted.count && fine; i++) {
        uint32_t node = d->deleted.item[i];
        fine =
            change_entity(v, entity_of_node(v, node), -1) &&
            require(v, thing_of(v, THING_DEGREE, node, 0), ends_at(v, &d->erased, node) + ends_at(v, &d->gone, node));
    }
    return fine;
}

static bool create_all(struct graph_view *v)
{
    const struct variant_draft *d = &v->draft;
    const numbers *creators = &d->program->levels[0].creators;
    bool fine = true;
    for (size_t i = 0; i < creators->count && fine; i++) {
        uint32_t node = image_of(v, creators->item[i]), type = d->program->rule->nodes.item[creators->item[i]].type;
        fine = change_entity(v, entity_of_node(v, node), 1) &&
               (type == NO_NUMBER || change_entity(v, entity_of(&v->engine->universe, node, type, node), 1));
    }
    for (size_t i = 0; i < d->added.count && fine; i++)
        if (!has(&d->erased, d->added.item[i]))
            fine = change_entity(v, d->added.item[i], 1);
    return fine;
}

static int compare_touches(const void *a, const void *b)
{
    const struct portolan_touch *x = a, *y = b;
    return x->entity < y->entity ? -1 : x->entity > y->entity;
}

/* Do the counts of the call allow all touches? */
static bool is_allowed(const struct graph_view *v)
{
    for (size_t i = 0; i < v->draft.touches.count; i++) {
        const struct portolan_touch *t = &v->draft.touches.item[i];
        if (t->low > t->high || t->low > highest(v, t->entity) || t->high < lowest(v, t->entity))
            return false;
    }
    return true;
}

static bool keep_action(struct graph_view *v)
{
    struct variant_draft *d = &v->draft;
    bool is_new;
    qsort(d->touches.item, d->touches.count, sizeof *d->touches.item, compare_touches);
    d->key.count = 0;
    bool fine = vector_push(&d->key, d->action);
    for (size_t i = 0; i < d->touches.count && fine; i++) {
        const struct portolan_touch *t = &d->touches.item[i];
        fine = vector_push(&d->key, t->entity) && vector_push(&d->key, t->low) && vector_push(&d->key, t->high) &&
               vector_push(&d->key, (uint32_t)t->change);
    }
    uint32_t action = fine ? sequence_insert(&v->actions, d->key.item, d->key.count, &is_new) : SEQUENCE_NONE;
    return action != SEQUENCE_NONE && vector_push(&v->found, action);
}

static bool finish(struct graph_view *v)
{
    v->draft.touches.count = 0;
    if (!require_match(v) || !require_embargoes(v) || !require_all(v, &v->draft.there, 1) ||
        !require_all(v, &v->draft.missing, 0) || !delete_all(v) || !create_all(v))
        return false;
    return !is_allowed(v) || keep_action(v);
}

/* ---------------------------------------------------------------- deciding */

static bool may_be_there(struct graph_view *v, uint32_t entity)
{
    return highest(v, thing_of(v, THING_ENTITY, entity, 0)) > 0;
}

static bool may_be_missing(struct graph_view *v, uint32_t entity)
{
    return lowest(v, thing_of(v, THING_ENTITY, entity, 0)) == 0;
}

typedef bool next_question(struct graph_view *view, uint32_t question);

/* Goes on with a decision, and takes it back. */
static bool with(struct graph_view *v, numbers *decided, uint32_t entity, next_question *next, uint32_t question)
{
    if (entity == NO_NUMBER || !vector_push(decided, entity))
        return false;
    bool fine = next(v, question);
    decided->count--;
    return fine;
}

static bool is_new_node(const struct graph_view *v, uint32_t node)
{
    return v->draft.program->rule->nodes.item[node].role == ROLE_CREATOR && !is_value(v, image_of(v, node));
}

/* The edges that the rule creates: which of them are there already? */
static bool decide_created(struct graph_view *v, uint32_t edge)
{
    struct variant_draft *d = &v->draft;
    const struct rule *r = d->program->rule;
    if (limits_reached())
        return false;
    if (edge == r->edges.count)
        return finish(v);
    const struct rule_edge *e = &r->edges.item[edge];
    if (e->role != ROLE_CREATOR || has(&d->deleted, image_of(v, e->from)) || has(&d->deleted, image_of(v, e->to)))
        return decide_created(v, edge + 1);
    uint32_t entity = entity_of_edge(v, e);
    if (has(&d->added, entity))
        return decide_created(v, edge + 1);
    if (has(&d->erased, entity) || is_new_node(v, e->from) || is_new_node(v, e->to))
        return with(v, &d->added, entity, decide_created, edge + 1);
    return (!may_be_missing(v, entity) || with(v, &d->added, entity, decide_created, edge + 1)) &&
           (!may_be_there(v, entity) || with(v, &d->there, entity, decide_created, edge + 1));
}

/* The nodes that the rule creates: the first name that is free. */
static bool decide_creators(struct graph_view *v, uint32_t at)
{
    struct variant_draft *d = &v->draft;
    const numbers *creators = &d->program->levels[0].creators, *anchor = &d->program->levels[0].anchor;
    if (at == creators->count)
        return decide_created(v, 0);
    size_t there = d->there.count;
    bool fine = true, more = true;
    for (uint32_t k = 0; more && fine; k++) {
        uint32_t how[4 + 64] = {d->program->number, 0, creators->item[at], k}, node, entity = NO_NUMBER;
        for (size_t i = 0; i < anchor->count; i++)
            how[4 + i] = image_of(v, anchor->item[i]);
        node = node_of_creation(&v->engine->universe, how, 4 + anchor->count);
        fine = node != NO_NUMBER && (entity = entity_of_node(v, node)) != NO_NUMBER;
        d->image.item[creators->item[at]] = node;
        if (fine && may_be_missing(v, entity))
            fine = decide_creators(v, at + 1);
        more = fine && may_be_there(v, entity);
        fine = fine && vector_push(&d->there, entity);
    }
    d->there.count = there;
    return fine;
}

/* One edge of the embargo must be missing, whichever: the first that is, and those before it are there.  `but` is known
 * to be there. */
static bool decide_clause(struct graph_view *v, uint32_t embargo, const struct rule_edge *but, next_question *next,
                          uint32_t question)
{
    struct variant_draft *d = &v->draft;
    const struct rule *r = d->program->rule;
    size_t there = d->there.count;
    bool fine = true, more = true;
    for (size_t i = 0; i < r->edges.count && fine && more; i++) {
        const struct rule_edge *e = &r->edges.item[i];
        if (e->role != ROLE_EMBARGO || e->embargo != embargo || (but && e == but))
            continue;
        if (e->kind == EDGE_EQUAL) {
            more = image_of(v, e->from) == image_of(v, e->to);
            fine = more || next(v, question);
            continue;
        }
        uint32_t entity = entity_of_edge(v, e);
        fine = entity != NO_NUMBER;
        if (fine && may_be_missing(v, entity))
            fine = with(v, &d->missing, entity, next, question);
        more = fine && may_be_there(v, entity);
        fine = fine && vector_push(&d->there, entity);
    }
    d->there.count = there;
    return fine;
}

static bool decide_embargo(struct graph_view *v, uint32_t embargo)
{
    const struct rule *r = v->draft.program->rule;
    if (embargo == r->embargoes.count)
        return decide_creators(v, 0);
    return embargo_link(r, embargo) ? decide_embargo(v, embargo + 1)
                                    : decide_clause(v, embargo, NULL, decide_embargo, embargo + 1);
}

/* Is the node one that the embargo means? */
static bool is_meant(struct graph_view *v, const struct candidate *c, uint32_t own)
{
    const struct rule *r = v->draft.program->rule;
    const struct rule_node *n = &r->nodes.item[own];
    const struct grammar *g = v->engine->grammar;
    const links *out = links_out(&v->present, c->node);
    for (uint32_t i = 0; i < r->nodes.count && r->is_injective; i++)
        if (r->nodes.item[i].role <= ROLE_ERASER && image_of(v, i) == c->node)
            return false;
    for (size_t i = 0; i < out->count && n->type != NO_NUMBER; i++)
        if (is_of_type(g, n, &out->item[i], c->node))
            return true;
    return n->type == NO_NUMBER;
}

/* Where a node may be that an embargo means: is the edge there?  Then something else must be missing. */
static bool decide_candidate(struct graph_view *v, uint32_t at)
{
    struct variant_draft *d = &v->draft;
    if (limits_reached())
        return false;
    if (at == d->candidates.count)
        return decide_embargo(v, 0);
    struct candidate c = d->candidates.item[at];
    const struct rule_edge *link = embargo_link(d->program->rule, c.embargo);
    uint32_t own = d->program->rule->nodes.item[link->to].embargo == c.embargo ? link->to : link->from;
    if (may_be_missing(v, c.entity) && !decide_candidate(v, at + 1))
        return false;
    if (!vector_push(&d->seen, at))
        return false;
    uint32_t outer = d->image.item[own];
    d->image.item[own] = c.node;
    bool fine = is_meant(v, &c, own) ? decide_clause(v, c.embargo, link, decide_candidate, at + 1)
                                     : decide_candidate(v, at + 1);
    d->image.item[own] = outer;
    d->seen.count--;
    return fine;
}

static bool decide_link(struct graph_view *v, uint32_t at)
{
    struct variant_draft *d = &v->draft;
    if (limits_reached())
        return false;
    if (at == d->links.count)
        return decide_candidate(v, 0);
    return (!may_be_missing(v, d->links.item[at]) || decide_link(v, at + 1)) &&
           with(v, &d->gone, d->links.item[at], decide_link, at + 1);
}

/* --------------------------------------------------------------- beginning */

/* The edges at a deleted node that vanish with it; others forbid that it is deleted. */
static bool note_links(struct graph_view *v, uint32_t node, const links *some)
{
    struct variant_draft *d = &v->draft;
    const struct grammar *g = v->engine->grammar;
    bool fine = true;
    for (size_t i = 0; i < some->count && fine; i++) {
        bool is_type =
            g->is_typed && some->item[i].other == node && g->labels.item[some->item[i].label].kind == LABEL_TYPE;
        if ((is_type || !d->program->rule->checks_dangling) && !has(&d->erased, some->item[i].entity))
            fine = vector_push(&d->links, some->item[i].entity);
    }
    return fine;
}

static bool note_deleted(struct graph_view *v)
{
    struct variant_draft *d = &v->draft;
    const struct rule *r = d->program->rule;
    bool fine = true;
    for (uint32_t i = 0; i < r->nodes.count && fine; i++)
        if (r->nodes.item[i].role == ROLE_ERASER && !is_value(v, image_of(v, i)))
            fine = vector_push(&d->deleted, image_of(v, i));
    for (size_t i = 0; i < r->edges.count && fine; i++)
        if (r->edges.item[i].role == ROLE_ERASER)
            fine = vector_push(&d->erased, entity_of_edge(v, &r->edges.item[i]));
    numbers_sort(&d->deleted);
    numbers_sort(&d->erased);
    for (size_t i = 0; i < d->deleted.count && fine; i++)
        fine = note_links(v, d->deleted.item[i], links_out(&v->present, d->deleted.item[i])) &&
               note_links(v, d->deleted.item[i], links_in(&v->present, d->deleted.item[i]));
    numbers_sort(&d->links);
    return fine;
}

static bool note_candidates(struct graph_view *v)
{
    struct variant_draft *d = &v->draft;
    const struct rule *r = d->program->rule;
    bool fine = true;
    for (uint32_t i = 0; i < r->embargoes.count && fine; i++) {
        const struct rule_edge *e = embargo_link(r, i);
        if (!e)
            continue;
        bool is_out = r->nodes.item[e->to].embargo == i;
        const links *some =
            is_out ? links_out(&v->present, image_of(v, e->from)) : links_in(&v->present, image_of(v, e->to));
        for (size_t k = 0; k < some->count && fine; k++)
            if (some->item[k].label == e->label && !is_value(v, some->item[k].other))
                fine = vector_push(&d->candidates, ((struct candidate){i, some->item[k].entity, some->item[k].other}));
    }
    return fine;
}

bool find_variants(struct graph_view *v, const uint32_t *key, size_t length)
{
    struct variant_draft *d = &v->draft;
    size_t nodes = v->matcher.program->rule->nodes.count;
    d->program = v->matcher.program;
    d->image.count = d->deleted.count = d->erased.count = d->links.count = 0;
    d->gone.count = d->there.count = d->missing.count = d->added.count = 0;
    d->candidates.count = d->seen.count = 0;
    d->action = engine_action(v->engine, key, length);
    if (d->action == NO_NUMBER || !vector_reserve(&d->image, nodes + 1))
        return false;
    memcpy(d->image.item, v->matcher.root.item, nodes * sizeof *d->image.item);
    return note_deleted(v) && note_candidates(v) && decide_link(v, 0);
}
