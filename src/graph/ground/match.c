/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching a rule, or one embargo of it, into everything that may be there.
 *
 * Backtracking over the edges of the pattern, always one with as many ends known as there are; nodes that no edge
 * leads to come last.
 */
#include "graph/ground/ground.h"

#include "base/limits.h"
#include "graph/values.h"

#include <string.h>

static bool edge_takes_part(const struct matching *m, const struct rule_edge *edge)
{
    return m->embargo == NO_NUMBER ? is_lhs(edge->role) : edge->role == ROLE_EMBARGO && edge->embargo == m->embargo;
}

static bool node_takes_part(const struct matching *m, const struct rule_node *node)
{
    return m->embargo == NO_NUMBER ? is_lhs(node->role) : node->role == ROLE_EMBARGO && node->embargo == m->embargo;
}

/* ------------------------------------------------------------------ nodes */

/* Injective rules: an embargo of more than one edge keeps apart its nodes from all others, too. */
static bool is_taken(const struct matching *m, uint32_t node)
{
    if (!m->rule->is_injective || m->graph->nodes.item[node].value != NO_NUMBER)
        return false;
    for (size_t i = 0; i < m->rule->nodes.count; i++)
        if (m->node[i] == node)
            return true;
    return false;
}

static bool node_fits(const struct matching *m, uint32_t rule_node, uint32_t node)
{
    const struct rule_node *pattern = &m->rule->nodes.item[rule_node];
    const struct grammar *grammar = m->graph->grammar;
    const struct ground_node *image = &m->graph->nodes.item[node];
    if (pattern->value != NO_NUMBER && pattern->value != image->value)
        return false;
    if (pattern->sort != SORT_NONE)
        return image->value != NO_NUMBER && grammar->values.item[image->value].sort == pattern->sort;
    if (image->value != NO_NUMBER)
        return false;
    if (pattern->type != NO_NUMBER &&
        (image->type == NO_NUMBER ||
         !(pattern->is_exact_type ? image->type == pattern->type : is_subtype(grammar, image->type, pattern->type))))
        return false;
    if (pattern->type_variable != NO_NUMBER && m->label[pattern->type_variable] != NO_NUMBER &&
        m->label[pattern->type_variable] != image->type)
        return false;
    return !is_taken(m, node);
}

static void match_rest(struct matching *m);

/* Takes the node as the image and goes on. */
static void with_node(struct matching *m, uint32_t rule_node, uint32_t node, void (*then)(struct matching *))
{
    if (m->node[rule_node] != NO_NUMBER) {
        if (m->node[rule_node] == node)
            then(m);
        return;
    }
    if (m->failed || !node_fits(m, rule_node, node))
        return;
    uint32_t variable = m->rule->nodes.item[rule_node].type_variable;
    bool binds = variable != NO_NUMBER && m->label[variable] == NO_NUMBER;
    m->node[rule_node] = node;
    if (binds)
        m->label[variable] = m->graph->nodes.item[node].type;
    then(m);
    m->node[rule_node] = NO_NUMBER;
    if (binds)
        m->label[variable] = NO_NUMBER;
}

/* ------------------------------------------------------------------ edges */

static bool choice_takes(const struct matching *m, const struct label_choice *choice, uint32_t label)
{
    if (m->graph->grammar->labels.item[label].kind != choice->kind)
        return false;
    if (choice->variable != NO_NUMBER && m->label[choice->variable] != NO_NUMBER && m->label[choice->variable] != label)
        return false;
    for (size_t i = 0; i < choice->labels.count; i++)
        if (choice->labels.item[i] == label)
            return !choice->is_complement;
    return choice->is_complement;
}

static bool label_fits(const struct matching *m, const struct rule_edge *pattern, uint32_t label)
{
    return pattern->kind == EDGE_LABEL ? pattern->label == label
                                       : choice_takes(m, &m->rule->choices.item[pattern->choice], label);
}

static void with_target(struct matching *m)
{
    with_node(m, m->rule->edges.item[m->current].to, m->graph->edges.item[m->edge[m->current]].to, match_rest);
}

/* Takes the edge as the image of edge i of the rule and goes on. */
static void with_edge(struct matching *m, uint32_t i, uint32_t edge)
{
    const struct rule_edge *pattern = &m->rule->edges.item[i];
    uint32_t label = m->graph->edges.item[edge].label;
    if (m->failed || !label_fits(m, pattern, label))
        return;
    uint32_t variable = pattern->kind == EDGE_CHOICE ? m->rule->choices.item[pattern->choice].variable : NO_NUMBER;
    bool binds = variable != NO_NUMBER && m->label[variable] == NO_NUMBER;
    if (binds)
        m->label[variable] = label;
    m->edge[i] = edge;
    m->done[i] = true;
    m->current = i;
    with_node(m, pattern->from, m->graph->edges.item[edge].from, with_target);
    m->done[i] = false;
    m->edge[i] = NO_NUMBER;
    if (binds)
        m->label[variable] = NO_NUMBER;
}

/* The same node, or a type where there is a type graph: no edge of the graph. */
static void test_edge(struct matching *m, uint32_t i)
{
    const struct rule_edge *pattern = &m->rule->edges.item[i];
    uint32_t from = m->node[pattern->from], to = m->node[pattern->to];
    m->done[i] = true;
    if (pattern->is_negated) {
        if (from != to)
            match_rest(m);
    } else if (pattern->kind == EDGE_LABEL) {
        if (m->graph->nodes.item[from].type != NO_NUMBER &&
            is_subtype(m->graph->grammar, m->graph->nodes.item[from].type, pattern->label))
            match_rest(m);
    } else if (from != NO_NUMBER && to != NO_NUMBER) {
        if (from == to)
            match_rest(m);
    } else if (from != NO_NUMBER) {
        with_node(m, pattern->to, from, match_rest);
    } else {
        with_node(m, pattern->from, to, match_rest);
    }
    m->done[i] = false;
}

static bool is_test(const struct matching *m, const struct rule_edge *edge)
{
    return edge->kind == EDGE_EQUAL || (edge->kind == EDGE_LABEL && is_node_type(m->graph->grammar, edge->label));
}

static void match_edge(struct matching *m, uint32_t i)
{
    const struct ground_graph *u = m->graph;
    const struct rule_edge *pattern = &m->rule->edges.item[i];
    uint32_t from = m->node[pattern->from], to = m->node[pattern->to];
    if (is_test(m, pattern)) {
        test_edge(m, i);
    } else if (from != NO_NUMBER) {
        for (uint32_t e = u->nodes.item[from].first_out; e != NO_NUMBER; e = u->edges.item[e].next_out)
            with_edge(m, i, e);
    } else if (to != NO_NUMBER) {
        for (uint32_t e = u->nodes.item[to].first_in; e != NO_NUMBER; e = u->edges.item[e].next_in)
            with_edge(m, i, e);
    } else if (pattern->kind == EDGE_LABEL) {
        for (uint32_t e = u->first_of_label.item[pattern->label]; e != NO_NUMBER; e = u->edges.item[e].next_of_label)
            with_edge(m, i, e);
    } else {
        for (uint32_t e = 0; e < u->edges.count; e++)
            with_edge(m, i, e);
    }
}

/* An edge that is not matched yet, one with known ends if possible; a test only when an end is known. */
static uint32_t next_edge(const struct matching *m)
{
    uint32_t best = NO_NUMBER, best_known = 0;
    for (uint32_t i = 0; i < m->rule->edges.count; i++) {
        const struct rule_edge *edge = &m->rule->edges.item[i];
        if (m->done[i] || !edge_takes_part(m, edge))
            continue;
        uint32_t known = (m->node[edge->from] != NO_NUMBER) + (m->node[edge->to] != NO_NUMBER);
        if (is_test(m, edge) && known < (edge->is_negated ? 2 : 1))
            continue;
        if (best == NO_NUMBER || known > best_known) {
            best = i;
            best_known = known;
        }
    }
    return best;
}

/* ------------------------------------------------------------------ operations */

static uint32_t next_operation(const struct matching *m)
{
    for (uint32_t i = 0; i < m->rule->operations.count; i++) {
        const struct rule_operation *o = &m->rule->operations.item[i];
        bool ready = o->embargo == m->embargo && !m->done[m->rule->edges.count + i];
        for (uint32_t k = 0; k < o->operand_count; k++)
            ready = ready && m->node[o->operand[k]] != NO_NUMBER;
        if (ready)
            return i;
    }
    return NO_NUMBER;
}

/* Without a value the grammar has an error there, so matching ends. */
static void match_operation(struct matching *m, uint32_t i)
{
    const struct rule_operation *o = &m->rule->operations.item[i];
    uint32_t operand[MOST_OPERANDS], value;
    for (uint32_t k = 0; k < o->operand_count; k++)
        operand[k] = m->graph->nodes.item[m->node[o->operand[k]]].value;
    enum operated operated = operate(m->graph->grammar, o->kind, operand, o->operand_count, &value);
    uint32_t node = operated == OPERATED ? ground_value(m->graph, value) : NO_NUMBER;
    m->failed |= node == NO_NUMBER;
    if (operated == OPERATION_FAILED)
        m->graph->no_value = (struct obstacle){"computes a number that may be too large, or divides by zero", m->rule,
                                               o->line, o->column};
    m->done[m->rule->edges.count + i] = true;
    if (!m->failed)
        with_node(m, o->result, node, match_rest);
    m->done[m->rule->edges.count + i] = false;
}

static void match_open_node(struct matching *m, uint32_t i)
{
    uint32_t value = m->rule->nodes.item[i].value;
    if (value != NO_NUMBER) {
        with_node(m, i, m->graph->value_node.item[value], match_rest);
        return;
    }
    for (uint32_t node = 0; node < m->graph->nodes.count; node++)
        with_node(m, i, node, match_rest);
}

static void match_rest(struct matching *m)
{
    m->failed |= limits_reached();
    if (m->failed)
        return;
    uint32_t edge = next_edge(m), operation = next_operation(m);
    if (operation != NO_NUMBER) {
        match_operation(m, operation);
        return;
    }
    if (edge != NO_NUMBER) {
        match_edge(m, edge);
        return;
    }
    for (uint32_t i = 0; i < m->rule->nodes.count; i++)
        if (m->node[i] == NO_NUMBER && node_takes_part(m, &m->rule->nodes.item[i])) {
            match_open_node(m, i);
            return;
        }
    if (!m->found(m, m->user))
        m->failed = true;
}

/* ------------------------------------------------------------------ entrances */

bool matching_start(struct matching *m, struct ground_graph *u, const struct rule *rule)
{
    *m = (struct matching){.graph = u, .rule = rule, .embargo = NO_NUMBER};
    m->node = malloc((rule->nodes.count + 1) * sizeof *m->node);
    m->edge = malloc((rule->edges.count + 1) * sizeof *m->edge);
    m->label = malloc((rule->label_variables + 1) * sizeof *m->label);
    m->done = calloc(rule->edges.count + rule->operations.count + 1, sizeof *m->done);
    if (!m->node || !m->edge || !m->label || !m->done)
        return false;
    memset(m->node, 0xff, (rule->nodes.count + 1) * sizeof *m->node);
    memset(m->edge, 0xff, (rule->edges.count + 1) * sizeof *m->edge);
    memset(m->label, 0xff, (rule->label_variables + 1) * sizeof *m->label);
    return true;
}

void matching_clear(struct matching *m)
{
    free(m->node);
    free(m->edge);
    free(m->label);
    free(m->done);
    *m = (struct matching){0};
}

bool match_all(struct matching *m)
{
    match_rest(m);
    return !m->failed;
}

bool match_with_edge(struct matching *m, uint32_t edge)
{
    for (uint32_t i = 0; i < m->rule->edges.count; i++) {
        const struct rule_edge *pattern = &m->rule->edges.item[i];
        if (edge_takes_part(m, pattern) && !is_test(m, pattern))
            with_edge(m, i, edge);
    }
    return !m->failed;
}

/* A node that an edge leads to is met with the edge. */
static bool has_edge(const struct matching *m, uint32_t node)
{
    for (size_t i = 0; i < m->rule->edges.count; i++) {
        const struct rule_edge *edge = &m->rule->edges.item[i];
        if ((edge->from == node || edge->to == node) && edge_takes_part(m, edge) && !is_test(m, edge))
            return true;
    }
    return false;
}

bool match_with_node(struct matching *m, uint32_t node)
{
    for (uint32_t i = 0; i < m->rule->nodes.count; i++)
        if (node_takes_part(m, &m->rule->nodes.item[i]) && !has_edge(m, i))
            with_node(m, i, node, match_rest);
    return !m->failed;
}

bool match_embargo(struct matching *m, uint32_t embargo, bool (*found)(struct matching *, void *), void *user)
{
    bool (*outer_found)(struct matching *, void *) = m->found;
    void *outer_user = m->user;
    m->embargo = embargo;
    m->found = found;
    m->user = user;
    match_rest(m);
    m->embargo = NO_NUMBER;
    m->found = outer_found;
    m->user = outer_user;
    return !m->failed;
}
