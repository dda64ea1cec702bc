/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search plans: greedily what is decided next, then what has the fewest candidates by the labels of the start graph
 * (the idea of Batz, Kroll and Geiss, "A first experimental evaluation of search plan driven graph pattern matching",
 * AGTIVE 2007).  Anchors are those of GROOVE.
 */
#include "graph/program.h"

#include "base/diagnostic.h"

#include <string.h>

static bool is_sought(enum role role)
{
    return role == ROLE_READER || role == ROLE_ERASER;
}

static bool add_once(numbers *set, uint32_t number)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->item[i] == number)
            return true;
    return vector_push(set, number);
}

static bool is_ancestor(const struct rule *rule, uint32_t level, uint32_t of)
{
    for (; of != NO_NUMBER; of = rule->levels.item[of].parent)
        if (of == level)
            return true;
    return false;
}

/* ------------------------------------------------------------------- plans */

struct planner {
    const struct program *program;
    const struct rule *rule;
    const uint32_t *frequency; /* of labels, in the start graph */
    uint32_t level, embargo;   /* embargo NO_NUMBER: the level itself */
    bool *bound;               /* by node */
    bool *done[STEP_EMBARGO + 1];
    search_plan *plan;
    bool failed;
};

/* Smaller is sooner; NEVER: it cannot be done yet. */
enum {
    CHECK,
    COMPUTE,
    FOLLOW,
    FOLLOW_ANY,
    FOLLOW_PATH,
    START,
    START_ANY = 1 << 28,
    COUNT = 1 << 29,
    NEVER = 1 << 30,
    GIVEN = NEVER - 1
};

/* Is the value given from outside?  Parameters are. */
static bool is_given(const struct planner *p, uint32_t node)
{
    for (size_t i = 0; i < p->rule->parameters.count; i++)
        if (p->rule->parameters.item[i].node == node)
            return true;
    return false;
}

static uint32_t cost_of_edge(const struct planner *p, const struct rule_edge *e)
{
    int bound = p->bound[e->from] + p->bound[e->to];
    if (bound == 2)
        return e->kind == EDGE_PATH ? COMPUTE : CHECK;
    if (e->is_negated)
        return NEVER;
    if (e->kind == EDGE_EQUAL)
        return bound ? COMPUTE : NEVER;
    if (bound)
        return e->kind == EDGE_LABEL ? FOLLOW : e->kind == EDGE_CHOICE ? FOLLOW_ANY : FOLLOW_PATH;
    if (e->kind != EDGE_LABEL)
        return START_ANY + 2;
    uint32_t frequency = p->frequency[e->label];
    return START + (frequency < START_ANY / 2 ? frequency : START_ANY / 2);
}

static uint32_t cost_of_node(const struct planner *p, uint32_t node)
{
    if (p->bound[node])
        return CHECK;
    if (p->rule->nodes.item[node].sort == SORT_NONE)
        return START_ANY;
    return is_given(p, node) ? GIVEN : NEVER;
}

static uint32_t cost_of_operation(const struct planner *p, const struct rule_operation *o)
{
    for (uint32_t i = 0; i < o->operand_count; i++)
        if (!p->bound[o->operand[i]])
            return NEVER;
    return p->bound[o->result] ? CHECK : COMPUTE;
}

/* Is a variable for labels still to be bound by this level? */
static bool lacks_label(const struct planner *p)
{
    const struct rule *r = p->rule;
    for (size_t i = 0; r->label_variables && i < r->edges.count; i++) {
        const struct rule_edge *e = &r->edges.item[i];
        if (e->kind == EDGE_CHOICE && is_sought(e->role) && !e->is_negated && e->level == p->level &&
            !p->done[STEP_EDGE][i])
            return true;
    }
    for (size_t i = 0; r->label_variables && i < r->nodes.count; i++)
        if (r->nodes.item[i].type_variable != NO_NUMBER && is_sought(r->nodes.item[i].role) &&
            r->nodes.item[i].level == p->level && !p->bound[i])
            return true;
    return false;
}

/* An embargo waits until all nodes are bound that it shares with the level, and all labels; in an injective rule its
 * own nodes differ from every other, so it waits for all. */
static uint32_t cost_of_embargo(const struct planner *p, uint32_t embargo)
{
    if (lacks_label(p))
        return NEVER;
    for (size_t i = 0; p->rule->is_injective && i < p->rule->nodes.count; i++)
        if (is_sought(p->rule->nodes.item[i].role) && p->rule->nodes.item[i].level == p->level && !p->bound[i])
            return NEVER;
    for (size_t i = 0; i < p->rule->edges.count; i++) {
        const struct rule_edge *e = &p->rule->edges.item[i];
        if (e->role == ROLE_EMBARGO && e->embargo == embargo)
            for (int k = 0; k < 2; k++) {
                uint32_t node = k ? e->to : e->from;
                if (p->rule->nodes.item[node].role != ROLE_EMBARGO && !p->bound[node])
                    return NEVER;
            }
    }
    for (size_t i = 0; i < p->rule->operations.count; i++) {
        const struct rule_operation *o = &p->rule->operations.item[i];
        for (uint32_t k = 0; o->embargo == embargo && k < o->operand_count; k++)
            if (p->rule->nodes.item[o->operand[k]].role != ROLE_EMBARGO && !p->bound[o->operand[k]])
                return NEVER;
    }
    return CHECK;
}

static bool belongs(const struct planner *p, enum role role, uint32_t level, uint32_t embargo)
{
    return p->embargo == NO_NUMBER ? is_sought(role) && level == p->level
                                   : role == ROLE_EMBARGO && embargo == p->embargo;
}

/* What of a kind has to be done in this plan, and what it would cost now. */
static uint32_t cost(const struct planner *p, struct step step)
{
    const struct rule *r = p->rule;
    switch (step.kind) {
    case STEP_NODE: {
        const struct rule_node *n = &r->nodes.item[step.item];
        return belongs(p, n->role, n->level, n->embargo) ? cost_of_node(p, step.item) : UINT32_MAX;
    }
    case STEP_EDGE: {
        const struct rule_edge *e = &r->edges.item[step.item];
        return belongs(p, e->role, e->level, e->embargo) ? cost_of_edge(p, e) : UINT32_MAX;
    }
    case STEP_OPERATION: {
        const struct rule_operation *o = &r->operations.item[step.item];
        return o->embargo == p->embargo && (p->embargo != NO_NUMBER || o->level == p->level) ? cost_of_operation(p, o)
                                                                                             : UINT32_MAX;
    }
    case STEP_COUNT:
        return p->embargo == NO_NUMBER && r->levels.item[step.item].parent == p->level &&
                       r->levels.item[step.item].count != NO_NUMBER
                   ? COUNT
                   : UINT32_MAX;
    case STEP_EMBARGO:
        return p->embargo == NO_NUMBER && r->embargoes.item[step.item].level == p->level ? cost_of_embargo(p, step.item)
                                                                                         : UINT32_MAX;
    }
    return UINT32_MAX;
}

static size_t items_of(const struct rule *r, enum step_kind kind)
{
    const size_t counts[] = {r->nodes.count, r->edges.count, r->operations.count, r->levels.count, r->embargoes.count};
    return counts[kind];
}

/* The cheapest thing that is left; its cost is UINT32_MAX when nothing is. */
static uint32_t cheapest(const struct planner *p, struct step *best)
{
    uint32_t least = UINT32_MAX;
    for (int kind = STEP_NODE; kind <= STEP_EMBARGO; kind++)
        for (uint32_t i = 0; i < items_of(p->rule, (enum step_kind)kind); i++) {
            struct step step = {(enum step_kind)kind, i};
            uint32_t now = p->done[kind][i] ? UINT32_MAX : cost(p, step);
            if (now < least) {
                least = now;
                *best = step;
            }
        }
    return least;
}

static void bind_by(struct planner *p, struct step step)
{
    switch (step.kind) {
    case STEP_NODE: p->bound[step.item] = true; break;
    case STEP_EDGE:
        p->bound[p->rule->edges.item[step.item].from] = true;
        p->bound[p->rule->edges.item[step.item].to] = true;
        break;
    case STEP_OPERATION: p->bound[p->rule->operations.item[step.item].result] = true; break;
    case STEP_COUNT: p->bound[p->rule->levels.item[step.item].count] = true; break;
    case STEP_EMBARGO: break;
    }
}

static enum portolan_status plan_all(struct planner *p, struct portolan_error *error)
{
    struct step step = {0};
    for (uint32_t least; (least = cheapest(p, &step)) != UINT32_MAX;) {
        if (least >= NEVER) {
            return fail(error, PORTOLAN_BAD_INPUT, "rule '%.100s': nothing determines the value of node '%.100s'",
                        p->rule->name,
                        step.kind == STEP_NODE && p->rule->nodes.item[step.item].name
                            ? p->rule->nodes.item[step.item].name
                            : "?");
        }
        p->done[step.kind][step.item] = true;
        if (!(step.kind == STEP_NODE && least == CHECK) && !vector_push(p->plan, step))
            return fail_memory(error);
        bind_by(p, step);
    }
    return PORTOLAN_OK;
}

/* Bound before: constants, what the levels above bind, and, in an embargo, what its own level binds. */
static void bind_before(struct planner *p)
{
    for (uint32_t i = 0; i < p->rule->nodes.count; i++) {
        const struct rule_node *n = &p->rule->nodes.item[i];
        bool above = is_sought(n->role) && is_ancestor(p->rule, n->level, p->level);
        p->bound[i] =
            p->program->constants[i] != NO_NUMBER || (above && (n->level != p->level || p->embargo != NO_NUMBER));
    }
}

/* given: a node that is bound before, too, or NO_NUMBER. */
static enum portolan_status make_plan(const struct program *program, const uint32_t *frequency, uint32_t level,
                                      uint32_t embargo, uint32_t given, search_plan *plan, struct portolan_error *error)
{
    struct planner p = {.program = program,
                        .rule = program->rule,
                        .frequency = frequency,
                        .level = level,
                        .embargo = embargo,
                        .plan = plan};
    bool fine = (p.bound = calloc(program->rule->nodes.count + 1, 1));
    for (int kind = STEP_NODE; kind <= STEP_EMBARGO; kind++)
        fine = (p.done[kind] = calloc(items_of(p.rule, (enum step_kind)kind) + 1, 1)) && fine;
    if (fine)
        bind_before(&p);
    if (fine && given != NO_NUMBER)
        p.bound[given] = true;
    enum portolan_status status = fine ? plan_all(&p, error) : fail_memory(error);
    free(p.bound);
    for (int kind = STEP_NODE; kind <= STEP_EMBARGO; kind++)
        free(p.done[kind]);
    return status;
}

/* ----------------------------------------------------------------- anchors */

static bool add_to_anchor(struct program *p, uint32_t level, uint32_t node)
{
    if (p->constants[node] != NO_NUMBER || !is_sought(p->rule->nodes.item[node].role))
        return true;
    return add_once(&p->levels[level].anchor, node);
}

static bool anchor_edge(struct program *p, uint32_t edge)
{
    const struct rule_edge *e = &p->rule->edges.item[edge];
    if (e->role != ROLE_ERASER && e->role != ROLE_CREATOR)
        return true;
    p->levels[e->level].changes = true;
    bool fine = add_to_anchor(p, e->level, e->from) && add_to_anchor(p, e->level, e->to);
    return fine && (e->kind != EDGE_CHOICE || add_once(&p->levels[e->level].anchor, label_binding(p->rule, edge)));
}

static bool anchor_node(struct program *p, uint32_t node)
{
    const struct rule_node *n = &p->rule->nodes.item[node];
    struct level_program *level = &p->levels[n->level];
    if (n->role == ROLE_CREATOR && n->sort == SORT_NONE) {
        level->changes = true;
        return vector_push(&level->creators, node) &&
               (n->type_variable == NO_NUMBER || add_once(&level->anchor, variable_binding(p->rule, n->type_variable)));
    }
    if (n->role != ROLE_ERASER)
        return true;
    level->changes = true;
    return add_to_anchor(p, n->level, node);
}

/* What a level below changes something with belongs to the anchors of the levels that bind it; and an application of a
 * level that uses what the level above creates tells which application of that one it belongs to. */
static bool anchor_shared(struct program *p, const struct rule_edge *e)
{
    const struct rule *r = p->rule;
    bool fine = true;
    for (int k = 0; k < 2 && p->levels[e->level].changes; k++) {
        uint32_t node = k ? e->to : e->from, above = r->nodes.item[node].level;
        if (above == e->level || e->role == ROLE_EMBARGO)
            continue;
        fine = fine && add_to_anchor(p, above, node);
        if (r->nodes.item[node].role == ROLE_CREATOR)
            for (size_t i = 0; i < p->levels[above].anchor.count && fine; i++)
                fine = add_once(&p->levels[e->level].anchor, p->levels[above].anchor.item[i]);
    }
    return fine;
}

static bool make_anchors(struct program *p)
{
    const struct rule *r = p->rule;
    bool fine = true;
    for (uint32_t i = 0; i < r->parameters.count && fine; i++)
        fine = r->nodes.item[r->parameters.item[i].node].role == ROLE_CREATOR ||
               add_to_anchor(p, 0, r->parameters.item[i].node);
    for (uint32_t i = 0; i < r->nodes.count && fine; i++)
        fine = anchor_node(p, i);
    for (uint32_t i = 0; i < r->edges.count && fine; i++)
        fine = anchor_edge(p, i);
    for (uint32_t i = 0; i < r->edges.count && fine; i++)
        fine = anchor_shared(p, &r->edges.item[i]);
    for (uint32_t i = 1; i < r->levels.count && fine; i++)
        fine = vector_push(&p->levels[r->levels.item[i].parent].children, i);
    return fine;
}

/* --------------------------------------------------------------- compiling */

static bool allocate(struct program *p, struct universe *u)
{
    const struct rule *r = p->rule;
    p->bindings = (uint32_t)(r->nodes.count + r->label_variables + r->edges.count);
    p->levels = calloc(r->levels.count, sizeof *p->levels);
    p->embargoes = calloc(r->embargoes.count + 1, sizeof *p->embargoes);
    p->from_node = calloc(r->nodes.count + 1, sizeof *p->from_node);
    p->constants = malloc((p->bindings + 1) * sizeof *p->constants);
    p->is_plain = calloc(r->nodes.count + 1, 1);
    if (!p->levels || !p->embargoes || !p->from_node || !p->constants || !p->is_plain)
        return false;
    for (size_t i = 0; i < r->nodes.count; i++)
        p->is_plain[i] = !r->is_injective && r->nodes.item[i].type == NO_NUMBER &&
                         r->nodes.item[i].type_variable == NO_NUMBER && r->nodes.item[i].sort == SORT_NONE;
    memset(p->constants, 0xff, (p->bindings + 1) * sizeof *p->constants);
    for (size_t i = 0; i < r->nodes.count; i++)
        if (r->nodes.item[i].value != NO_NUMBER &&
            (p->constants[i] = node_of_value(u, r->nodes.item[i].value)) == NO_NUMBER)
            return false;
    return true;
}

static uint32_t *count_labels(const struct grammar *g)
{
    uint32_t *frequency = calloc(g->labels.count + 1, sizeof *frequency);
    for (size_t i = 0; frequency && i < g->start.edges.count; i++)
        frequency[g->start.edges.item[i].label]++;
    return frequency;
}

enum portolan_status program_make(struct program *p, struct universe *u, uint32_t number, struct portolan_error *error)
{
    const struct rule *r = &u->grammar->rules.item[number];
    uint32_t *frequency = count_labels(u->grammar);
    *p = (struct program){.rule = r, .number = number, .is_condition = is_condition(r)};
    enum portolan_status status = frequency && allocate(p, u) && make_anchors(p) ? PORTOLAN_OK : fail_memory(error);
    for (uint32_t i = 0; i < r->levels.count && status == PORTOLAN_OK; i++)
        status = make_plan(p, frequency, i, NO_NUMBER, NO_NUMBER, &p->levels[i].plan, error);
    for (uint32_t i = 0; i < r->nodes.count && status == PORTOLAN_OK; i++)
        if (is_sought(r->nodes.item[i].role) && r->nodes.item[i].level == 0)
            status = make_plan(p, frequency, 0, NO_NUMBER, i, &p->from_node[i], error);
    for (uint32_t i = 0; i < r->embargoes.count && status == PORTOLAN_OK; i++)
        status = make_plan(p, frequency, r->embargoes.item[i].level, i, NO_NUMBER, &p->embargoes[i], error);
    free(frequency);
    return status;
}

void program_clear(struct program *p)
{
    for (size_t i = 0; p->levels && i < p->rule->levels.count; i++) {
        free(p->levels[i].plan.item);
        free(p->levels[i].anchor.item);
        free(p->levels[i].children.item);
        free(p->levels[i].creators.item);
    }
    for (size_t i = 0; p->embargoes && i < p->rule->embargoes.count; i++)
        free(p->embargoes[i].item);
    for (size_t i = 0; p->from_node && i < p->rule->nodes.count; i++)
        free(p->from_node[i].item);
    free(p->from_node);
    free(p->label_use);
    free(p->levels);
    free(p->embargoes);
    free(p->constants);
    free(p->is_plain);
}
