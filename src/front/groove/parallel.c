/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs with parallel edges (parallelEdges=DPO) as simple graphs: every edge x -a-> y becomes a node e with
 * x -a-> e -> y, so equal edges are several such nodes, and what a rule reads, deletes or creates of an edge it reads,
 * deletes or creates of its node.  Nodes that are no edges have a mark, which keeps rules from taking one for the
 * other.
 *
 * Double push-out (Ehrig, Pfender, Schneider, "Graph grammars: an algebraic approach", SWAT 1973): no edge is left
 * dangling, and what is deleted is the image of one element of the rule only (the identification condition).
 */
#include "front/groove/parts.h"

#include <stdio.h>
#include <string.h>

struct multigraph {
    struct reading *reading;
    struct grammar *grammar;
    uint32_t mark, onward; /* labels: of nodes that are no edges, and from the node of an edge to its target */
};

/* A label that nobody has. */
static uint32_t fresh_label(struct grammar *grammar, enum label_kind kind, const char *text)
{
    char name[64];
    size_t labels = grammar->labels.count;
    uint32_t label = NO_NUMBER;
    for (unsigned i = 0; label == NO_NUMBER || label < labels; i++) {
        snprintf(name, sizeof name, i ? "%s%u" : "%s", text, i);
        if ((label = grammar_label(grammar, kind, name)) == NO_NUMBER)
            return NO_NUMBER;
    }
    return label;
}

/* The types of a type graph belong to nodes: they are no edges. */
static bool is_type(const struct multigraph *m, enum label_kind kind)
{
    return m->grammar->is_typed && kind == LABEL_TYPE;
}

/* ------------------------------------------------------------------ start graphs */

static bool split_host_edge(struct multigraph *m, size_t edge)
{
    struct host_graph *start = &m->grammar->start;
    struct host_edge *e = &start->edges.item[edge];
    const struct label *label = &m->grammar->labels.item[e->label];
    if (is_type(m, label->kind))
        return true;
    char name[80];
    int length = snprintf(name, sizeof name, "%.60s#%zu", label->text, edge);
    const char *kept = grammar_text(m->grammar, name, (size_t)length);
    uint32_t node = (uint32_t)start->nodes.count, to = e->to;
    e->to = node;
    return kept && vector_push(&start->nodes, ((struct host_node){NO_NUMBER, kept})) &&
           vector_push(&start->edges, ((struct host_edge){node, m->onward, to}));
}

static bool split_host(struct multigraph *m)
{
    struct host_graph *start = &m->grammar->start;
    size_t nodes = start->nodes.count, edges = start->edges.count;
    bool fine = true;
    for (size_t i = 0; i < edges && fine; i++)
        fine = split_host_edge(m, i);
    for (uint32_t i = 0; i < nodes && fine; i++)
        if (start->nodes.item[i].value == NO_NUMBER)
            fine = vector_push(&start->edges, ((struct host_edge){i, m->mark, i}));
    return fine;
}

/* ------------------------------------------------------------------ paths */

/* A step along an edge becomes two, through the edge's node. */
static bool split_step(struct multigraph *m, const struct rule *rule, struct path *path, size_t step)
{
    struct path_step first = path->steps.item[step], second = first;
    if (first.kind == PATH_TYPE || (first.kind == PATH_CHOICE && is_type(m, rule->choices.item[first.choice].kind)))
        return true;
    struct path_step *onward = first.backwards ? &first : &second;
    *onward = (struct path_step){.kind = PATH_LABEL, .label = m->onward, .backwards = first.backwards};
    first.from = path->steps.item[step].from;
    second.to = path->steps.item[step].to;
    first.to = second.from = path->states++;
    path->steps.item[step] = first;
    return vector_push(&path->steps, second) && vector_push(&path->accepting, false);
}

static bool split_path(struct multigraph *m, const struct rule *rule, struct path *path)
{
    size_t steps = path->steps.count;
    bool fine = true;
    for (size_t i = 0; i < steps && fine; i++)
        fine = split_step(m, rule, path, i);
    return fine;
}

/* An edge that must not be there, as the path of this one step. */
static bool make_path(struct rule *rule, struct rule_edge *edge)
{
    struct path path = {.text = "", .states = 2};
    struct path_step step = {.from = 0,
                             .to = 1,
                             .kind = edge->kind == EDGE_LABEL ? PATH_LABEL : PATH_CHOICE,
                             .label = edge->label,
                             .choice = edge->choice};
    edge->kind = EDGE_PATH;
    edge->path = (uint32_t)rule->paths.count;
    if (!vector_push(&rule->paths, path))
        return false;
    struct path *added = &rule->paths.item[edge->path];
    return vector_push(&added->steps, step) && vector_push(&added->accepting, false) &&
           vector_push(&added->accepting, true);
}

/* ------------------------------------------------------------------ rules */

static bool is_plain_edge(const struct multigraph *m, const struct rule *rule, const struct rule_edge *e)
{
    return (e->kind == EDGE_LABEL && !is_type(m, m->grammar->labels.item[e->label].kind)) ||
           (e->kind == EDGE_CHOICE && !is_type(m, rule->choices.item[e->choice].kind));
}

static bool split_rule_edge(struct multigraph *m, struct rule *rule, size_t edge)
{
    struct rule_edge *first = &rule->edges.item[edge], second = *first;
    struct rule_node node = {.role = first->role,
                             .level = first->level,
                             .embargo = first->embargo,
                             .is_edge = true,
                             .type = NO_NUMBER,
                             .type_variable = NO_NUMBER,
                             .value = NO_NUMBER,
                             .line = first->line,
                             .column = first->column};
    second.kind = EDGE_LABEL;
    second.label = m->onward;
    first->to = second.from = (uint32_t)rule->nodes.count;
    return vector_push(&rule->nodes, node) && vector_push(&rule->edges, second);
}

static bool mark_rule_node(struct multigraph *m, struct rule *rule, uint32_t node)
{
    const struct rule_node *n = &rule->nodes.item[node];
    struct rule_edge mark = {.role = n->role,
                             .kind = EDGE_LABEL,
                             .level = n->level,
                             .embargo = n->embargo,
                             .from = node,
                             .to = node,
                             .label = m->mark,
                             .choice = NO_NUMBER,
                             .path = NO_NUMBER,
                             .line = n->line,
                             .column = n->column};
    return n->sort != SORT_NONE || vector_push(&rule->edges, mark);
}

static bool split_rule(struct multigraph *m, struct rule *rule)
{
    size_t nodes = rule->nodes.count, edges = rule->edges.count;
    bool fine = true;
    for (size_t i = 0; i < edges && fine; i++)
        if (is_plain_edge(m, rule, &rule->edges.item[i]))
            fine = rule->edges.item[i].is_negated ? make_path(rule, &rule->edges.item[i]) : split_rule_edge(m, rule, i);
    for (size_t i = 0; i < rule->paths.count && fine; i++)
        fine = split_path(m, rule, &rule->paths.item[i]);
    for (uint32_t i = 0; i < nodes && fine; i++)
        fine = mark_rule_node(m, rule, i);
    rule->checks_dangling = true;
    return fine;
}

/* ------------------------------------------------------------------ the identification condition */

static bool erases(const struct rule *rule)
{
    for (size_t i = 0; i < rule->nodes.count; i++)
        if (rule->nodes.item[i].role == ROLE_ERASER)
            return true;
    return false;
}

/* What deleting cannot be held against: the edges of a path have no images, and other levels are matched apart. */
static bool check_rule(struct multigraph *m, const struct rule *rule)
{
    if (!erases(rule))
        return true;
    const char *what = rule->levels.count > 1 ? "quantifiers" : NULL;
    for (size_t i = 0; i < rule->edges.count; i++)
        if (rule->edges.item[i].kind == EDGE_PATH && rule->edges.item[i].role == ROLE_READER)
            what = "regular expressions";
    return !what || wrong_file(m->reading, m->grammar->name, PORTOLAN_BAD_INPUT,
                               "rule '%.100s': %s in a rule that deletes are not supported with parallelEdges=DPO",
                               rule->name, what);
}

static bool must_differ(const struct rule *rule, uint32_t a, uint32_t b)
{
    const struct rule_node *x = &rule->nodes.item[a], *y = &rule->nodes.item[b];
    return x->role == ROLE_ERASER && (y->role == ROLE_READER || (y->role == ROLE_ERASER && a < b)) &&
           x->is_edge == y->is_edge && x->sort == SORT_NONE && y->sort == SORT_NONE;
}

static bool forbid_same(struct rule *rule, uint32_t a, uint32_t b)
{
    struct rule_edge same = {.role = ROLE_EMBARGO,
                             .kind = EDGE_EQUAL,
                             .embargo = (uint32_t)rule->embargoes.count,
                             .from = a,
                             .to = b,
                             .label = NO_NUMBER,
                             .choice = NO_NUMBER,
                             .path = NO_NUMBER,
                             .line = rule->nodes.item[a].line,
                             .column = rule->nodes.item[a].column};
    return vector_push(&rule->embargoes, (struct embargo){0}) && vector_push(&rule->edges, same);
}

static bool identify(struct rule *rule)
{
    bool fine = true;
    for (uint32_t a = 0; a < rule->nodes.count; a++)
        for (uint32_t b = 0; b < rule->nodes.count && fine; b++)
            if (a != b && must_differ(rule, a, b))
                fine = forbid_same(rule, a, b);
    return fine;
}

bool split_parallel_edges(struct reading *reading)
{
    struct multigraph m = {.reading = reading, .grammar = reading->grammar};
    if (!reading->settings.parallel_edges)
        return true;
    m.mark = fresh_label(m.grammar, LABEL_FLAG, "node");
    m.onward = fresh_label(m.grammar, LABEL_BINARY, "to");
    bool fine = m.mark != NO_NUMBER && m.onward != NO_NUMBER && split_host(&m);
    for (size_t i = 0; i < m.grammar->rules.count && fine; i++) {
        struct rule *rule = &m.grammar->rules.item[i];
        fine = split_rule(&m, rule);
        if (fine && !check_rule(&m, rule))
            return false;
        fine = fine && identify(rule);
    }
    m.grammar->edges_are_nodes = true;
    return fine || no_memory(reading);
}
