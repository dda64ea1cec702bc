/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
/*
 * Matching by backtracking along a plan (program.h).  Nested levels as in Rensink and Kuperus, "Repotting the
 * geraniums" (GT-VMT 2009): a universal level takes part with all its matches, an existential one below it with a
 * choice for each.
 */
#include "graph/match.h"

#include "base/limits.h"
#include "graph/path.h"
#include "graph/values.h"

#include <string.h>

/* What happens when a plan has been gone through; false ends the search. */
struct goal {
    bool (*reached)(struct matcher *m, struct goal *goal);
    const search_plan *plan;
    size_t count;
    numbers *images;
};

static bool go_on(struct matcher *m, size_t at, struct goal *goal);

/* ----------------------------------------------------------------- binding */

static bool has_type(const struct matcher *m, const struct rule_node *n, uint32_t image, uint32_t *type)
{
    const struct grammar *g = m->universe->grammar;
    const links *out = links_out(m->present, image);
    *type = NO_NUMBER;
    for (size_t i = 0; i < out->count && *type == NO_NUMBER; i++) {
        uint32_t label = out->item[i].label;
        if (g->labels.item[label].kind != LABEL_TYPE || out->item[i].other != image)
            continue;
        if (n->type == NO_NUMBER || label == n->type || (!n->is_exact_type && is_subtype(g, label, n->type)))
            *type = label;
    }
    if (m->present->looks)
        looks_note_type(m->present->looks, g, image, n->type, n->is_exact_type, *type);
    return *type != NO_NUMBER;
}

/* Different nodes that are no edges have different images in injective rules.  An embargo counts only when it has nodes
 * of its own. */
static bool is_taken(const struct matcher *m, uint32_t node, uint32_t image)
{
    const struct rule *r = m->program->rule;
    for (uint32_t i = 0; i < r->nodes.count; i++)
        if (i != node && m->image.item[i] == image && r->nodes.item[i].sort == SORT_NONE && !r->nodes.item[i].is_edge)
            return true;
    return false;
}

static bool fits(struct matcher *m, uint32_t node, uint32_t image)
{
    const struct rule_node *n = &m->program->rule->nodes.item[node];
    uint32_t value = value_of_node(m->universe, image), type = NO_NUMBER;
    if (m->program->is_plain[node] && value == NO_NUMBER)
        return true;
    if (image == FAILED_NODE)
        return true;
    if (n->sort != SORT_NONE || value != NO_NUMBER)
        return value != NO_NUMBER && m->universe->grammar->values.item[value].sort == n->sort;
    if (m->program->rule->is_injective && is_taken(m, node, image))
        return false;
    if (n->type == NO_NUMBER && n->type_variable == NO_NUMBER)
        return true;
    if (!has_type(m, n, image, &type))
        return false;
    if (n->type_variable == NO_NUMBER)
        return true;
    uint32_t *bound = &m->image.item[variable_binding(m->program->rule, n->type_variable)];
    return *bound == NO_NUMBER || *bound == type;
}

static void bind_type(struct matcher *m, uint32_t node, uint32_t image)
{
    const struct rule_node *n = &m->program->rule->nodes.item[node];
    uint32_t type;
    if (n->type_variable != NO_NUMBER && has_type(m, n, image, &type))
        m->image.item[variable_binding(m->program->rule, n->type_variable)] = type;
}

/* Binds a node, or finds it bound to the same; *mine says whether it is to be undone. */
static bool bind(struct matcher *m, uint32_t node, uint32_t image, bool *mine)
{
    uint32_t *bound = &m->image.item[node];
    *mine = *bound == NO_NUMBER;
    if (!*mine)
        return *bound == image || image == FAILED_NODE || *bound == FAILED_NODE;
    if (!fits(m, node, image)) {
        *mine = false;
        return false;
    }
    *bound = image;
    if (!m->program->is_plain[node])
        bind_type(m, node, image);
    return true;
}

static void undo(struct matcher *m, uint32_t binding, bool mine)
{
    if (mine)
        m->image.item[binding] = NO_NUMBER;
}

/* The type variable of a node is free again when no other node with it is bound. */
static void undo_node(struct matcher *m, uint32_t node, bool mine)
{
    const struct rule *r = m->program->rule;
    undo(m, node, mine);
    if (m->program->is_plain[node])
        return;
    uint32_t variable = r->nodes.item[node].type_variable;
    for (size_t i = 0; i < r->nodes.count && mine && variable != NO_NUMBER; i++)
        if (r->nodes.item[i].type_variable == variable && m->image.item[i] != NO_NUMBER)
            mine = false;
    if (variable != NO_NUMBER)
        undo(m, variable_binding(r, variable), mine);
}

/* ------------------------------------------------------------------- steps */

static bool try_node(struct matcher *m, size_t at, struct goal *goal, uint32_t node, uint32_t image)
{
    bool mine, more = true;
    if (bind(m, node, image, &mine))
        more = go_on(m, at + 1, goal);
    undo_node(m, node, mine);
    return more;
}

static bool try_ends(struct matcher *m, size_t at, struct goal *goal, const struct rule_edge *e, uint32_t from,
                     uint32_t to)
{
    bool mine, more = true;
    if (bind(m, e->from, from, &mine))
        more = try_node(m, at, goal, e->to, to);
    undo_node(m, e->from, mine);
    return more;
}

static bool takes(const struct matcher *m, const struct label_choice *choice, uint32_t label)
{
    if (label >= m->universe->node_label || m->universe->grammar->labels.item[label].kind != choice->kind)
        return false;
    for (size_t i = 0; i < choice->labels.count; i++)
        if (choice->labels.item[i] == label)
            return !choice->is_complement;
    return choice->is_complement;
}

/* A label that an edge may have, which is bound where the edge is a wildcard. */
static bool try_label(struct matcher *m, size_t at, struct goal *goal, uint32_t edge, struct entity found)
{
    const struct rule_edge *e = &m->program->rule->edges.item[edge];
    if (e->kind == EDGE_LABEL)
        return found.label != e->label || try_ends(m, at, goal, e, found.from, found.to);
    if (!takes(m, &m->program->rule->choices.item[e->choice], found.label))
        return true;
    uint32_t binding = label_binding(m->program->rule, edge), *bound = &m->image.item[binding];
    if (*bound != NO_NUMBER && *bound != found.label)
        return true;
    bool mine = *bound == NO_NUMBER;
    *bound = found.label;
    bool more = try_ends(m, at, goal, e, found.from, found.to);
    undo(m, binding, mine);
    return more;
}

static bool try_label_list(struct matcher *m, size_t at, struct goal *goal, uint32_t edge, uint32_t label)
{
    const numbers *list = &m->present->by_label[label];
    bool more = true;
    note_look(m->present, LOOK_LABEL, 0, label, 0);
    for (size_t i = 0; i < list->count && more; i++)
        more = try_label(m, at, goal, edge, *entity_get(m->universe, list->item[i]));
    return more;
}

/* An edge with a label of which at least one end is bound. */
static bool follow_label(struct matcher *m, size_t at, struct goal *goal, const struct rule_edge *e)
{
    uint32_t from = m->image.item[e->from], to = m->image.item[e->to], next = to == NO_NUMBER ? e->to : e->from;
    if (from != NO_NUMBER && to != NO_NUMBER) {
        note_look(m->present, LOOK_EDGE, from, e->label, to);
        return find_edge(m->present, from, e->label, to) == NO_NUMBER || go_on(m, at + 1, goal);
    }
    const links *some = from != NO_NUMBER ? links_out(m->present, from) : links_in(m->present, to);
    bool more = true;
    note_look(m->present, from != NO_NUMBER ? LOOK_OUT : LOOK_IN, from != NO_NUMBER ? from : to, e->label, 0);
    for (size_t i = 0; i < some->count && more; i++)
        if (some->item[i].label == e->label)
            more = try_node(m, at, goal, next, some->item[i].other);
    return more;
}

/* The same for a wildcard. */
static bool follow_choice(struct matcher *m, size_t at, struct goal *goal, uint32_t edge)
{
    const struct rule_edge *e = &m->program->rule->edges.item[edge];
    uint32_t from = m->image.item[e->from], to = m->image.item[e->to];
    uint32_t label = m->image.item[label_binding(m->program->rule, edge)];
    if (from != NO_NUMBER && to != NO_NUMBER && label != NO_NUMBER) {
        note_look(m->present, LOOK_EDGE, from, label, to);
        return find_edge(m->present, from, label, to) == NO_NUMBER ||
               try_label(m, at, goal, edge, (struct entity){from, label, to});
    }
    const links *some = from != NO_NUMBER ? links_out(m->present, from) : links_in(m->present, to);
    bool more = true;
    note_look(m->present, LOOK_LINKS, from != NO_NUMBER ? from : to, 0, 0);
    for (size_t i = 0; i < some->count && more; i++) {
        const struct link *link = &some->item[i];
        more = try_label(m, at, goal, edge,
                         from != NO_NUMBER ? (struct entity){from, link->label, link->other}
                                           : (struct entity){link->other, link->label, to});
    }
    return more;
}

static bool step_edge(struct matcher *m, size_t at, struct goal *goal, uint32_t edge)
{
    const struct rule_edge *e = &m->program->rule->edges.item[edge];
    bool more = true;
    if (m->image.item[e->from] != NO_NUMBER || m->image.item[e->to] != NO_NUMBER)
        return e->kind == EDGE_LABEL ? follow_label(m, at, goal, e) : follow_choice(m, at, goal, edge);
    if (e->kind == EDGE_LABEL)
        return try_label_list(m, at, goal, edge, e->label);
    for (uint32_t label = 0; label < m->universe->node_label && more; label++)
        more = try_label_list(m, at, goal, edge, label);
    return more;
}

static bool step_equal(struct matcher *m, size_t at, struct goal *goal, const struct rule_edge *e)
{
    uint32_t from = m->image.item[e->from], to = m->image.item[e->to];
    return from == NO_NUMBER ? try_node(m, at, goal, e->from, to) : try_node(m, at, goal, e->to, from);
}

static bool step_node(struct matcher *m, size_t at, struct goal *goal, uint32_t node)
{
    const struct rule_node *n = &m->program->rule->nodes.item[node];
    if (m->image.item[node] != NO_NUMBER)
        return go_on(m, at + 1, goal);
    if (n->sort != SORT_NONE)
        return true; /* a parameter that was not given */
    const numbers *list = &m->present->by_label[m->universe->node_label];
    bool more = true;
    note_look(m->present, LOOK_LABEL, 0, m->universe->node_label, 0);
    for (size_t i = 0; i < list->count && more; i++)
        more = try_node(m, at, goal, node, entity_get(m->universe, list->item[i])->from);
    return more;
}

/* The ends that a path reaches from its bound end, each tried. */
static bool try_path_ends(struct matcher *m, size_t at, struct goal *goal, const struct rule_edge *e)
{
    uint32_t from = m->image.item[e->from], to = m->image.item[e->to];
    struct path_walk walk = {.matcher = m,
                             .rule = m->program->rule,
                             .path = &m->program->rule->paths.item[e->path],
                             .backwards = from == NO_NUMBER};
    bool more = true;
    if (from == FAILED_NODE || to == FAILED_NODE)
        return go_on(m, at + 1, goal);
    if (!path_reach(&walk, from == NO_NUMBER ? to : from)) {
        m->out_of_memory = true;
        more = false;
    }
    for (size_t i = 0; i < walk.reached.count && more; i++)
        more = from == NO_NUMBER ? try_node(m, at, goal, e->from, walk.reached.item[i])
                                 : try_node(m, at, goal, e->to, walk.reached.item[i]);
    free(walk.reached.item);
    return more;
}

static bool step_path(struct matcher *m, size_t at, struct goal *goal, const struct rule_edge *e)
{
    if (m->image.item[e->from] != NO_NUMBER || m->image.item[e->to] != NO_NUMBER)
        return try_path_ends(m, at, goal, e);
    const numbers *list = &m->present->by_label[m->universe->node_label];
    bool more = true;
    note_look(m->present, LOOK_LABEL, 0, m->universe->node_label, 0);
    for (size_t i = 0; i < list->count && more; i++) {
        bool mine;
        if (bind(m, e->from, entity_get(m->universe, list->item[i])->from, &mine))
            more = try_path_ends(m, at, goal, e);
        undo_node(m, e->from, mine);
    }
    return more;
}

static bool step_operation(struct matcher *m, size_t at, struct goal *goal, const struct rule_operation *o)
{
    uint32_t operands[MOST_OPERANDS], value, result = NO_NUMBER;
    for (uint32_t i = 0; i < o->operand_count; i++)
        if ((operands[i] = value_of_node(m->universe, m->image.item[o->operand[i]])) == NO_NUMBER)
            result = FAILED_NODE;
    enum operated how = result == FAILED_NODE
                            ? OPERATION_FAILED
                            : operate(m->universe->grammar, o->kind, operands, o->operand_count, &value);
    result = how == OPERATED ? node_of_value(m->universe, value) : FAILED_NODE;
    if (how == OPERATION_NO_MEMORY || result == NO_NUMBER) {
        m->out_of_memory = true;
        return false;
    }
    return try_node(m, at, goal, o->result, result);
}

static bool counted(struct matcher *m, struct goal *goal)
{
    (void)m;
    goal->count++;
    return true;
}

static bool step_count(struct matcher *m, size_t at, struct goal *goal, uint32_t level)
{
    struct goal count = {.reached = counted, .plan = &m->program->levels[level].plan};
    if (!go_on(m, 0, &count))
        return false;
    uint32_t value =
        grammar_value(m->universe->grammar, (struct value){.sort = SORT_INT, .integer = (int64_t)count.count});
    uint32_t node = node_of_value(m->universe, value);
    if (node == NO_NUMBER)
        m->out_of_memory = true;
    return node != NO_NUMBER && try_node(m, at, goal, m->program->rule->levels.item[level].count, node);
}

static bool stop_at_first(struct matcher *m, struct goal *goal)
{
    (void)m;
    goal->count = 1;
    return false;
}

static bool step_embargo(struct matcher *m, size_t at, struct goal *goal, uint32_t embargo)
{
    struct goal look = {.reached = stop_at_first, .plan = &m->program->embargoes[embargo]};
    go_on(m, 0, &look);
    m->is_hopeless |= look.count && m->program->rule->embargoes.item[embargo].level == 0;
    return !m->out_of_memory && (look.count || go_on(m, at + 1, goal));
}

static bool look_for_edge(struct matcher *m, size_t at, struct goal *goal, uint32_t edge)
{
    const struct rule_edge *e = &m->program->rule->edges.item[edge];
    return e->kind == EDGE_PATH    ? step_path(m, at, goal, e)
           : e->kind == EDGE_EQUAL ? step_equal(m, at, goal, e)
                                   : step_edge(m, at, goal, edge);
}

/* Both ends are bound: the edge must not be there. */
static bool step_negated(struct matcher *m, size_t at, struct goal *goal, uint32_t edge)
{
    search_plan nothing = {0};
    struct goal look = {.reached = stop_at_first, .plan = &nothing};
    look_for_edge(m, (size_t)-1, &look, edge); /* the step behind it is the end of the plan */
    return !m->out_of_memory && (look.count || go_on(m, at + 1, goal));
}

/* The rest of a plan from a step on; false when the search is to end. */
static bool go_on(struct matcher *m, size_t at, struct goal *goal)
{
    if (limits_reached())
        m->out_of_memory = true;
    if (m->out_of_memory)
        return false;
    if (at == goal->plan->count)
        return goal->reached(m, goal);
    const struct step *step = &goal->plan->item[at];
    const struct rule *r = m->program->rule;
    switch (step->kind) {
    case STEP_NODE: return step_node(m, at, goal, step->item);
    case STEP_OPERATION: return step_operation(m, at, goal, &r->operations.item[step->item]);
    case STEP_COUNT: return step_count(m, at, goal, step->item);
    case STEP_EMBARGO: return step_embargo(m, at, goal, step->item);
    case STEP_EDGE: break;
    }
    return r->edges.item[step->item].is_negated ? step_negated(m, at, goal, step->item)
                                                : look_for_edge(m, at, goal, step->item);
}

/* ------------------------------------------------------------ applications */

static bool run_out(struct matcher *m)
{
    m->out_of_memory = true;
    return false;
}

static bool append(numbers *to, const uint32_t *from, size_t count)
{
    if (!vector_reserve(to, count + 1))
        return false;
    memcpy(to->item + to->count, from, count * sizeof *from);
    to->count += count;
    return true;
}

static bool append_anchor(const struct matcher *m, numbers *to, uint32_t level, const uint32_t *image)
{
    const numbers *anchor = &m->program->levels[level].anchor;
    bool fine = true;
    for (size_t i = 0; i < anchor->count && fine; i++)
        fine = vector_push(to, image[anchor->item[i]]);
    return fine;
}

struct event_list {
    const struct program *program;
    const uint32_t *item;
};

static size_t event_length(const struct event_list *events, size_t at)
{
    return 1 + events->program->levels[events->item[at]].anchor.count;
}

static int compare_events(const void *a, const void *b, void *user)
{
    const struct event_list *events = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    size_t length = event_length(events, x);
    if (events->item[x] != events->item[y])
        return events->item[x] < events->item[y] ? -1 : 1;
    for (size_t i = 1; i < length; i++)
        if (events->item[x + i] != events->item[y + i])
            return events->item[x + i] < events->item[y + i] ? -1 : 1;
    return 0;
}

bool append_events(const struct program *p, const numbers *events, numbers *order, numbers *key)
{
    struct event_list list = {p, events->item};
    order->count = 0;
    for (size_t at = 0; at < events->count; at += event_length(&list, at))
        if (!vector_push(order, (uint32_t)at))
            return false;
    if (order->count > 1)
        qsort_r(order->item, order->count, sizeof *order->item, compare_events, &list);
    for (size_t i = 0; i < order->count; i++) {
        uint32_t at = order->item[i];
        if (i > 0 && compare_events(&order->item[i - 1], &at, &list) == 0)
            continue;
        if (!append(key, events->item + at, event_length(&list, at)))
            return false;
    }
    return true;
}

static bool has_failed(const struct matcher *m)
{
    for (size_t i = 0; i < m->program->rule->nodes.count; i++)
        if (m->root.item[i] == FAILED_NODE)
            return true;
    for (size_t i = 0; i < m->events.count; i++)
        if (m->events.item[i] == FAILED_NODE)
            return true;
    return false;
}

/* The whole rule is matched: tells it. */
static bool complete(struct matcher *m)
{
    const struct program *p = m->program;
    m->key.count = 0;
    if (has_failed(m))
        return append(&m->key, (uint32_t[]){p->number, FAILED_NODE}, 2) ? m->found(m->user, m->key.item, 2)
                                                                        : run_out(m);
    if (!vector_push(&m->key, p->number) || !append_anchor(m, &m->key, 0, m->root.item) ||
        !append_events(p, &m->events, &m->order, &m->key))
        return run_out(m);
    if (p->rule->checks_dangling) {
        bool dangles = false;
        if (!leaves_dangling(&m->effect, p, m->key.item, m->key.count, &dangles))
            return run_out(m);
        m->is_hopeless |= dangles && p->rule->levels.count == 1;
        if (dangles)
            return true;
    }
    return m->found(m->user, m->key.item, m->key.count);
}

/* A level that is to be matched below a match of its parent. */
struct obligation {
    uint32_t level;
    const uint32_t *image; /* of the parent's match */
    struct obligation *next;
};

static bool keep_image(struct matcher *m, struct goal *goal)
{
    goal->count++;
    return append(goal->images, m->image.item, m->program->bindings) || run_out(m);
}

static bool prove(struct matcher *m, struct obligation *first);

/* Goes on below these matches of a level, all of which take part. */
static bool prove_with(struct matcher *m, const struct obligation *o, const uint32_t *images, size_t count)
{
    const struct level_program *level = &m->program->levels[o->level];
    size_t children = level->children.count, events = m->events.count;
    struct obligation *below = malloc((count * children + 1) * sizeof *below), *first = o->next;
    bool fine = below;
    for (size_t i = count; i-- > 0 && fine;) {
        const uint32_t *image = images + i * m->program->bindings;
        if (level->changes)
            fine = vector_push(&m->events, o->level) && append_anchor(m, &m->events, o->level, image);
        for (size_t c = children; c-- > 0 && fine;) {
            struct obligation *each = &below[i * children + c];
            *each = (struct obligation){level->children.item[c], image, first};
            first = each;
        }
    }
    bool more = fine ? prove(m, first) : run_out(m);
    m->events.count = events;
    free(below);
    return more;
}

static bool prove(struct matcher *m, struct obligation *o)
{
    if (!o)
        return complete(m);
    enum level_kind kind = m->program->rule->levels.item[o->level].kind;
    numbers images = {0};
    struct goal all = {.reached = keep_image, .plan = &m->program->levels[o->level].plan, .images = &images};
    memcpy(m->image.item, o->image, m->program->bindings * sizeof *m->image.item);
    bool more = go_on(m, 0, &all);
    if (!more || (all.count == 0 && (kind == LEVEL_EXISTS || kind == LEVEL_FORALL_NON_EMPTY)))
        ; /* no match, or the search ends */
    else if (kind == LEVEL_FORALL || kind == LEVEL_FORALL_NON_EMPTY || all.count == 0)
        more = prove_with(m, o, images.item, all.count);
    else
        for (size_t i = 0; i < all.count && more; i++)
            more = prove_with(m, o, images.item + i * m->program->bindings, 1);
    free(images.item);
    return more;
}

/* The root is matched: what the levels below it ask for comes next. */
static bool root_reached(struct matcher *m, struct goal *goal)
{
    (void)goal;
    const numbers *children = &m->program->levels[0].children;
    if (m->only_root)
        return m->found(m->user, m->image.item, m->program->bindings);
    m->root.count = m->events.count = 0;
    if (!append(&m->root, m->image.item, m->program->bindings))
        return run_out(m);
    if (children->count == 0)
        return complete(m);
    struct obligation *below = malloc(children->count * sizeof *below);
    if (!below)
        return run_out(m);
    for (size_t i = 0; i < children->count; i++)
        below[i] = (struct obligation){children->item[i], m->root.item, i + 1 < children->count ? &below[i + 1] : NULL};
    bool more = prove(m, below);
    memcpy(m->image.item, m->root.item, m->program->bindings * sizeof *m->image.item);
    free(below);
    return more;
}

bool match_rule(struct matcher *m, const struct program *program, const uint32_t *given)
{
    return match_rule_from(m, program, &program->levels[0].plan, given);
}

/* A variable of a control program keeps a node that was deleted. */
static bool is_gone(const struct matcher *m, uint32_t node)
{
    if (value_of_node(m->universe, node) != NO_NUMBER)
        return false;
    if (node < m->universe->nodes.count)
        note_look(m->present, LOOK_NODE, node, 0, 0);
    return !has_node(m->present, node);
}

bool match_rule_from(struct matcher *m, const struct program *program, const search_plan *plan, const uint32_t *given)
{
    struct goal goal = {.reached = root_reached, .plan = plan};
    m->program = program;
    m->out_of_memory = false;
    m->image.count = 0;
    if (!append(&m->image, program->constants, program->bindings))
        return false;
    for (size_t i = 0; given && i < program->rule->nodes.count; i++)
        if (given[i] != NO_NUMBER) {
            if (is_gone(m, given[i]))
                return true;
            if (m->image.item[i] != NO_NUMBER ? m->image.item[i] != given[i] : !fits(m, (uint32_t)i, given[i]))
                return true;
            m->image.item[i] = given[i];
        }
    go_on(m, 0, &goal);
    return !m->out_of_memory;
}

bool match_rule_at(struct matcher *m, const struct program *program, const uint32_t *bindings)
{
    struct goal goal = {.reached = root_reached, .plan = &program->levels[0].plan};
    size_t nodes = program->rule->nodes.count;
    m->program = program;
    m->out_of_memory = m->is_hopeless = false;
    m->image.count = 0;
    if (!append(&m->image, program->constants, program->bindings))
        return false;
    memcpy(m->image.item + nodes, bindings + nodes, (program->bindings - nodes) * sizeof *bindings);
    for (uint32_t i = 0; i < nodes; i++)
        if (bindings[i] != NO_NUMBER && m->image.item[i] == NO_NUMBER) {
            if (!fits(m, i, bindings[i]))
                return true;
            m->image.item[i] = bindings[i];
        }
    go_on(m, 0, &goal);
    return !m->out_of_memory;
}

void matcher_make(struct matcher *m, struct universe *u, const struct present *present)
{
    *m = (struct matcher){.universe = u, .present = present, .effect = {.universe = u, .present = present}};
}

void matcher_clear(struct matcher *m)
{
    free(m->image.item);
    free(m->root.item);
    free(m->events.item);
    free(m->key.item);
    free(m->order.item);
    free(m->visited);
    effect_clear(&m->effect);
}
