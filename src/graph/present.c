/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/present.h"

bool present_make(struct present *p, const struct universe *u)
{
    *p = (struct present){.universe = u};
    p->by_label = calloc((size_t)u->node_label + 1, sizeof *p->by_label);
    return p->by_label;
}

void present_clear(struct present *p)
{
    for (size_t i = 0; i < p->places.count; i++) {
        free(p->places.item[i].out.item);
        free(p->places.item[i].in.item);
    }
    for (uint32_t i = 0; p->by_label && i <= p->universe->node_label; i++)
        free(p->by_label[i].item);
    free(p->by_label);
    free(p->places.item);
    free(p->free_places.item);
    free(p->place_of.item);
    free(p->position.item);
    free(p->removed.item);
    free(p->added.item);
}

/* A node's place, made when it has none; NULL when memory is exhausted.  Every place has room in free_places, so that
 * giving it back cannot fail. */
static struct place *make_place(struct present *p, uint32_t node)
{
    uint32_t *at = &p->place_of.item[node];
    if (p->free_places.count) {
        *at = p->free_places.item[--p->free_places.count];
    } else {
        if (!vector_grow((void **)&p->free_places.item, &p->free_places.capacity, p->places.count + 1,
                         sizeof(uint32_t)) ||
            !vector_push(&p->places, (struct place){0}))
            return NULL;
        *at = (uint32_t)p->places.count - 1;
    }
    p->places.item[*at].node = node;
    return &p->places.item[*at];
}

static inline struct place *place_for(struct present *p, uint32_t node)
{
    uint32_t at = p->place_of.item[node];
    return at != NO_NUMBER ? &p->places.item[at] : make_place(p, node);
}

static void release(struct present *p, uint32_t node)
{
    uint32_t *at = &p->place_of.item[node];
    if (--p->places.item[*at].uses > 0)
        return;
    p->free_places.item[p->free_places.count++] = *at;
    *at = NO_NUMBER;
}

/* There is room in every list before the first is changed, so adding cannot fail half-way. */
static bool add(struct present *p, uint32_t entity)
{
    const struct entity *e = entity_get(p->universe, entity);
    struct position *at = &p->position.item[entity];
    numbers *same = &p->by_label[e->label];
    if (!vector_reserve(same, 1) || !place_for(p, e->from))
        return false;
    at->by_label = (uint32_t)same->count;
    if (e->label == p->universe->node_label) {
        same->item[same->count++] = entity;
        p->places.item[p->place_of.item[e->from]].uses++;
        return true;
    }
    struct place *to = place_for(p, e->to), *from = &p->places.item[p->place_of.item[e->from]];
    if (!to || !vector_reserve(&from->out, 1) || !vector_reserve(&to->in, 1))
        return false;
    same->item[same->count++] = entity;
    from->uses++;
    to->uses++;
    at->out = (uint32_t)from->out.count;
    at->in = (uint32_t)to->in.count;
    from->out.item[from->out.count++] = (struct link){entity, e->label, e->to};
    to->in.item[to->in.count++] = (struct link){entity, e->label, e->from};
    return true;
}

static void take_away(struct present *p, uint32_t entity)
{
    const struct entity *e = entity_get(p->universe, entity);
    struct position *at = &p->position.item[entity];
    numbers *same = &p->by_label[e->label];
    same->item[at->by_label] = same->item[--same->count];
    p->position.item[same->item[at->by_label]].by_label = at->by_label;
    at->by_label = NO_NUMBER;
    if (e->label != p->universe->node_label) {
        links *out = &p->places.item[p->place_of.item[e->from]].out, *in = &p->places.item[p->place_of.item[e->to]].in;
        out->item[at->out] = out->item[--out->count];
        p->position.item[out->item[at->out].entity].out = at->out;
        in->item[at->in] = in->item[--in->count];
        p->position.item[in->item[at->in].entity].in = at->in;
        release(p, e->to);
    }
    release(p, e->from);
}

static bool know_all(struct present *p)
{
    if (!vector_reserve(&p->place_of, p->universe->nodes.count - p->place_of.count) ||
        !vector_reserve(&p->position, p->universe->entities.count - p->position.count))
        return false;
    while (p->place_of.count < p->universe->nodes.count)
        p->place_of.item[p->place_of.count++] = NO_NUMBER;
    while (p->position.count < p->universe->entities.count)
        p->position.item[p->position.count++] = (struct position){.by_label = NO_NUMBER};
    return true;
}

/* After a failure nothing is there; capacities stay. */
static void forget_all(struct present *p)
{
    for (size_t i = 0; i < p->position.count; i++)
        p->position.item[i].by_label = NO_NUMBER;
    for (size_t i = 0; i < p->place_of.count; i++)
        p->place_of.item[i] = NO_NUMBER;
    for (uint32_t i = 0; i <= p->universe->node_label; i++)
        p->by_label[i].count = 0;
    p->free_places.count = 0;
    for (size_t i = 0; i < p->places.count; i++) {
        p->places.item[i].uses = 0;
        p->places.item[i].out.count = p->places.item[i].in.count = 0;
        if (p->free_places.count < p->free_places.capacity)
            p->free_places.item[p->free_places.count++] = (uint32_t)i;
    }
    p->graph = 0;
}

/* Takes away what is listed as removed and adds what is listed as added. */
static bool change(struct present *p, uint32_t graph, bool fine)
{
    for (size_t i = 0; i < p->removed.count && fine; i++)
        take_away(p, p->removed.item[i]);
    for (size_t i = 0; i < p->added.count && fine; i++)
        fine = add(p, p->added.item[i]);
    if (fine)
        p->graph = graph;
    else
        forget_all(p);
    return fine;
}

bool present_load(struct present *p, uint32_t graph)
{
    if (graph == p->graph)
        return true;
    p->removed.count = p->added.count = 0;
    return change(p, graph, know_all(p) && graph_difference(p->universe, p->graph, graph, &p->removed, &p->added));
}

bool present_show(struct present *p, const numbers *entities)
{
    size_t next = 0;
    bool fine = know_all(p);
    p->removed.count = p->added.count = 0;
    for (uint32_t i = 0; i < p->position.count && fine; i++) {
        bool wanted = next < entities->count && entities->item[next] == i;
        next += wanted;
        if (wanted != is_present(p, i))
            fine = vector_push(wanted ? &p->added : &p->removed, i);
    }
    return change(p, NO_NUMBER, fine);
}

bool present_put(struct present *p, uint32_t entity)
{
    if (know_all(p) && add(p, entity))
        return true;
    forget_all(p);
    return false;
}

void present_take(struct present *p, uint32_t entity)
{
    if (is_present(p, entity))
        take_away(p, entity);
}
