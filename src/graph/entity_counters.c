/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the view must know of a rule: which counters it asks for, and the part of its root that can be matched into a
 * union of graphs.
 *
 * The plans (program.h) say how each edge is looked for: between two bound nodes, which asks for that edge only, from
 * one of them, or anywhere.
 */
#include "graph/entities.h"

#include <string.h>

struct survey {
    const struct grammar *grammar;
    const struct program *program;
    struct counters *counters;
    bool *bound;  /* by node */
    bool counts;  /* a level has a number of matches, or a part is bound before */
    bool is_root; /* whose edges and nodes were found in the union: only paths are still looked for */
};

/* ---------------------------------------------------------------- counters */

static void ask_path(struct survey *s, const struct path *path)
{
    for (size_t i = 0; i < path->steps.count; i++) {
        const struct path_step *step = &path->steps.item[i];
        if (step->kind == PATH_CHOICE)
            s->counters->links = s->counters->value_links = true;
        else if (step->kind == PATH_LABEL)
            s->counters->in[step->label] = s->counters->out[step->label] = true;
    }
}

static void ask_edge(struct survey *s, const struct rule_edge *e)
{
    bool from = s->bound[e->from], to = s->bound[e->to], none = !from && !to;
    if (e->kind == EDGE_PATH)
        ask_path(s, &s->program->rule->paths.item[e->path]);
    if (e->kind == EDGE_PATH && none)
        s->counters->anywhere[s->grammar->labels.count] = true;
    if (e->kind == EDGE_CHOICE && !s->is_root)
        s->counters->links = s->counters->value_links = true;
    if (e->kind == EDGE_CHOICE && !s->is_root && none)
        memset(s->counters->anywhere, true, s->grammar->labels.count);
    if (e->kind != EDGE_LABEL || s->is_root)
        return;
    if (s->counts) /* matches are looked for before all of the root is bound */
        s->counters->out[e->label] = s->counters->in[e->label] = true;
    if (from && to)
        return;
    (none ? s->counters->anywhere : from ? s->counters->out : s->counters->in)[e->label] = true;
}

static void ask_plan(struct survey *s, const search_plan *plan)
{
    const struct rule *r = s->program->rule;
    for (size_t i = 0; i < plan->count; i++) {
        const struct step *step = &plan->item[i];
        switch (step->kind) {
        case STEP_NODE:
            s->counters->anywhere[s->grammar->labels.count] |=
                !s->is_root && !s->bound[step->item] && r->nodes.item[step->item].sort == SORT_NONE;
            s->bound[step->item] = true;
            break;
        case STEP_EDGE:
            ask_edge(s, &r->edges.item[step->item]);
            s->bound[r->edges.item[step->item].from] = s->bound[r->edges.item[step->item].to] = true;
            break;
        case STEP_OPERATION: s->bound[r->operations.item[step->item].result] = true; break;
        case STEP_COUNT: s->bound[r->levels.item[step->item].count] = true; break;
        case STEP_EMBARGO: break;
        }
    }
}

static bool is_above(const struct rule *r, uint32_t level, uint32_t of)
{
    for (of = r->levels.item[of].parent; of != NO_NUMBER; of = r->levels.item[of].parent)
        if (of == level)
            return true;
    return false;
}

/* Constants, and what the levels above bind; for an embargo also what its own level binds. */
static void bind_before(struct survey *s, uint32_t level, bool with_level)
{
    const struct rule *r = s->program->rule;
    for (uint32_t i = 0; i < r->nodes.count; i++) {
        const struct rule_node *n = &r->nodes.item[i];
        s->bound[i] = s->program->constants[i] != NO_NUMBER ||
                      (n->role <= ROLE_ERASER && (is_above(r, n->level, level) || (with_level && n->level == level)));
    }
}

/* anywhere: it is asked whether it matches anywhere. */
static void ask_rule(struct survey *s, bool anywhere)
{
    const struct rule *r = s->program->rule;
    for (uint32_t i = 0; i < r->levels.count; i++)
        s->counts |= r->levels.item[i].count != NO_NUMBER;
    for (uint32_t i = 0; i < r->levels.count; i++) {
        s->is_root = i == 0;
        bind_before(s, i, i == 0);
        ask_plan(s, &s->program->levels[i].plan);
    }
    s->is_root = false;
    for (uint32_t i = 0; i < r->embargoes.count; i++) {
        bind_before(s, r->embargoes.item[i].level, true);
        ask_plan(s, &s->program->embargoes[i]);
    }
    if (anywhere) {
        bind_before(s, 0, false);
        ask_plan(s, &s->program->levels[0].plan);
    }
    for (size_t i = 0; i < r->nodes.count; i++)
        s->counters->links |= r->nodes.item[i].role == ROLE_ERASER;
    for (size_t i = 0; i < r->edges.count; i++)
        if (r->edges.item[i].kind == EDGE_EQUAL && r->edges.item[i].role == ROLE_CREATOR)
            s->counters->links = s->counters->value_links = s->counters->types_change = true;
}

/* ------------------------------------------------------- nodes that stay */

static bool is_loop(const struct rule_edge *e, uint32_t node)
{
    return e->from == node && e->to == node;
}

/* A loop with a label is born if no rule adds one to a node that is there. */
static void find_born(const struct graph_view *v, bool *is_born)
{
    memset(is_born, true, v->engine->grammar->labels.count + 1);
    for (size_t i = 0; i < v->viewed.count; i++) {
        const struct rule *r = v->engine->programs[v->viewed.item[i]].rule;
        for (size_t k = 0; k < r->edges.count; k++) {
            const struct rule_edge *e = &r->edges.item[k];
            if (e->role != ROLE_CREATOR)
                continue;
            if (e->kind != EDGE_LABEL)
                memset(is_born, false, v->engine->grammar->labels.count + 1);
            else if (r->nodes.item[e->from].role != ROLE_CREATOR)
                is_born[e->label] = false;
        }
    }
}

/* Might the node have had a loop with the label when it came to be? */
static bool had_loop(const struct graph_view *v, uint32_t node, uint32_t label)
{
    enum { RULE = 1, CREATOR = 3 };
    struct engine *e = v->engine;
    size_t length;
    const uint32_t *key = sequence_get(&e->universe.node_keys, node, &length);
    if (key[0] != NODE_CREATED)
        return !engine_load(e, e->initial) || find_edge(&e->present, node, label, node) != NO_NUMBER;
    const struct rule *r = &e->grammar->rules.item[key[RULE]];
    for (size_t i = 0; i < r->edges.count; i++)
        if (r->edges.item[i].role == ROLE_CREATOR && r->edges.item[i].label == label &&
            is_loop(&r->edges.item[i], key[CREATOR]))
            return true;
    return false;
}

/* Might the node of a rule be matched to it, as far as loops tell that a node has from the beginning or never? */
static bool might_be(const struct graph_view *v, const struct rule *r, uint32_t of_rule, uint32_t node)
{
    for (size_t i = 0; i < r->edges.count; i++) {
        const struct rule_edge *e = &r->edges.item[i];
        if (e->role <= ROLE_ERASER && e->kind == EDGE_LABEL && !e->is_negated && is_loop(e, of_rule) &&
            e->level == r->nodes.item[of_rule].level && v->counters.is_born[e->label] && !had_loop(v, node, e->label))
            return false;
    }
    return true;
}

static bool can_go(const struct graph_view *v, uint32_t node)
{
    for (size_t i = 0; i < v->viewed.count; i++) {
        const struct rule *r = v->engine->programs[v->viewed.item[i]].rule;
        for (uint32_t k = 0; k < r->nodes.count; k++)
            if (r->nodes.item[k].role == ROLE_ERASER && might_be(v, r, k, node))
                return true;
    }
    return false;
}

/* Without wildcards, paths and mergers only rules that delete a node ask for its links. */
bool counts_links(struct graph_view *v, uint32_t node)
{
    struct counters *c = &v->counters;
    enum { STAYS = 1, GOES = 2 };
    if (!c->links || c->value_links || value_of_node(&v->engine->universe, node) != NO_NUMBER)
        return c->links && c->value_links;
    while (c->can_go.count <= node)
        if (!vector_push(&c->can_go, 0))
            return true;
    if (!c->can_go.item[node])
        c->can_go.item[node] = can_go(v, node) ? GOES : STAYS;
    return c->can_go.item[node] == GOES;
}

/* ---------------------------------------------------------------- finding */

/* Is it asked whether the rule matches anywhere: because others give way, or because the program wants to know? */
static bool is_asked(const struct graph_view *v, const struct program *p)
{
    const struct engine *e = v->engine;
    return e->controller ? control_asks(e->grammar->control, p->number)
                         : p->rule->priority > e->programs[v->viewed.item[v->viewed.count - 1]].rule->priority;
}

bool find_counters(struct graph_view *v)
{
    const struct engine *e = v->engine;
    struct counters *counters = &v->counters;
    size_t labels = e->grammar->labels.count + 1;
    bool fine = (counters->out = calloc(labels, 1)) && (counters->in = calloc(labels, 1)) &&
                (counters->anywhere = calloc(labels, 1)) && (counters->is_born = calloc(labels, 1));
    if (fine)
        find_born(v, counters->is_born);
    counters->types_change = !e->grammar->is_typed;
    for (size_t i = 0; i < v->viewed.count && fine; i++) {
        const struct program *p = &e->programs[v->viewed.item[i]];
        bool asked = is_asked(v, p);
        struct survey s = {.grammar = e->grammar, .program = p, .counters = counters};
        s.counts = asked && e->controller; /* it may give any of the nodes */
        fine = (s.bound = calloc(p->rule->nodes.count + 1, 1));
        if (fine)
            ask_rule(&s, asked);
        free(s.bound);
    }
    return fine;
}

void counters_clear(struct counters *counters)
{
    free(counters->out);
    free(counters->in);
    free(counters->anywhere);
    free(counters->is_born);
    free(counters->can_go.item);
}

/* --------------------------------------------------------------- skeletons */

/* The steps of the root's plan that look for nodes and single edges, and a node to begin with for each path that has
 * none. */
static bool make_skeleton(struct viewed_rule *v, bool *bound)
{
    const struct rule *r = v->program->rule;
    const search_plan *plan = &v->program->levels[0].plan;
    bool fine = true;
    v->is_single = true;
    for (size_t i = 0; i < plan->count && fine; i++) {
        struct step step = plan->item[i];
        const struct rule_edge *e = step.kind == STEP_EDGE ? &r->edges.item[step.item] : NULL;
        bool is_path = e && e->kind == EDGE_PATH;
        if (is_path || step.kind == STEP_COUNT)
            v->is_single = false;
        if (is_path && !bound[e->from] && !bound[e->to])
            step = (struct step){STEP_NODE, e->from};
        else if (step.kind != STEP_NODE && (!e || e->kind > EDGE_CHOICE))
            continue;
        if (step.kind == STEP_NODE)
            bound[step.item] = true;
        else
            bound[e->from] = bound[e->to] = true;
        fine = vector_push(&v->skeleton, step);
    }
    for (size_t i = 0; i < r->edges.count; i++)
        v->is_single = v->is_single && !r->edges.item[i].is_negated;
    return fine;
}

bool view_rules(struct graph_view *view)
{
    const struct engine *e = view->engine;
    bool fine = true;
    for (uint32_t i = 0; e->controller && i < e->grammar->rules.count && fine; i++)
        fine = !e->programs[i].rule || vector_push(&view->viewed, i);
    for (size_t i = 0; !e->controller && i < e->by_priority.count && fine; i++)
        fine = vector_push(&view->viewed, e->by_priority.item[i]);
    fine = fine && (view->rules = calloc(view->viewed.count + 1, sizeof *view->rules));
    for (size_t i = 0; i < view->viewed.count && fine; i++) {
        struct viewed_rule *v = &view->rules[i];
        v->program = &e->programs[view->viewed.item[i]];
        size_t nodes = v->program->rule->nodes.count;
        bool *bound = calloc(nodes + 1, 1);
        for (size_t n = 0; n < nodes && bound; n++)
            bound[n] = v->program->constants[n] != NO_NUMBER;
        fine = bound && make_skeleton(v, bound);
        free(bound);
    }
    return fine;
}

void rules_clear(struct graph_view *view)
{
    for (size_t i = 0; view->rules && i < view->viewed.count; i++)
        free(view->rules[i].skeleton.item);
    free(view->rules);
    free(view->viewed.item);
}
