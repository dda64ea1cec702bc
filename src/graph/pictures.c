/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/pictures.h"

#include "graph/control_engine.h"
#include "graph/engine.h"
#include "graph/isomorphism.h"

#include <string.h>

/* What is forbidden is not there, so its nodes get numbers from the other end. */
#define FORBIDDEN_NODE(number) (UINT32_MAX - 1 - (number))

struct telling {
    struct engine *engine;
    const struct portolan_graph_receiver *receiver;
    const struct program *program; /* NULL: only the state */
    const uint32_t *key;
    size_t key_length;
    const uint32_t *image; /* of the nodes of the rule, in the match that is shown; NULL: none was found */
    numbers images;
};

/* ------------------------------------------------------------------ the match */

/* Of the matches that are the same step the first is shown. */
static bool keep_match(void *user, const uint32_t *key, size_t length)
{
    struct telling *t = user;
    const numbers *root = &t->engine->matcher.root;
    if (t->image || length != t->key_length || memcmp(key, t->key, length * sizeof *key) != 0)
        return true;
    for (size_t i = 0; i < root->count; i++)
        if (!vector_push(&t->images, root->item[i]))
            return false;
    t->image = t->images.item;
    return true;
}

/* The images of the anchor are known: the first numbers of the key behind the rule. */
static bool find_match(struct telling *t)
{
    struct matcher *matcher = &t->engine->matcher;
    const numbers *anchor = &t->program->levels[0].anchor;
    size_t nodes = t->program->rule->nodes.count;
    uint32_t *given = malloc((nodes + 1) * sizeof *given);
    if (!given)
        return false;
    memset(given, 0xff, (nodes + 1) * sizeof *given);
    for (size_t i = 0; i < anchor->count && i + 1 < t->key_length; i++)
        if (anchor->item[i] < nodes)
            given[anchor->item[i]] = t->key[i + 1];
    matcher->found = keep_match;
    matcher->user = t;
    bool fine = match_rule(matcher, t->program, given);
    free(given);
    return fine;
}

static const struct rule *rule_of(const struct telling *t)
{
    return t->program->rule;
}

static bool has_image(const struct telling *t, uint32_t node)
{
    return t->image && node < t->images.count && t->image[node] != NO_NUMBER;
}

/* The entity that an edge of the rule stands for, NO_NUMBER when it is none. */
static uint32_t edge_image(const struct telling *t, uint32_t number)
{
    const struct rule_edge *edge = &rule_of(t)->edges.item[number];
    if ((edge->kind != EDGE_LABEL && edge->kind != EDGE_CHOICE) || !has_image(t, edge->from) || !has_image(t, edge->to))
        return NO_NUMBER;
    uint32_t binding = edge->kind == EDGE_CHOICE ? label_binding(rule_of(t), number) : 0;
    if (edge->kind == EDGE_CHOICE && binding >= t->images.count)
        return NO_NUMBER;
    return find_edge(&t->engine->present, t->image[edge->from],
                     edge->kind == EDGE_CHOICE ? t->image[binding] : edge->label, t->image[edge->to]);
}

/* ------------------------------------------------------------------ what becomes of a part */

static bool contains(const numbers *some, uint32_t number)
{
    for (size_t i = 0; i < some->count; i++)
        if (some->item[i] == number)
            return true;
    return false;
}

static bool is_found(const struct telling *t, bool is_edge, uint32_t number)
{
    const struct rule *rule = t->program ? rule_of(t) : NULL;
    for (uint32_t i = 0; rule && !is_edge && i < rule->nodes.count; i++)
        if (has_image(t, i) && t->image[i] == number && rule->nodes.item[i].embargo == NO_NUMBER &&
            rule->nodes.item[i].role != ROLE_CREATOR)
            return true;
    for (uint32_t i = 0; rule && is_edge && i < rule->edges.count; i++)
        if (rule->edges.item[i].role == ROLE_READER && edge_image(t, i) == number)
            return true;
    return false;
}

static enum portolan_part part_of_node(const struct telling *t, uint32_t node)
{
    if (t->program && contains(&t->engine->effect.deleted, node))
        return PORTOLAN_DELETED;
    return is_found(t, false, node) ? PORTOLAN_FOUND : PORTOLAN_PRESENT;
}

static enum portolan_part part_of_edge(const struct telling *t, uint32_t entity)
{
    if (t->program && contains(&t->engine->effect.removed, entity))
        return PORTOLAN_DELETED;
    return is_found(t, true, entity) ? PORTOLAN_FOUND : PORTOLAN_PRESENT;
}

/* ------------------------------------------------------------------ telling */

/* The node by its name outside.  A created one has no place yet: it is called after its rule and the nodes of the
 * match. */
static uint32_t shown_node(struct engine *e, uint32_t node)
{
    enum { HEAD = 5 }; /* of the key of a created node: the images of the anchor are behind it */
    size_t length;
    if (!e->isomorphism || node >= e->universe.nodes.count)
        return node;
    if (has_node(&e->present, node))
        return name_outside(e->isomorphism, node);
    const uint32_t *key = sequence_get(&e->universe.node_keys, node, &length);
    uint32_t *outside = key[0] == NODE_CREATED ? malloc(length * sizeof *outside) : NULL;
    if (!outside)
        return key[0] == NODE_CREATED ? NO_NUMBER : node;
    for (size_t i = 0; i < length; i++)
        outside[i] = i < HEAD ? key[i] : name_outside(e->isomorphism, key[i]);
    uint32_t name = node_of_creation(&e->universe, outside + 1, length - 1);
    free(outside);
    return name;
}

static bool tell_node(struct telling *t, uint32_t node, enum portolan_part part)
{
    uint32_t shown = shown_node(t->engine, node);
    const char *name = node_name(&t->engine->universe, shown);
    bool is_value = value_of_node(&t->engine->universe, node) != NO_NUMBER;
    return name && t->receiver->node(t->receiver->user, shown, name, is_value, part);
}

static bool tell_edge(struct telling *t, uint32_t from, uint32_t label, uint32_t to, enum portolan_part part)
{
    static const enum portolan_part_label kinds[] = {PORTOLAN_EDGE, PORTOLAN_FLAG, PORTOLAN_TYPE};
    const struct label *text = &t->engine->grammar->labels.item[label];
    return t->receiver->edge(t->receiver->user, shown_node(t->engine, from), text->text, kinds[text->kind],
                             shown_node(t->engine, to), part);
}

static bool tell_present(struct telling *t)
{
    const struct present *present = &t->engine->present;
    bool fine = true;
    for (size_t i = 0; i < present->places.count && fine; i++)
        if (present->places.item[i].uses)
            fine = tell_node(t, present->places.item[i].node, part_of_node(t, present->places.item[i].node));
    for (size_t i = 0; i < present->places.count && fine; i++) {
        const struct place *place = &present->places.item[i];
        for (size_t j = 0; j < place->out.count && place->uses && fine; j++)
            fine = tell_edge(t, place->node, place->out.item[j].label, place->out.item[j].other,
                             part_of_edge(t, place->out.item[j].entity));
    }
    return fine;
}

/* A node that is created, or a value that no edge has led to before. */
static bool tell_new_end(struct telling *t, uint32_t node)
{
    return has_node(&t->engine->present, node) || contains(&t->engine->effect.created, node) ||
           tell_node(t, node, PORTOLAN_CREATED);
}

static bool tell_created(struct telling *t)
{
    const struct effect *effect = &t->engine->effect;
    const struct universe *universe = &t->engine->universe;
    bool fine = true;
    for (size_t i = 0; i < effect->created.count && fine; i++)
        fine = tell_node(t, effect->created.item[i], PORTOLAN_CREATED);
    for (size_t i = 0; i < effect->added.count && fine; i++) {
        struct entity added = *entity_get(universe, effect->added.item[i]);
        if (added.label != universe->node_label)
            fine = tell_new_end(t, added.to) && tell_edge(t, added.from, added.label, added.to, PORTOLAN_CREATED);
    }
    return fine;
}

/* ------------------------------------------------------------------ embargoes */

/* The number under which an end of a forbidden edge was told; NO_NUMBER: it was not. */
static uint32_t forbidden_end(const struct telling *t, uint32_t node)
{
    const struct rule_node *n = &rule_of(t)->nodes.item[node];
    if (n->embargo != NO_NUMBER)
        return FORBIDDEN_NODE(node);
    return has_image(t, node) && has_node(&t->engine->present, t->image[node]) ? t->image[node] : NO_NUMBER;
}

static bool tell_forbidden_nodes(struct telling *t)
{
    const struct rule *rule = rule_of(t);
    bool fine = true;
    for (uint32_t i = 0; i < rule->nodes.count && fine; i++) {
        const struct rule_node *node = &rule->nodes.item[i];
        if (node->embargo == NO_NUMBER || node->level != 0)
            continue;
        fine = t->receiver->node(t->receiver->user, FORBIDDEN_NODE(i), node->name ? node->name : "", false,
                                 PORTOLAN_FORBIDDEN);
        if (fine && node->type != NO_NUMBER)
            fine = tell_edge(t, FORBIDDEN_NODE(i), node->type, FORBIDDEN_NODE(i), PORTOLAN_FORBIDDEN);
    }
    return fine;
}

static bool tell_forbidden(struct telling *t)
{
    const struct rule *rule = rule_of(t);
    bool fine = tell_forbidden_nodes(t);
    for (size_t i = 0; i < rule->edges.count && fine; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        if (edge->role != ROLE_EMBARGO || edge->level != 0)
            continue;
        uint32_t from = forbidden_end(t, edge->from), to = forbidden_end(t, edge->to);
        if (from == NO_NUMBER || to == NO_NUMBER)
            continue;
        if (edge->kind == EDGE_LABEL)
            fine = tell_edge(t, from, edge->label, to, PORTOLAN_FORBIDDEN);
        else
            fine = t->receiver->edge(t->receiver->user, shown_node(t->engine, from),
                                     edge->kind == EDGE_EQUAL  ? "="
                                     : edge->kind == EDGE_PATH ? rule->paths.item[edge->path].text
                                                               : "?",
                                     PORTOLAN_EDGE, shown_node(t->engine, to), PORTOLAN_FORBIDDEN);
    }
    return fine;
}

/* ------------------------------------------------------------------ the view */

/* (locked) */
static bool tell_step(struct telling *t)
{
    struct engine *e = t->engine;
    return effect_find(&e->effect, t->program, t->key, t->key_length) && find_match(t) && tell_present(t) &&
           tell_created(t) && tell_forbidden(t);
}

static bool tell(const void *model, const void *state, uint32_t action, const struct portolan_graph_receiver *receiver)
{
    struct engine *e = (struct engine *)model;
    struct telling t = {.engine = e, .receiver = receiver};
    uint32_t graph = ((const struct graph_state *)state)->graph;
    engine_lock(e);
    const uint32_t *key = action == PORTOLAN_NO_ACTION ? NULL : engine_key(e, action, &t.key_length);
    if (key && key[0] >= e->rules.count) { /* under control: what stands before is where the control goes */
        key += STEP_PREFIX;
        t.key_length -= STEP_PREFIX;
    }
    if (key && (key[0] >= e->grammar->rules.count || (t.key_length == 2 && key[1] == FAILED_NODE)))
        key = NULL; /* a recipe is several steps at once; what failed has no effect */
    t.program = key ? &e->programs[key[0]] : NULL;
    bool fine = engine_look_at(e, graph);
    if (fine && key && e->isomorphism)
        fine = (key = key_inside(e->isomorphism, t.program, key, &t.key_length));
    uint32_t *copy = key ? malloc(t.key_length * sizeof *copy) : NULL; /* matching may move the keys */
    fine = fine && (!key || copy);
    if (copy) {
        memcpy(copy, key, t.key_length * sizeof *copy);
        t.key = copy;
    }
    if (fine)
        fine = t.program ? tell_step(&t) : tell_present(&t);
    engine_unlock(e);
    free(copy);
    free(t.images.item);
    return fine;
}

const struct portolan_graphs graph_pictures = {.size = sizeof graph_pictures, .tell = tell};
const struct portolan_graphs graph_pictures_of_classes = {
    .size = sizeof graph_pictures_of_classes, .tell = tell, .up_to_isomorphism = true};
