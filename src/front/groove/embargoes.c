/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a rule forbids, as embargoes: nodes that are connected through forbidden nodes, or by "or:", are one; each
 * forbidden edge between other nodes is one of its own.  What is created may be forbidden as well: by "cnew:", by
 * checkCreatorEdges and by rhsIsNAC.
 */
#include "front/groove/draft.h"

#include <stdlib.h>
#include <string.h>

struct cells {
    struct draft *draft;
    uint32_t *leader;  /* of a set of forbidden nodes, by node */
    uint32_t *embargo; /* of a set, by its leader */
};

static bool is_forbidden(const struct draft *draft, uint32_t node)
{
    return draft->labels.rule->nodes.item[node].role == ROLE_EMBARGO;
}

/* ------------------------------------------------------------------ what is created and forbidden */

/* The forbidden twin of a new node, made when it is first asked for. */
static uint32_t twin(struct draft *draft, uint32_t *twins, uint32_t node)
{
    struct rule_node copy = draft->labels.rule->nodes.item[node];
    if (copy.role != ROLE_CREATOR)
        return node;
    if (twins[node] == NO_NUMBER) {
        copy.role = ROLE_EMBARGO;
        twins[node] = add_rule_node(draft, copy);
    }
    return twins[node];
}

static bool forbid_edge(struct draft *draft, uint32_t *twins, size_t number)
{
    struct rule_edge copy = draft->labels.rule->edges.item[number];
    copy.role = ROLE_EMBARGO;
    copy.from = twin(draft, twins, copy.from);
    copy.to = twin(draft, twins, copy.to);
    return copy.from != NO_NUMBER && copy.to != NO_NUMBER && add_rule_edge(draft, copy);
}

static bool is_adder(const struct draft *draft, size_t edge)
{
    for (size_t i = 0; i < draft->adders.count; i++)
        if (draft->adders.item[i] == edge)
            return true;
    return false;
}

static bool is_forbidden_too(const struct draft *draft, size_t number)
{
    const struct settings *settings = &draft->labels.reading->settings;
    const struct rule *rule = draft->labels.rule;
    const struct rule_edge *edge = &rule->edges.item[number];
    if (edge->role != ROLE_CREATOR || edge->kind == EDGE_EQUAL)
        return false;
    bool between_old =
        rule->nodes.item[edge->from].role != ROLE_CREATOR && rule->nodes.item[edge->to].role != ROLE_CREATOR;
    return settings->rhs_is_nac || (settings->check_creator_edges && between_old) || is_adder(draft, number);
}

static bool forbid_created(struct draft *draft, uint32_t *twins)
{
    size_t edges = draft->labels.rule->edges.count;
    for (size_t i = 0; i < draft->gxl->nodes.count; i++) {
        const struct draft_node *node = &draft->nodes[i];
        bool creates = node->role == ASPECT_CREATOR && draft->labels.reading->settings.rhs_is_nac;
        if (node->number != NO_NUMBER && (creates || node->role == ASPECT_ADDER) &&
            twin(draft, twins, node->number) == NO_NUMBER)
            return false;
    }
    for (size_t i = 0; i < edges; i++)
        if (is_forbidden_too(draft, i) && !forbid_edge(draft, twins, i))
            return false;
    return true;
}

static bool add_created(struct draft *draft)
{
    size_t nodes = draft->labels.rule->nodes.count;
    uint32_t *twins = malloc((nodes + 1) * sizeof *twins);
    if (!twins)
        return no_memory(draft->labels.reading);
    memset(twins, 0xff, (nodes + 1) * sizeof *twins);
    bool added = forbid_created(draft, twins);
    free(twins);
    return added;
}

/* ------------------------------------------------------------------ cells */

static uint32_t leader_of(const struct cells *cells, uint32_t node)
{
    while (cells->leader[node] != node)
        node = cells->leader[node] = cells->leader[cells->leader[node]];
    return node;
}

static bool new_embargo(struct cells *cells, uint32_t *number)
{
    struct rule *rule = cells->draft->labels.rule;
    struct embargo embargo = {.level = 0};
    *number = (uint32_t)rule->embargoes.count;
    return vector_push(&rule->embargoes, embargo) || no_memory(cells->draft->labels.reading);
}

/* The embargo is looked at when the deepest of what it speaks of is there. */
static bool deepen(struct cells *cells, struct place at, uint32_t embargo, uint32_t level)
{
    struct embargo *known = &cells->draft->labels.rule->embargoes.item[embargo];
    known->level = deeper_level(cells->draft, at, known->level, level);
    return known->level != NO_NUMBER;
}

static bool place_node(struct cells *cells, uint32_t number)
{
    if (!is_forbidden(cells->draft, number))
        return true;
    struct rule_node *node = &cells->draft->labels.rule->nodes.item[number];
    uint32_t leader = leader_of(cells, number);
    if (cells->embargo[leader] == NO_NUMBER && !new_embargo(cells, &cells->embargo[leader]))
        return false;
    node->embargo = cells->embargo[leader];
    return deepen(cells, (struct place){node->line, node->column}, node->embargo, node->level);
}

static bool place_edge(struct cells *cells, struct rule_edge *edge)
{
    const struct rule_node *nodes = cells->draft->labels.rule->nodes.item;
    if (edge->role != ROLE_EMBARGO)
        return true;
    edge->embargo = nodes[edge->from].embargo != NO_NUMBER ? nodes[edge->from].embargo : nodes[edge->to].embargo;
    if (edge->embargo == NO_NUMBER && !new_embargo(cells, &edge->embargo))
        return false;
    return deepen(cells, (struct place){edge->line, edge->column}, edge->embargo, edge->level);
}

/* An operation on a forbidden value is part of what is forbidden. */
static bool place_operation(struct cells *cells, struct rule_operation *operation)
{
    const struct rule_node *nodes = cells->draft->labels.rule->nodes.item;
    operation->embargo = nodes[operation->result].embargo;
    for (uint32_t i = 0; i < operation->operand_count; i++)
        if (nodes[operation->operand[i]].embargo != NO_NUMBER)
            operation->embargo = nodes[operation->operand[i]].embargo;
    return operation->embargo == NO_NUMBER ||
           deepen(cells, (struct place){operation->line, operation->column}, operation->embargo, operation->level);
}

static void join(struct cells *cells, uint32_t one, uint32_t other)
{
    if (is_forbidden(cells->draft, one) && is_forbidden(cells->draft, other))
        cells->leader[leader_of(cells, one)] = leader_of(cells, other);
}

static void join_all(struct cells *cells)
{
    const struct rule *rule = cells->draft->labels.rule;
    for (size_t i = 0; i < rule->edges.count; i++)
        join(cells, rule->edges.item[i].from, rule->edges.item[i].to);
    for (size_t i = 0; i < cells->draft->connections.count; i++)
        join(cells, cells->draft->connections.item[i].one, cells->draft->connections.item[i].other);
    for (size_t i = 0; i < rule->operations.count; i++)
        for (uint32_t k = 0; k < rule->operations.item[i].operand_count; k++)
            join(cells, rule->operations.item[i].operand[k], rule->operations.item[i].result);
}

static bool place_all(struct cells *cells)
{
    struct rule *rule = cells->draft->labels.rule;
    for (uint32_t i = 0; i < rule->nodes.count; i++)
        if (!place_node(cells, i))
            return false;
    for (size_t i = 0; i < rule->edges.count; i++)
        if (!place_edge(cells, &rule->edges.item[i]))
            return false;
    for (size_t i = 0; i < rule->operations.count; i++)
        if (!place_operation(cells, &rule->operations.item[i]))
            return false;
    return true;
}

bool draft_embargoes(struct draft *draft)
{
    if (!add_created(draft))
        return false;
    size_t nodes = draft->labels.rule->nodes.count;
    struct cells cells = {.draft = draft,
                          .leader = arena_get(&draft->labels.reading->scratch, (nodes + 1) * sizeof(uint32_t)),
                          .embargo = arena_get(&draft->labels.reading->scratch, (nodes + 1) * sizeof(uint32_t))};
    if (!cells.leader || !cells.embargo)
        return no_memory(draft->labels.reading);
    for (uint32_t i = 0; i < nodes; i++) {
        cells.leader[i] = i;
        cells.embargo[i] = NO_NUMBER;
    }
    join_all(&cells);
    return place_all(&cells);
}
