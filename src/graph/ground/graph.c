/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and edges as they are met, each with a number, and lists of the edges at a node and of a label. */
#include "graph/ground/ground.h"

#include <string.h>

static uint32_t add_entity(struct ground_graph *u, bool is_node, uint32_t number)
{
    struct ground_entity entity = {.is_node = is_node, .number = number};
    return vector_push(&u->entities, entity) ? (uint32_t)u->entities.count - 1 : NO_NUMBER;
}

static uint32_t add_node(struct ground_graph *u, uint32_t value, uint32_t type, const char *name)
{
    uint32_t number = (uint32_t)u->nodes.count;
    struct ground_node node = {
        .value = value, .type = type, .entity = NO_NUMBER, .first_out = NO_NUMBER, .first_in = NO_NUMBER, .name = name};
    if (value == NO_NUMBER && (node.entity = add_entity(u, true, number)) == NO_NUMBER)
        return NO_NUMBER;
    return vector_push(&u->nodes, node) ? number : NO_NUMBER;
}

static uint32_t name_of_edge(uint32_t from, uint32_t label, uint32_t to, uint32_t name[3])
{
    name[0] = from;
    name[1] = label;
    name[2] = to;
    return 3;
}

uint32_t ground_edge(struct ground_graph *u, uint32_t from, uint32_t label, uint32_t to)
{
    bool is_new;
    uint32_t name[3], length = name_of_edge(from, label, to, name);
    uint32_t number = sequence_insert(&u->edge_numbers, name, length, &is_new);
    if (number == SEQUENCE_NONE || !is_new)
        return number == SEQUENCE_NONE ? NO_NUMBER : number;
    struct ground_node *source = &u->nodes.item[from], *target = &u->nodes.item[to];
    struct ground_edge edge = {.from = from,
                               .label = label,
                               .to = to,
                               .entity = add_entity(u, false, number),
                               .next_out = source->first_out,
                               .next_in = target->first_in,
                               .next_of_label = u->first_of_label.item[label]};
    if (edge.entity == NO_NUMBER || !vector_push(&u->edges, edge))
        return NO_NUMBER;
    source->first_out = number;
    target->first_in = number;
    u->first_of_label.item[label] = number;
    return number;
}

uint32_t ground_find_edge(const struct ground_graph *u, uint32_t from, uint32_t label, uint32_t to)
{
    for (uint32_t e = u->nodes.item[from].first_out; e != NO_NUMBER; e = u->edges.item[e].next_out)
        if (u->edges.item[e].label == label && u->edges.item[e].to == to)
            return e;
    return NO_NUMBER;
}

uint32_t ground_fresh(struct ground_graph *u, const uint32_t *name, size_t length, uint32_t type)
{
    bool is_new;
    uint32_t number = sequence_insert(&u->fresh_names, name, length, &is_new);
    if (number == SEQUENCE_NONE)
        return NO_NUMBER;
    if (!is_new)
        return u->fresh_node.item[number];
    uint32_t node = add_node(u, NO_NUMBER, type, NULL);
    return node != NO_NUMBER && vector_push(&u->fresh_node, node) ? node : NO_NUMBER;
}

/* ------------------------------------------------------------------ the start graph */

static bool add_start_edges(struct ground_graph *u, const uint32_t *node)
{
    const struct host_graph *start = &u->grammar->start;
    for (size_t i = 0; i < start->edges.count; i++) {
        const struct host_edge *edge = &start->edges.item[i];
        if (is_node_type(u->grammar, edge->label))
            u->nodes.item[node[edge->from]].type = edge->label;
        else if (ground_edge(u, node[edge->from], edge->label, node[edge->to]) == NO_NUMBER)
            return false;
    }
    return true;
}

static bool add_start(struct ground_graph *u)
{
    const struct host_graph *start = &u->grammar->start;
    uint32_t *node = calloc(start->nodes.count + 1, sizeof *node);
    bool fine = node;
    for (size_t i = 0; fine && i < start->nodes.count; i++) {
        uint32_t value = start->nodes.item[i].value;
        node[i] = value == NO_NUMBER ? add_node(u, NO_NUMBER, NO_NUMBER, start->nodes.item[i].name)
                                     : u->value_node.item[value];
        fine = node[i] != NO_NUMBER;
    }
    fine = fine && add_start_edges(u, node);
    free(node);
    return fine;
}

uint32_t ground_value(struct ground_graph *u, uint32_t value)
{
    while (u->value_node.count <= value) {
        uint32_t node = add_node(u, (uint32_t)u->value_node.count, NO_NUMBER, NULL);
        if (node == NO_NUMBER || !vector_push(&u->value_node, node))
            return NO_NUMBER;
    }
    return u->value_node.item[value];
}

bool ground_start(struct ground_graph *u, struct grammar *grammar)
{
    u->grammar = grammar;
    for (size_t i = 0; i < grammar->labels.count; i++)
        if (!vector_push(&u->first_of_label, NO_NUMBER))
            return false;
    if (grammar->values.count && ground_value(u, (uint32_t)grammar->values.count - 1) == NO_NUMBER)
        return false;
    return add_start(u);
}

void ground_clear(struct ground_graph *u)
{
    sequences_clear(&u->edge_numbers);
    sequences_clear(&u->fresh_names);
    free(u->nodes.item);
    free(u->edges.item);
    free(u->entities.item);
    free(u->fresh_node.item);
    free(u->value_node.item);
    free(u->first_of_label.item);
    *u = (struct ground_graph){0};
}
