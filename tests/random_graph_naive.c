/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A naive interpreter of random grammars: every map of nodes is tried, every permutation for isomorphism.  Nodes are
 * numbers that stand for how they came to be (rule, images of the anchor, which creator, how many times).
 */
#include "random_graph.h"

#include <stdlib.h>
#include <string.h>

enum {
    ANCHORS = 2 * GRAPH_RULE_EDGES + GRAPH_RULE_NODES,
    MOST_IDENTITIES = 4000,
    MOST_STEPS = 600,
    MOST_INNER = 60,
    FIRST_VALUE = 30000
};

struct graph {
    uint16_t nodes, edges;
    uint16_t node[GRAPH_NODES]; /* increasing */
    struct draft_edge edge[GRAPH_EDGES];
};

struct identity {
    uint16_t rule, creator, times, anchors;
    uint16_t anchor[ANCHORS];
};

struct match {
    unsigned image[GRAPH_RULE_NODES]; /* index into graph.node */
    unsigned label;                   /* of the variable */
    unsigned value;
};

/* The root, and what the quantifier adds: one event for each anchor. */
struct application {
    struct match match[1 + MOST_INNER];
    unsigned count;
};

struct step {
    struct identity root;
    uint16_t event[MOST_INNER]; /* increasing */
};

struct exploration {
    const struct graph_draft *draft;
    struct graph_truth *truth;
    struct graph_facts *facts; /* of the present state */
    struct graph states[GRAPH_STATES];
    unsigned count;
    struct identity identity[MOST_IDENTITIES];
    unsigned identities;
    struct step step[MOST_STEPS]; /* of the present state */
    struct application inner;     /* all matches of the quantifier, behind that of the root */
    unsigned steps;
    bool failed;                                      /* too large */
    bool only_look;                                   /* whether a rule applies */
    uint16_t by_label[GRAPH_ALL_LABELS][GRAPH_NODES]; /* but values */
};

/* ------------------------------------------------------------------------- graphs */

static int compare_edges(const void *one, const void *two)
{
    const struct draft_edge *a = one, *b = two;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static int compare_nodes(const void *one, const void *two)
{
    return *(const uint16_t *)one - *(const uint16_t *)two;
}

/* Sorted, each edge once, the rest zero: equal graphs are equal bytes. */
static void settle(struct graph *g)
{
    unsigned kept = 0;
    qsort(g->node, g->nodes, sizeof *g->node, compare_nodes);
    qsort(g->edge, g->edges, sizeof *g->edge, compare_edges);
    for (unsigned i = 0; i < g->edges; i++)
        if (kept == 0 || compare_edges(&g->edge[kept - 1], &g->edge[i]) != 0)
            g->edge[kept++] = g->edge[i];
    g->edges = (uint16_t)kept;
    memset(g->edge + g->edges, 0, sizeof *g->edge * (GRAPH_EDGES - g->edges));
    memset(g->node + g->nodes, 0, sizeof *g->node * (GRAPH_NODES - g->nodes));
}

static unsigned index_of(const struct graph *g, uint16_t node)
{
    unsigned i = 0;
    while (i < g->nodes && g->node[i] != node)
        i++;
    return i;
}

static void renamed(const struct graph *g, const unsigned *position, struct graph *result)
{
    *result = *g;
    for (unsigned i = 0; i < g->nodes; i++)
        result->node[i] = (uint16_t)i;
    for (unsigned i = 0; i < g->edges; i++) {
        result->edge[i].from = (uint16_t)position[index_of(g, g->edge[i].from)];
        if (g->edge[i].label != GRAPH_VALUE)
            result->edge[i].to = (uint16_t)position[index_of(g, g->edge[i].to)];
    }
    settle(result);
}

/* The smallest of all renamings, by trying every one. */
static void least_renaming(const struct graph *g, unsigned *position, unsigned placed, struct graph *best, bool *any)
{
    struct graph candidate;
    if (placed == g->nodes) {
        renamed(g, position, &candidate);
        if (!*any || memcmp(&candidate, best, sizeof candidate) < 0)
            *best = candidate;
        *any = true;
        return;
    }
    for (unsigned at = 0; at < g->nodes; at++) {
        bool is_free = true;
        for (unsigned i = 0; i < placed; i++)
            is_free &= position[i] != at;
        if (!is_free)
            continue;
        position[placed] = at;
        least_renaming(g, position, placed + 1, best, any);
    }
}

static void add_state(struct exploration *e, const struct graph *g)
{
    struct graph found = *g;
    unsigned position[GRAPH_NODES];
    bool any = false;
    if (e->draft->isomorphism) {
        if (g->nodes > 6) {
            e->failed = true;
            return;
        }
        least_renaming(g, position, 0, &found, &any);
    }
    for (unsigned i = 0; i < e->count; i++)
        if (memcmp(&e->states[i], &found, sizeof found) == 0)
            return;
    if (e->count == GRAPH_STATES)
        e->failed = true;
    else
        e->states[e->count++] = found;
}

/* ----------------------------------------------------------------------- matching */

static bool is_injective(const struct exploration *e, const struct rule_draft *rule)
{
    return e->draft->injective || rule->injective;
}

static bool is_matched(enum draft_role role)
{
    return role == DRAFT_READ || role == DRAFT_DELETE;
}

static bool has_edge(const struct exploration *e, unsigned from, unsigned label, unsigned to)
{
    return e->by_label[label][from] >> to & 1;
}

static bool has_type(const struct exploration *e, const struct rule_draft *rule, unsigned node, unsigned image)
{
    unsigned type = rule->type[node];
    return !e->draft->typed || type == 0 || has_edge(e, image, GRAPH_LABELS + type, image);
}

static bool holds(const struct exploration *e, const struct graph *g, const struct draft_rule_edge *edge,
                  const struct match *m)
{
    unsigned from = m->image[edge->from], to = m->image[edge->to];
    uint16_t pairs[GRAPH_NODES];
    switch (edge->kind) {
    case DRAFT_LABEL: return has_edge(e, from, edge->label, to);
    case DRAFT_ANY: return has_edge(e, from, 0, to) || has_edge(e, from, 1, to) || has_edge(e, from, 2, to);
    case DRAFT_VARIABLE: return has_edge(e, from, m->label, to);
    case DRAFT_PATH: draft_path_pairs(edge->label, g->nodes, e->by_label, pairs); return pairs[from] >> to & 1;
    case DRAFT_EQUAL: return from == to;
    }
    return false;
}

/* Which nodes and edges of a rule are forbidden: those of the role, and what options add. */
static bool is_forbidden_node(const struct exploration *e, const struct rule_draft *rule, unsigned node)
{
    return rule->role[node] == DRAFT_FORBID || (e->draft->rhs_is_nac && rule->role[node] == DRAFT_CREATE);
}

static bool is_forbidden_edge(const struct exploration *e, const struct rule_draft *rule, unsigned i)
{
    const struct draft_rule_edge *edge = &rule->edge[i];
    if (edge->role == DRAFT_FORBID)
        return true;
    if (edge->role != DRAFT_CREATE || edge->kind == DRAFT_EQUAL)
        return false;
    bool between = is_matched(rule->role[edge->from]) && is_matched(rule->role[edge->to]);
    return e->draft->rhs_is_nac || (e->draft->creator_edges && between);
}

/* Numbers of cells: forbidden nodes that forbidden edges connect are in one; each other forbidden edge is its own. */
static void find_cells(const struct exploration *e, const struct rule_draft *rule, unsigned *node_cell,
                       unsigned *edge_cell)
{
    for (unsigned i = 0; i < rule->nodes; i++)
        node_cell[i] = is_forbidden_node(e, rule, i) ? i + 1 : 0;
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < rule->edges; i++) {
            unsigned *a = &node_cell[rule->edge[i].from], *b = &node_cell[rule->edge[i].to];
            if (is_forbidden_edge(e, rule, i) && *a && *b && *a != *b) {
                *a = *b = *a < *b ? *a : *b;
                more = true;
            }
        }
    }
    for (unsigned i = 0; i < rule->edges; i++) {
        unsigned a = node_cell[rule->edge[i].from], b = node_cell[rule->edge[i].to];
        edge_cell[i] = !is_forbidden_edge(e, rule, i) ? 0 : a ? a : b ? b : GRAPH_RULE_NODES + 1 + i;
    }
}

struct cell {
    unsigned number;
    unsigned nodes[GRAPH_RULE_NODES], count;
    const unsigned *edge_cell;
    bool injective, inner;
};

static bool can_be_placed(const struct exploration *e, const struct graph *g, const struct rule_draft *rule,
                          const struct cell *cell, struct match *m, unsigned placed)
{
    if (placed == cell->count) {
        for (unsigned i = 0; i < rule->edges; i++)
            if (cell->edge_cell[i] == cell->number && !holds(e, g, &rule->edge[i], m))
                return false;
        return true;
    }
    unsigned node = cell->nodes[placed];
    for (unsigned image = 0; image < g->nodes; image++) {
        bool fits = has_type(e, rule, node, image);
        for (unsigned i = 0; i < rule->nodes && cell->injective; i++)
            fits &= !is_matched(rule->role[i]) || (rule->inner[i] && !cell->inner) || m->image[i] != image;
        for (unsigned i = 0; i < placed && cell->injective; i++)
            fits &= m->image[cell->nodes[i]] != image;
        m->image[node] = image;
        if (fits && can_be_placed(e, g, rule, cell, m, placed + 1))
            return true;
    }
    return false;
}

/* By the root, or by the quantifier: which looks at what has something of it. */
static bool is_forbidden(const struct exploration *e, const struct graph *g, const struct rule_draft *rule,
                         const struct match *match, bool inner)
{
    unsigned node_cell[GRAPH_RULE_NODES], edge_cell[GRAPH_RULE_EDGES];
    find_cells(e, rule, node_cell, edge_cell);
    for (unsigned number = 1; number <= GRAPH_RULE_NODES + GRAPH_RULE_EDGES; number++) {
        struct cell cell = {.number = number, .edge_cell = edge_cell, .injective = is_injective(e, rule)};
        bool is_used = false;
        for (unsigned i = 0; i < rule->nodes; i++)
            if (node_cell[i] == number) {
                cell.nodes[cell.count++] = i;
                cell.inner |= rule->inner[i];
            }
        for (unsigned i = 0; i < rule->edges; i++)
            if (edge_cell[i] == number) {
                is_used = true;
                cell.inner |= is_inner_edge(rule, i);
            }
        struct match m = *match;
        if ((is_used || cell.count) && cell.inner == inner && can_be_placed(e, g, rule, &cell, &m, 0))
            return true;
    }
    return false;
}

static bool deletes_node(const struct rule_draft *rule, const struct application *a, unsigned node)
{
    for (unsigned k = 0; k < a->count; k++)
        for (unsigned i = 0; i < rule->nodes; i++)
            if (rule->role[i] == DRAFT_DELETE && rule->inner[i] == (k > 0) && a->match[k].image[i] == node)
                return true;
    return false;
}

static bool is_deleted_by(const struct graph *g, const struct draft_rule_edge *r, const struct match *m,
                          const struct draft_edge *edge)
{
    return r->role == DRAFT_DELETE && g->node[m->image[r->from]] == edge->from &&
           g->node[m->image[r->to]] == edge->to &&
           (r->kind == DRAFT_LABEL ? r->label == edge->label : m->label == edge->label);
}

static bool deletes_edge(const struct graph *g, const struct rule_draft *rule, const struct application *a,
                         const struct draft_edge *edge)
{
    for (unsigned k = 0; k < a->count; k++)
        for (unsigned i = 0; i < rule->edges; i++)
            if (is_inner_edge(rule, i) == (k > 0) && is_deleted_by(g, &rule->edge[i], &a->match[k], edge))
                return true;
    const struct match *root = &a->match[0];
    return rule->value.used && rule->value.deletes && edge->label == GRAPH_VALUE &&
           edge->to == FIRST_VALUE + root->value && edge->from == g->node[root->image[rule->value.node]];
}

static bool is_type(const struct draft_edge *edge)
{
    return edge->label >= GRAPH_LABELS && edge->label < GRAPH_VALUE;
}

static bool dangles(const struct graph *g, const struct rule_draft *rule, const struct application *a)
{
    for (unsigned i = 0; i < g->edges; i++)
        if ((deletes_node(rule, a, index_of(g, g->edge[i].from)) ||
             deletes_node(rule, a, index_of(g, g->edge[i].to))) &&
            !is_type(&g->edge[i]) && !deletes_edge(g, rule, a, &g->edge[i]))
            return true;
    return false;
}

/* ----------------------------------------------------------------------- applying */

static bool is_change(enum draft_role role)
{
    return role == DRAFT_DELETE || role == DRAFT_CREATE;
}

static bool level_changes(const struct rule_draft *rule, bool inner)
{
    bool found = false;
    for (unsigned i = 0; i < rule->nodes; i++)
        found |= rule->inner[i] == inner && is_change(rule->role[i]);
    for (unsigned i = 0; i < rule->edges; i++)
        found |= is_inner_edge(rule, i) == inner && is_change(rule->edge[i].role);
    return found || (!inner && rule->value.used && (rule->value.deletes || rule->value.adds));
}

/* The nodes that are deleted and the ends of what is changed; at the root also what a quantifier that changes something
 * is connected with. */
static void find_anchor(const struct graph *g, const struct rule_draft *rule, const struct match *m, unsigned number,
                        bool inner, struct identity *step)
{
    bool is_anchor[GRAPH_RULE_NODES] = {false}, names_label = false, shares = level_changes(rule, true);
    *step = (struct identity){.rule = (uint16_t)number};
    for (unsigned i = 0; i < rule->nodes; i++)
        is_anchor[i] = rule->role[i] == DRAFT_DELETE && rule->inner[i] == inner;
    for (unsigned i = 0; i < rule->edges; i++) {
        const struct draft_rule_edge *edge = &rule->edge[i];
        bool is_shared = !inner && is_inner_edge(rule, i) && shares && edge->role != DRAFT_FORBID;
        if (!is_shared && (!is_change(edge->role) || is_inner_edge(rule, i) != inner))
            continue;
        is_anchor[edge->from] |= is_matched(rule->role[edge->from]) && (inner || !rule->inner[edge->from]);
        is_anchor[edge->to] |= is_matched(rule->role[edge->to]) && (inner || !rule->inner[edge->to]);
        names_label |= edge->kind == DRAFT_VARIABLE;
    }
    const struct draft_value *v = &rule->value;
    bool names_value = !inner && v->used && (v->deletes || v->adds);
    is_anchor[v->node] |= names_value && v->deletes;
    is_anchor[v->target] |= names_value && v->adds;
    for (unsigned i = 0; i < rule->nodes; i++)
        if (is_anchor[i])
            step->anchor[step->anchors++] = g->node[m->image[i]];
    if (names_label)
        step->anchor[step->anchors++] = (uint16_t)(10000 + m->label);
    if (names_value)
        step->anchor[step->anchors++] = (uint16_t)(FIRST_VALUE + m->value);
}

/* The number of an identity, a new one if it is new. */
static uint16_t number_of(struct exploration *e, const struct identity *wanted)
{
    unsigned i = 0;
    while (i < e->identities && memcmp(&e->identity[i], wanted, sizeof *wanted) != 0)
        i++;
    if (i == MOST_IDENTITIES) {
        e->failed = true;
        return 0;
    }
    if (i == e->identities)
        e->identity[e->identities++] = *wanted;
    return (uint16_t)(100 + i);
}

static uint16_t fresh_node(struct exploration *e, const struct graph *g, const struct identity *step, unsigned creator)
{
    struct identity wanted = *step;
    wanted.creator = (uint16_t)(creator + 1);
    for (wanted.times = 0; !e->failed; wanted.times++) {
        uint16_t node = number_of(e, &wanted);
        if (index_of(g, node) == g->nodes)
            return node;
    }
    return 0;
}

static void add_edge(struct exploration *e, struct graph *g, unsigned from, unsigned label, unsigned to)
{
    if (g->edges == GRAPH_EDGES)
        e->failed = true;
    else
        g->edge[g->edges++] = (struct draft_edge){(uint16_t)from, (uint16_t)label, (uint16_t)to};
}

/* What is not deleted. */
static void keep_rest(const struct graph *g, const struct rule_draft *rule, const struct application *a,
                      struct graph *next)
{
    memset(next, 0, sizeof *next);
    for (unsigned i = 0; i < g->nodes; i++)
        if (!deletes_node(rule, a, i))
            next->node[next->nodes++] = g->node[i];
    for (unsigned i = 0; i < g->edges; i++)
        if (!deletes_edge(g, rule, a, &g->edge[i]) && index_of(next, g->edge[i].from) < next->nodes &&
            (g->edge[i].label == GRAPH_VALUE || index_of(next, g->edge[i].to) < next->nodes))
            next->edge[next->edges++] = g->edge[i];
}

static void merge(struct graph *g, uint16_t from, uint16_t to)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < g->nodes; i++)
        if (g->node[i] != from || from == to)
            g->node[kept++] = g->node[i];
    g->nodes = (uint16_t)kept;
    for (unsigned i = 0; i < g->edges; i++) {
        if (g->edge[i].from == from)
            g->edge[i].from = to;
        if (g->edge[i].to == from)
            g->edge[i].to = to;
    }
}

/* The new nodes of one match; the images of the others. */
static void create_nodes(struct exploration *e, const struct graph *g, unsigned number, const struct application *a,
                         unsigned k, struct graph *next, uint16_t *image)
{
    const struct rule_draft *rule = &e->draft->rule[number];
    struct identity step;
    find_anchor(g, rule, &a->match[k], number, k > 0, &step);
    for (unsigned i = 0; i < rule->nodes; i++) {
        if (rule->role[i] == DRAFT_CREATE && rule->inner[i] == (k > 0)) {
            image[i] = fresh_node(e, g, &step, i);
            if (next->nodes == GRAPH_NODES)
                e->failed = true;
            else
                next->node[next->nodes++] = image[i];
            if (e->draft->typed)
                add_edge(e, next, image[i], GRAPH_LABELS + rule->type[i], image[i]);
        } else if (is_matched(rule->role[i]) && (k > 0 || !rule->inner[i])) {
            image[i] = g->node[a->match[k].image[i]];
        }
    }
}

static void create_edges(struct exploration *e, const struct rule_draft *rule, const struct match *m, bool inner,
                         struct graph *next, const uint16_t *image)
{
    for (unsigned i = 0; i < rule->edges && !e->failed; i++) {
        const struct draft_rule_edge *edge = &rule->edge[i];
        if (edge->role != DRAFT_CREATE || edge->kind == DRAFT_EQUAL || is_inner_edge(rule, i) != inner ||
            index_of(next, image[edge->from]) == next->nodes || index_of(next, image[edge->to]) == next->nodes)
            continue;
        add_edge(e, next, image[edge->from], edge->kind == DRAFT_LABEL ? edge->label : m->label, image[edge->to]);
    }
}

static void create_value(struct exploration *e, const struct rule_draft *rule, const struct match *m,
                         struct graph *next, const uint16_t *image)
{
    const struct draft_value *v = &rule->value;
    if (v->used && v->adds && index_of(next, image[v->target]) < next->nodes)
        add_edge(e, next, image[v->target], GRAPH_VALUE, FIRST_VALUE + m->value + v->more);
}

static void apply(struct exploration *e, const struct graph *g, unsigned number, const struct application *a)
{
    const struct rule_draft *rule = &e->draft->rule[number];
    struct graph next;
    uint16_t image[1 + MOST_INNER][GRAPH_RULE_NODES] = {0};
    keep_rest(g, rule, a, &next);
    for (unsigned k = 0; k < a->count && !e->failed; k++)
        create_nodes(e, g, number, a, k, &next, image[k]);
    for (unsigned k = 0; k < a->count && !e->failed; k++)
        create_edges(e, rule, &a->match[k], k > 0, &next, image[k]);
    create_value(e, rule, &a->match[0], &next, image[0]);
    for (unsigned i = 0; i < rule->edges; i++)
        if (rule->edge[i].role == DRAFT_CREATE && rule->edge[i].kind == DRAFT_EQUAL)
            merge(&next, image[0][rule->edge[i].to], image[0][rule->edge[i].from]);
    settle(&next);
    if (!e->failed)
        add_state(e, &next);
}

/* -------------------------------------------------------------------- exploration */

/* Each event once. */
static void find_step(struct exploration *e, const struct graph *g, unsigned number, struct application *a,
                      struct step *step)
{
    const struct rule_draft *rule = &e->draft->rule[number];
    unsigned kept = 0;
    memset(step, 0, sizeof *step);
    find_anchor(g, rule, &a->match[0], number, false, &step->root);
    for (unsigned k = 1; k < a->count && level_changes(rule, true); k++) {
        struct identity event;
        find_anchor(g, rule, &a->match[k], number, true, &event);
        event.creator = 999; /* it is no node */
        uint16_t found = number_of(e, &event);
        unsigned i = 0;
        while (i < kept && step->event[i] != found)
            i++;
        if (i < kept)
            continue;
        step->event[kept++] = found;
        a->match[kept] = a->match[k];
    }
    a->count = 1 + kept;
    qsort(step->event, kept, sizeof *step->event, compare_nodes);
}

static void propose(struct exploration *e, const struct graph *g, unsigned number, struct application *a)
{
    struct step step;
    if (e->draft->dangling && dangles(g, &e->draft->rule[number], a))
        return;
    e->facts->applies[number] = true;
    if (e->only_look)
        return;
    find_step(e, g, number, a, &step);
    for (unsigned i = 0; i < e->steps; i++)
        if (memcmp(&e->step[i], &step, sizeof step) == 0)
            return;
    if (e->steps == MOST_STEPS || e->failed) {
        e->failed = true;
        return;
    }
    e->step[e->steps++] = step;
    apply(e, g, number, a);
}

static void try_maps(struct exploration *e, const struct graph *g, unsigned number, struct match *m, unsigned placed,
                     bool inner);

/* The quantifier: all of its matches, or one of them. */
static void on_root(struct exploration *e, const struct graph *g, unsigned number, const struct match *m)
{
    enum draft_quantifier quantifier = e->draft->rule[number].quantifier;
    struct application a = {.match = {*m}, .count = 1};
    struct match below = *m;
    e->inner.count = 1;
    if (quantifier != DRAFT_PLAIN)
        try_maps(e, g, number, &below, 0, true);
    unsigned found = e->inner.count;
    if (found == 1 && (quantifier == DRAFT_EXISTS || quantifier == DRAFT_FORALL_NON_EMPTY))
        return;
    if (found == 1 || quantifier == DRAFT_FORALL || quantifier == DRAFT_FORALL_NON_EMPTY) {
        memcpy(a.match + 1, e->inner.match + 1, sizeof *a.match * (found - 1));
        a.count = found;
        propose(e, g, number, &a);
        return;
    }
    for (unsigned i = 1; i < found; i++) {
        a.match[1] = e->inner.match[i];
        a.count = 2;
        propose(e, g, number, &a);
    }
}

static void on_match(struct exploration *e, const struct graph *g, unsigned number, const struct match *m, bool inner)
{
    if (is_forbidden(e, g, &e->draft->rule[number], m, inner))
        return;
    if (!inner)
        on_root(e, g, number, m);
    else if (e->inner.count > MOST_INNER)
        e->failed = true;
    else
        e->inner.match[e->inner.count++] = *m;
}

static bool reads_all(const struct exploration *e, const struct graph *g, const struct rule_draft *rule,
                      const struct match *m, bool inner)
{
    for (unsigned i = 0; i < rule->edges; i++)
        if (is_matched(rule->edge[i].role) && is_inner_edge(rule, i) == inner && !holds(e, g, &rule->edge[i], m))
            return false;
    return true;
}

static bool has_value(const struct graph *g, unsigned node, unsigned value)
{
    for (unsigned i = 0; i < g->edges; i++)
        if (g->edge[i].label == GRAPH_VALUE && g->edge[i].from == g->node[node] && g->edge[i].to == FIRST_VALUE + value)
            return true;
    return false;
}

/* The options may forbid that the new value is there already. */
static bool is_value_forbidden(const struct exploration *e, const struct graph *g, const struct draft_value *v,
                               const struct match *m)
{
    return v->adds && (e->draft->rhs_is_nac || e->draft->creator_edges) &&
           has_value(g, m->image[v->target], m->value + v->more);
}

static void try_values(struct exploration *e, const struct graph *g, unsigned number, struct match *m)
{
    const struct draft_value *v = &e->draft->rule[number].value;
    for (m->value = 0; m->value < (v->bound ? v->bound : 10U); m->value++)
        if (has_value(g, m->image[v->node], m->value) && !is_value_forbidden(e, g, v, m))
            on_match(e, g, number, m, false);
}

static void try_labels(struct exploration *e, const struct graph *g, unsigned number, struct match *m, bool inner)
{
    const struct rule_draft *rule = &e->draft->rule[number];
    bool has_variable = false;
    for (unsigned i = 0; i < rule->edges; i++)
        has_variable |= rule->edge[i].kind == DRAFT_VARIABLE;
    for (m->label = 0; m->label < (has_variable ? GRAPH_BINARY : 1); m->label++)
        if (reads_all(e, g, rule, m, inner)) {
            if (rule->value.used && !inner)
                try_values(e, g, number, m);
            else
                on_match(e, g, number, m, inner);
        }
}

/* Every map of the nodes of one level. */
static void try_maps(struct exploration *e, const struct graph *g, unsigned number, struct match *m, unsigned placed,
                     bool inner)
{
    const struct rule_draft *rule = &e->draft->rule[number];
    if (placed == rule->nodes) {
        try_labels(e, g, number, m, inner);
        return;
    }
    if (!is_matched(rule->role[placed]) || rule->inner[placed] != inner) {
        try_maps(e, g, number, m, placed + 1, inner);
        return;
    }
    for (unsigned image = 0; image < g->nodes && !e->failed; image++) {
        bool fits = has_type(e, rule, placed, image);
        for (unsigned i = 0; i < rule->nodes && is_injective(e, rule); i++) {
            bool is_placed = rule->inner[i] == inner ? i < placed : inner;
            fits &= !is_matched(rule->role[i]) || !is_placed || m->image[i] != image;
        }
        m->image[placed] = image;
        if (fits)
            try_maps(e, g, number, m, placed + 1, inner);
    }
}

static bool changes(const struct rule_draft *rule)
{
    return level_changes(rule, false) || level_changes(rule, true);
}

static void index_edges(struct exploration *e, const struct graph *g)
{
    memset(e->by_label, 0, sizeof e->by_label);
    for (unsigned i = 0; i < g->edges; i++)
        if (g->edge[i].label != GRAPH_VALUE)
            e->by_label[g->edge[i].label][index_of(g, g->edge[i].from)] |= (uint16_t)(1U << index_of(g, g->edge[i].to));
}

static bool violates(const struct draft_multiplicity *m, const struct graph *g)
{
    for (unsigned i = 0; i < g->nodes && m->used; i++) {
        unsigned count = 0;
        for (unsigned k = 0; k < g->edges; k++)
            count += g->edge[k].label == m->label && (m->is_in ? g->edge[k].to : g->edge[k].from) == g->node[i];
        if (count < m->least || count > m->most)
            return true;
    }
    return false;
}

/* Conditions first, whatever their priority; then the highest priority that has a match.  Nothing happens in a graph
 * that violates a multiplicity; the start graph may not. */
static void expand(struct exploration *e, unsigned state)
{
    struct graph g = e->states[state];
    struct match m = {0};
    bool is_dead = violates(&e->draft->multiplicity, &g);
    e->failed |= is_dead && state == 0;
    e->only_look = is_dead;
    e->steps = 0;
    index_edges(e, &g);
    e->facts = &e->truth->facts[state];
    e->facts->nodes = g.nodes;
    for (unsigned i = 0; i < g.edges; i++)
        e->facts->edges[g.edge[i].label]++;
    for (unsigned r = 0; r < e->draft->rules; r++)
        if (!changes(&e->draft->rule[r]))
            try_maps(e, &g, r, &m, 0, false);
    unsigned conditions = e->steps;
    for (int priority = 1; priority >= 0; priority--) {
        e->only_look = is_dead || e->steps > conditions;
        for (unsigned r = 0; r < e->draft->rules; r++)
            if (changes(&e->draft->rule[r]) && e->draft->rule[r].priority == priority)
                try_maps(e, &g, r, &m, 0, false);
    }
    e->only_look = false;
    e->truth->transitions += e->steps;
    e->truth->finals += e->steps == conditions;
}

bool graph_draft_explore(const struct graph_draft *draft, struct graph_truth *truth)
{
    struct exploration *e = calloc(1, sizeof *e);
    struct graph start = {.nodes = draft->nodes, .edges = draft->edges};
    if (!e)
        return false;
    memset(truth, 0, sizeof *truth);
    e->draft = draft;
    e->truth = truth;
    for (unsigned i = 0; i < draft->nodes; i++)
        start.node[i] = (uint16_t)i;
    memcpy(start.edge, draft->edge, sizeof *start.edge * draft->edges);
    for (unsigned i = 0; i < draft->nodes; i++) {
        if (draft->typed)
            add_edge(e, &start, i, GRAPH_LABELS + draft->type[i], i);
        if (draft->value[i])
            add_edge(e, &start, i, GRAPH_VALUE, FIRST_VALUE + draft->value[i] - 1);
    }
    settle(&start);
    add_state(e, &start);
    for (unsigned i = 0; i < e->count && !e->failed; i++)
        expand(e, i);
    truth->states = e->count;
    bool fine = !e->failed;
    free(e);
    return fine;
}
