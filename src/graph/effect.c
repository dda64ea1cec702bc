/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single push-out on simple graphs: first all that is deleted, with the edges that would dangle, then all that is
 * created, then mergers; for all applications of all levels at once.
 */
#include "graph/effect.h"

#include <string.h>

void effect_clear(struct effect *x)
{
    free(x->removed.item);
    free(x->added.item);
    free(x->deleted.item);
    free(x->erased.item);
    free(x->created.item);
    free(x->image.item);
    free(x->how.item);
    free(x->events.item);
    free(x->mergers.item);
}

static bool has(const numbers *some, uint32_t number)
{
    for (size_t i = 0; i < some->count; i++)
        if (some->item[i] == number)
            return true;
    return false;
}

static bool has_sorted(const numbers *some, uint32_t number)
{
    size_t low = 0, high = some->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (some->item[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < some->count && some->item[low] == number;
}

/* ------------------------------------------------------------------ events */

static bool read_events(struct effect *x, const struct program *p, const uint32_t *key, size_t length)
{
    size_t at = 1;
    bool fine = vector_reserve(&x->image, p->bindings + 1);
    x->events.count = x->created.count = x->deleted.count = x->erased.count = x->mergers.count = 0;
    x->removed.count = x->added.count = 0;
    fine = fine && vector_push(&x->events, ((struct event){0, key + at, 0}));
    for (at += p->levels[0].anchor.count; at < length && fine; at += 1 + p->levels[key[at]].anchor.count)
        fine = vector_push(&x->events, ((struct event){key[at], key + at + 1, 0}));
    return fine;
}

/* The event of the level above to which this one belongs: all of that one's anchor is in the anchor of this one. */
static const struct event *event_above(const struct effect *x, const struct program *p, uint32_t level)
{
    const numbers *anchor = &p->levels[level].anchor;
    for (size_t e = 0; e < x->events.count; e++) {
        size_t i = 0;
        if (x->events.item[e].level != level)
            continue;
        while (i < anchor->count && x->image.item[anchor->item[i]] == x->events.item[e].images[i])
            i++;
        if (i == anchor->count)
            return &x->events.item[e];
    }
    return NULL;
}

static void take_created(struct effect *x, const struct program *p, const struct event *event)
{
    const numbers *creators = &p->levels[event->level].creators;
    for (size_t i = 0; i < creators->count && event->created + i < x->created.count; i++)
        x->image.item[creators->item[i]] = x->created.item[event->created + i];
}

/* Bindings as this event sees them. */
static void bind_event(struct effect *x, const struct program *p, const struct event *event)
{
    const numbers *anchor = &p->levels[event->level].anchor;
    memcpy(x->image.item, p->constants, p->bindings * sizeof *p->constants);
    for (size_t i = 0; i < anchor->count; i++)
        x->image.item[anchor->item[i]] = event->images[i];
    for (uint32_t level = p->rule->levels.item[event->level].parent; level != NO_NUMBER;
         level = p->rule->levels.item[level].parent)
        if (p->levels[level].creators.count) {
            const struct event *above = level == 0 ? &x->events.item[0] : event_above(x, p, level);
            if (above)
                take_created(x, p, above);
        }
    take_created(x, p, event);
}

static uint32_t label_of(const struct effect *x, const struct program *p, uint32_t edge)
{
    const struct rule_edge *e = &p->rule->edges.item[edge];
    return e->kind == EDGE_CHOICE ? x->image.item[label_binding(p->rule, edge)] : e->label;
}

/* ---------------------------------------------------------------- deleting */

static bool erase_by(struct effect *x, const struct program *p, const struct event *event)
{
    bool fine = true;
    bind_event(x, p, event);
    for (uint32_t i = 0; i < p->rule->nodes.count && fine; i++)
        if (p->rule->nodes.item[i].role == ROLE_ERASER && p->rule->nodes.item[i].level == event->level)
            fine =
                value_of_node(x->universe, x->image.item[i]) != NO_NUMBER || vector_push(&x->deleted, x->image.item[i]);
    for (uint32_t i = 0; i < p->rule->edges.count && fine; i++) {
        const struct rule_edge *e = &p->rule->edges.item[i];
        if (e->role != ROLE_ERASER || e->level != event->level || e->kind > EDGE_CHOICE)
            continue;
        uint32_t entity = find_edge(x->present, x->image.item[e->from], label_of(x, p, i), x->image.item[e->to]);
        note_look(x->present, LOOK_EDGE, x->image.item[e->from], label_of(x, p, i), x->image.item[e->to]);
        fine = entity == NO_NUMBER || vector_push(&x->erased, entity);
    }
    return fine;
}

static bool erase(struct effect *x, const struct program *p)
{
    bool fine = true;
    for (size_t i = 0; i < x->events.count && fine; i++)
        fine = erase_by(x, p, &x->events.item[i]);
    numbers_sort(&x->deleted);
    numbers_sort(&x->erased);
    return fine;
}

static bool remove_links(struct effect *x, const links *some)
{
    bool fine = true;
    for (size_t i = 0; i < some->count && fine; i++)
        fine = vector_push(&x->removed, some->item[i].entity);
    return fine;
}

static bool remove_node(struct effect *x, uint32_t node)
{
    uint32_t entity = entity_of(x->universe, node, x->universe->node_label, node);
    note_look(x->present, LOOK_LINKS, node, 0, 0);
    return entity != NO_NUMBER && vector_push(&x->removed, entity) && remove_links(x, links_out(x->present, node)) &&
           remove_links(x, links_in(x->present, node));
}

static bool remove_all(struct effect *x)
{
    bool fine = true;
    for (size_t i = 0; i < x->erased.count && fine; i++)
        fine = vector_push(&x->removed, x->erased.item[i]);
    for (size_t i = 0; i < x->deleted.count && fine; i++)
        fine = remove_node(x, x->deleted.item[i]);
    return fine;
}

/* ---------------------------------------------------------------- creating */

static bool create_node(struct effect *x, const struct program *p, const struct event *event, uint32_t creator)
{
    const numbers *anchor = &p->levels[event->level].anchor;
    uint32_t head[] = {p->number, event->level, creator, 0}, node;
    x->how.count = 0;
    for (size_t i = 0; i < 4; i++)
        if (!vector_push(&x->how, head[i]))
            return false;
    for (size_t i = 0; i < anchor->count; i++)
        if (!vector_push(&x->how, event->images[i]))
            return false;
    do { /* k grows until the node is not in the graph */
        node = node_of_creation(x->universe, x->how.item, x->how.count);
        x->how.item[3]++;
        note_look(x->present, LOOK_NODE, node, 0, 0);
    } while (node != NO_NUMBER && has_node(x->present, node));
    return node != NO_NUMBER && vector_push(&x->created, node);
}

static bool create_nodes(struct effect *x, const struct program *p)
{
    bool fine = true;
    for (size_t i = 0; i < x->events.count && fine; i++) {
        const numbers *creators = &p->levels[x->events.item[i].level].creators;
        x->events.item[i].created = x->created.count;
        for (size_t c = 0; c < creators->count && fine; c++)
            fine = create_node(x, p, &x->events.item[i], creators->item[c]);
    }
    return fine;
}

static bool add_entity(struct effect *x, uint32_t from, uint32_t label, uint32_t to)
{
    uint32_t entity = entity_of(x->universe, from, label, to);
    return entity != NO_NUMBER && vector_push(&x->added, entity);
}

static bool add_node(struct effect *x, const struct program *p, uint32_t creator)
{
    const struct rule_node *n = &p->rule->nodes.item[creator];
    uint32_t node = x->image.item[creator];
    uint32_t type =
        n->type_variable == NO_NUMBER ? n->type : x->image.item[variable_binding(p->rule, n->type_variable)];
    return add_entity(x, node, x->universe->node_label, node) && (type == NO_NUMBER || add_entity(x, node, type, node));
}

static bool add_edge(struct effect *x, const struct program *p, uint32_t edge)
{
    const struct rule_edge *e = &p->rule->edges.item[edge];
    uint32_t from = x->image.item[e->from], to = x->image.item[e->to];
    if (e->kind == EDGE_EQUAL)
        return vector_push(&x->mergers, ((struct merger){from, to}));
    if (has_sorted(&x->deleted, from) || has_sorted(&x->deleted, to))
        return true;
    return add_entity(x, from, label_of(x, p, edge), to);
}

static bool create_by(struct effect *x, const struct program *p, const struct event *event)
{
    const numbers *creators = &p->levels[event->level].creators;
    bool fine = true;
    bind_event(x, p, event);
    for (size_t i = 0; i < creators->count && fine; i++)
        fine = add_node(x, p, creators->item[i]);
    for (uint32_t i = 0; i < p->rule->edges.count && fine; i++)
        if (p->rule->edges.item[i].role == ROLE_CREATOR && p->rule->edges.item[i].level == event->level)
            fine = add_edge(x, p, i);
    return fine;
}

/* ----------------------------------------------------------------- merging */

static uint32_t merged(const struct effect *x, uint32_t node)
{
    for (size_t i = 0; i < x->mergers.count; i++)
        if (x->mergers.item[i].node == node)
            return merged(x, x->mergers.item[i].into);
    return node;
}

static uint32_t type_of(const struct effect *x, uint32_t node)
{
    const links *out = links_out(x->present, node);
    note_look(x->present, LOOK_LINKS, node, 0, 0);
    for (size_t i = 0; i < out->count; i++)
        if (x->universe->grammar->labels.item[out->item[i].label].kind == LABEL_TYPE)
            return out->item[i].label;
    return NO_NUMBER;
}

/* The second node becomes the first, unless that would make a type more general. */
static void direct_mergers(struct effect *x)
{
    size_t kept = 0, count = x->mergers.count;
    for (size_t i = 0; i < count; i++) {
        struct merger m = x->mergers.item[i];
        x->mergers.count = kept;
        m = (struct merger){merged(x, m.node), merged(x, m.into)};
        if (m.node == m.into)
            continue;
        uint32_t a = type_of(x, m.node), b = type_of(x, m.into);
        bool is_first = true; /* that stays */
        if (x->universe->grammar->is_typed && a != b && a != NO_NUMBER && b != NO_NUMBER &&
            (is_subtype(x->universe->grammar, b, a) || is_subtype(x->universe->grammar, a, b)))
            is_first = is_subtype(x->universe->grammar, a, b);
        x->mergers.item[kept++] = is_first ? (struct merger){m.into, m.node} : m;
    }
    x->mergers.count = kept;
}

static bool is_dropped_type(const struct effect *x, const struct link *link, uint32_t node)
{
    return x->universe->grammar->is_typed && x->universe->grammar->labels.item[link->label].kind == LABEL_TYPE &&
           type_of(x, merged(x, node)) != NO_NUMBER;
}

/* The edges of a node that becomes another, at their new ends; a part of a merged node that is deleted deletes all. */
static bool move_links(struct effect *x, uint32_t node, bool out)
{
    const links *some = out ? links_out(x->present, node) : links_in(x->present, node);
    bool fine = true;
    for (size_t i = 0; i < some->count && fine; i++) {
        const struct link *link = &some->item[i];
        uint32_t here = merged(x, node), there = merged(x, link->other);
        if (has_sorted(&x->erased, link->entity) || is_dropped_type(x, link, node) || has_sorted(&x->deleted, here) ||
            has_sorted(&x->deleted, there) || has_sorted(&x->deleted, link->other))
            continue;
        fine = out ? add_entity(x, here, link->label, there) : add_entity(x, there, link->label, here);
    }
    return fine;
}

static bool redirect_added(struct effect *x)
{
    size_t kept = 0, count = x->added.count;
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++) {
        struct entity e = *entity_get(x->universe, x->added.item[i]);
        uint32_t from = merged(x, e.from), to = merged(x, e.to);
        if (has_sorted(&x->deleted, from) || has_sorted(&x->deleted, to) ||
            (e.label == x->universe->node_label && from != e.from))
            continue;
        uint32_t entity = entity_of(x->universe, from, e.label, to);
        fine = entity != NO_NUMBER;
        x->added.item[kept++] = entity;
    }
    x->added.count = kept;
    return fine;
}

static bool merge(struct effect *x)
{
    if (x->mergers.count == 0)
        return true;
    direct_mergers(x);
    bool fine = true;
    for (size_t i = 0; i < x->mergers.count && fine; i++) { /* with one, all are deleted */
        uint32_t node = x->mergers.item[i].node, into = merged(x, node);
        if (has(&x->deleted, node) && !has(&x->deleted, into))
            fine = remove_node(x, into) && vector_push(&x->deleted, into);
    }
    numbers_sort(&x->deleted);
    fine = fine && redirect_added(x);
    for (size_t i = 0; i < x->mergers.count && fine; i++) {
        uint32_t node = x->mergers.item[i].node;
        fine = remove_node(x, node) && move_links(x, node, true) && move_links(x, node, false);
    }
    return fine;
}

/* ---------------------------------------------------------------- together */

/* What is added stays, even if it is removed too; what is there already is not added. */
static void settle(struct effect *x)
{
    size_t kept = 0;
    numbers_sort(&x->removed);
    numbers_sort(&x->added);
    for (size_t i = 0; i < x->removed.count; i++)
        if (!has_sorted(&x->added, x->removed.item[i]) && is_present(x->present, x->removed.item[i]))
            x->removed.item[kept++] = x->removed.item[i];
    x->removed.count = kept;
    kept = 0;
    for (size_t i = 0; i < x->added.count; i++) {
        const struct entity *e = entity_get(x->universe, x->added.item[i]);
        note_look(x->present, e->label == x->universe->node_label ? LOOK_NODE : LOOK_EDGE, e->from, e->label, e->to);
        if (!is_present(x->present, x->added.item[i]))
            x->added.item[kept++] = x->added.item[i];
    }
    x->added.count = kept;
}

bool effect_find(struct effect *x, const struct program *p, const uint32_t *key, size_t length)
{
    bool fine = read_events(x, p, key, length) && erase(x, p) && remove_all(x) && create_nodes(x, p);
    for (size_t i = 0; i < x->events.count && fine; i++)
        fine = create_by(x, p, &x->events.item[i]);
    fine = fine && merge(x);
    if (fine)
        settle(x);
    return fine;
}

static bool any_dangles(const struct effect *x, uint32_t node, const links *some)
{
    for (size_t i = 0; i < some->count; i++) {
        bool is_type = x->universe->grammar->is_typed && some->item[i].other == node &&
                       x->universe->grammar->labels.item[some->item[i].label].kind == LABEL_TYPE;
        if (!is_type && !has_sorted(&x->erased, some->item[i].entity))
            return true;
    }
    return false;
}

bool leaves_dangling(struct effect *x, const struct program *p, const uint32_t *key, size_t length, bool *dangles)
{
    if (!read_events(x, p, key, length) || !erase(x, p))
        return false;
    *dangles = false;
    for (size_t i = 0; i < x->deleted.count; i++)
        note_look(x->present, LOOK_LINKS, x->deleted.item[i], 0, 0);
    for (size_t i = 0; i < x->deleted.count && !*dangles; i++)
        *dangles = any_dangles(x, x->deleted.item[i], links_out(x->present, x->deleted.item[i])) ||
                   any_dangles(x, x->deleted.item[i], links_in(x->present, x->deleted.item[i]));
    return true;
}
