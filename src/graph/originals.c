/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/originals.h"

#include <string.h>

enum { ENOUGH_TRIES = 4096, WORTH_IT = 8, MOST_NAMES = 1 << 25 };

void originals_clear(struct originals *o)
{
    numbers *all[] = {&o->names, &o->place_of, &o->made, &o->originally, &o->removed, &o->added, &o->key};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->item);
    free(o->graphs.item);
}

size_t originals_bytes(const struct originals *o)
{
    return o->graphs.capacity * sizeof *o->graphs.item + o->names.capacity * sizeof *o->names.item;
}

bool originals_name_place(struct originals *o, uint32_t node)
{
    while (o->place_of.count <= node)
        if (!vector_push(&o->place_of, NO_NUMBER))
            return false;
    o->place_of.item[node] = o->places++;
    return true;
}

static bool make_room(struct originals *o)
{
    size_t graphs = o->universe->graphs.count;
    if (o->graphs.count < graphs && !vector_reserve(&o->graphs, graphs - o->graphs.count))
        return false;
    while (o->graphs.count < graphs)
        o->graphs.item[o->graphs.count++] = (struct original){NO_NUMBER, NO_NUMBER, 0, 0};
    return true;
}

/* ------------------------------------------------------------------- names */

static bool is_value(const struct originals *o, uint32_t node)
{
    return o->universe->nodes.item[node].value != NO_NUMBER;
}

/* Has the original such a node, or was the name given to one that the step makes? */
static bool is_taken(const struct originals *o, uint32_t name)
{
    const struct original *at = &o->graphs.item[o->at];
    for (size_t i = 0; i < at->nodes; i++)
        if (o->names.item[at->first + i] == name)
            return true;
    for (size_t i = 0; i < o->originally.count; i++)
        if (o->originally.item[i] == name)
            return true;
    return false;
}

/* What a node of the form is called in the original. */
static uint32_t name_at(const struct originals *o, uint32_t node)
{
    const struct original *at = &o->graphs.item[o->at];
    uint32_t place = node < o->place_of.count ? o->place_of.item[node] : NO_NUMBER;
    return is_value(o, node) || (place != NO_NUMBER && at->graph == NO_NUMBER) ? node
           : place != NO_NUMBER                                                ? o->names.item[at->first + place]
                                                                               : NO_NUMBER;
}

/* A created node is called after the nodes that its rule was matched to, as the original calls them. */
static uint32_t name_created(struct originals *o, uint32_t node)
{
    enum { RULE = 1, K = 4, ANCHOR = 5 }; /* in the key of a node */
    size_t length;
    const uint32_t *key = sequence_get(&o->universe->node_keys, node, &length);
    const struct rule *rule = key[0] == NODE_CREATED ? &o->universe->grammar->rules.item[key[RULE]] : NULL;
    o->key.count = 0;
    if (!rule || rule->choices.count || rule->label_variables || !vector_reserve(&o->key, length))
        return NO_NUMBER; /* labels in the anchor are no nodes */
    memcpy(o->key.item, key, length * sizeof *key);
    for (size_t i = ANCHOR; i < length; i++)
        if (key[i] >= o->universe->nodes.count || (o->key.item[i] = name_at(o, key[i])) == NO_NUMBER)
            return NO_NUMBER;
    for (o->key.item[K] = 0;; o->key.item[K]++) {
        uint32_t name = node_of_creation(o->universe, o->key.item + 1, length - 1);
        if (name == NO_NUMBER || !is_taken(o, name))
            return name;
    }
}

/* What a node is called in the original; NO_NUMBER when that is not known. */
static uint32_t name_of(struct originals *o, uint32_t node)
{
    uint32_t name = name_at(o, node);
    for (size_t i = 0; i < o->made.count && name == NO_NUMBER; i++)
        if (o->made.item[i] == node)
            name = o->originally.item[i];
    if (name != NO_NUMBER)
        return name;
    name = name_created(o, node);
    return name != NO_NUMBER && vector_push(&o->made, node) && vector_push(&o->originally, name) ? name : NO_NUMBER;
}

static bool translate(struct originals *o, const numbers *some, numbers *to)
{
    bool fine = true;
    to->count = 0;
    for (size_t i = 0; i < some->count && fine; i++) {
        struct entity e = *entity_get(o->universe, some->item[i]);
        uint32_t from = name_of(o, e.from), other = e.to == e.from ? from : name_of(o, e.to);
        uint32_t entity = entity_of(o->universe, from, e.label, other);
        fine = entity != NO_NUMBER && vector_push(to, entity);
    }
    numbers_sort(to);
    return fine;
}

/* ------------------------------------------------------------------- steps */

uint32_t original_change(struct originals *o, uint32_t from, const numbers *removed, const numbers *added,
                         uint32_t *form)
{
    *form = NO_NUMBER;
    if (o->tried > ENOUGH_TRIES && o->found < o->tried / WORTH_IT)
        return NO_NUMBER;
    o->made.count = o->originally.count = 0;
    o->at = from;
    if (!make_room(o) || !translate(o, removed, &o->removed) || !translate(o, added, &o->added))
        return NO_NUMBER;
    uint32_t before = o->graphs.item[from].graph;
    uint32_t after = graph_change(o->universe, before == NO_NUMBER ? from : before, &o->removed, &o->added);
    if (after == NO_NUMBER)
        return NO_NUMBER;
    *form = after < o->graphs.count ? o->graphs.item[after].form : NO_NUMBER;
    o->tried++;
    o->found += *form != NO_NUMBER;
    return after;
}

void original_keep(struct originals *o, uint32_t original, uint32_t form, size_t nodes, const uint32_t *node,
                   const uint32_t *place)
{
    if (!make_room(o))
        return;
    o->graphs.item[original].form = form;
    o->missed += o->graphs.item[form].graph != NO_NUMBER;
    if (o->graphs.item[form].graph != NO_NUMBER || o->names.count > MOST_NAMES || !vector_reserve(&o->names, nodes))
        return;
    uint32_t first = (uint32_t)o->names.count;
    for (size_t i = 0; i < nodes; i++) {
        uint32_t name = name_of(o, node[i]);
        if (name == NO_NUMBER)
            return;
        o->names.item[first + place[i]] = name;
    }
    o->names.count = first + nodes;
    struct original *kept = &o->graphs.item[form];
    kept->graph = original;
    kept->first = first;
    kept->nodes = (uint32_t)nodes;
}
