/* SPDX-License-Identifier: Apache-2.0 */
/* What a transition is made of, as binding sees it: patterns, parts of the guard, labels, and who uses which variable.
 */
#include "highlevel/binder.h"

#include <string.h>

/* ------------------------------------------------------------------ who uses what */

struct walk {
    const struct colour_transition *transition; /* NULL: there are no variables */
    bool *is_used;                              /* per variable */
    uint32_t frame;                             /* the cells met so far end here */
};

static void note_cells(struct walk *walk, int64_t local, const struct colour_type *type)
{
    int64_t end = local + (type ? type->cells : 1);
    if (end > walk->frame)
        walk->frame = (uint32_t)end;
}

static void note_variable(struct walk *walk, int64_t local)
{
    for (size_t v = 0; walk->transition && v < walk->transition->variables.count; v++)
        if (walk->transition->variables.item[v].local == local)
            walk->is_used[v] = true;
}

static void walk_node(struct walk *walk, const struct node *node);

static void walk_list(struct walk *walk, const struct node *list)
{
    for (; list; list = list->next)
        walk_node(walk, list);
}

static void walk_iterators(struct walk *walk, const struct iterator *iterator)
{
    for (; iterator; iterator = iterator->next) {
        note_cells(walk, iterator->local, iterator->colour);
        walk_node(walk, iterator->low);
        walk_node(walk, iterator->high);
        walk_node(walk, iterator->container);
    }
}

static void walk_node(struct walk *walk, const struct node *node)
{
    if (!node)
        return;
    if (node->kind == (unsigned)NODE_LOCAL) {
        note_variable(walk, node->value);
        note_cells(walk, node->value, node->colour);
    }
    walk_iterators(walk, node->iterators);
    walk_list(walk, node->a);
    walk_list(walk, node->b);
    walk_list(walk, node->c);
}

static void walk_terms(struct walk *walk, const struct arc_term *term)
{
    for (; term; term = term->next) {
        walk_iterators(walk, term->iterators);
        walk_node(walk, term->condition);
        walk_node(walk, term->multiplicity);
        walk_list(walk, term->tuple);
    }
}

uint32_t initial_frame(const struct colour_net *net)
{
    struct walk walk = {0};
    for (size_t p = 0; p < net->places.count; p++) {
        walk_terms(&walk, net->places.item[p].initial);
        walk_node(&walk, net->places.item[p].capacity);
    }
    return walk.frame;
}

static bool list_uses(struct binder *binder, const struct walk *walk, struct formula *formula)
{
    uint32_t count = (uint32_t)walk->transition->variables.count, used = 0;
    uint32_t *uses = arena_get(&binder->arena, (count + 1) * sizeof *uses);
    for (uint32_t v = 0; uses && v < count; v++)
        if (walk->is_used[v])
            uses[used++] = v;
    formula->uses = uses;
    formula->use_count = used;
    return uses != NULL;
}

/* Looks through one thing (the others are NULL) and lists the variables that it uses. */
static bool make_formula(struct binder *binder, const struct colour_transition *transition, const struct node *node,
                         const struct iterator *iterator, const struct arc_term *terms, struct formula *formula)
{
    struct walk walk = {.transition = transition};
    walk.is_used = calloc(transition->variables.count + 1, sizeof *walk.is_used);
    if (!walk.is_used)
        return false;
    formula->node = node;
    walk_node(&walk, node);
    walk_iterators(&walk, iterator);
    walk_terms(&walk, terms);
    bool fine = list_uses(binder, &walk, formula);
    free(walk.is_used);
    return fine;
}

/* ------------------------------------------------------------------ patterns and labels */

/* A number that the multiplicity surely is, at least 1; 0: it has to be evaluated. */
static uint32_t fixed_count(const struct node *multiplicity)
{
    if (!multiplicity)
        return 1;
    int64_t count = multiplicity->kind == NODE_NUMBER                                      ? multiplicity->value
                    : multiplicity->kind == (unsigned)NODE_CONSTANT && multiplicity->cells ? multiplicity->cells[0]
                                                                                           : 0;
    return count >= 1 && count <= INT32_MAX ? (uint32_t)count : 0;
}

static bool is_pattern(const struct arc_term *term)
{
    return !term->iterators && !term->condition && fixed_count(term->multiplicity);
}

/* Patterns take part in binding; an arc from which something is subtracted is evaluated as a whole. */
static bool is_made_of_patterns(const struct colour_arc *arc)
{
    for (const struct arc_term *term = arc->label; term; term = term->next)
        if (!is_pattern(term) || term->is_subtracted)
            return false;
    return true;
}

static uint32_t lone_variable(const struct colour_transition *transition, const struct node *node)
{
    for (uint32_t v = 0; node->kind == (unsigned)NODE_LOCAL && v < transition->variables.count; v++) {
        const struct colour_variable *variable = &transition->variables.item[v];
        if (variable->local == node->value && variable->colour->cells == node->colour->cells)
            return variable->source == VARIABLE_TOKEN || variable->source == VARIABLE_FREE ? v : NO_VARIABLE;
    }
    return NO_VARIABLE;
}

static bool make_pattern(struct binder *binder, struct rule *rule, const struct colour_arc *arc,
                         const struct arc_term *term)
{
    const struct colour_place *place = &binder->net->places.item[arc->place];
    struct pattern *pattern = &rule->pattern[rule->patterns++];
    *pattern = (struct pattern){.place = arc->place, .count = fixed_count(term->multiplicity)};
    pattern->component = arena_get(&binder->arena, (place->domain.count + 1) * sizeof *pattern->component);
    if (!pattern->component)
        return false;
    for (const struct node *node = term->tuple; node && pattern->components < place->domain.count; node = node->next) {
        const struct colour_field *field = &place->tuple->fields.item[pattern->components];
        struct component *component = &pattern->component[pattern->components++];
        component->offset = field->offset;
        component->cells = field->type->cells;
        component->variable = lone_variable(rule->transition, node);
        if (component->variable != NO_VARIABLE) {
            const struct colour_type *type = rule->transition->variables.item[component->variable].colour;
            component->narrower = type != field->type ? type : NULL;
        }
        if (!make_formula(binder, rule->transition, node, NULL, NULL, &component->value))
            return false;
    }
    return true;
}

static uint32_t count_terms(const struct colour_arc *arcs)
{
    uint32_t count = 0;
    for (const struct colour_arc *arc = arcs; arc; arc = arc->next)
        for (const struct arc_term *term = arc->label; term; term = term->next)
            count++;
    return count;
}

static bool make_label(struct binder *binder, const struct rule *rule, const struct colour_arc *arc,
                       struct label *labels, uint32_t *count)
{
    struct label *label = &labels[(*count)++];
    label->place = arc->place;
    label->terms = arc->label;
    return make_formula(binder, rule->transition, NULL, NULL, arc->label, &label->uses);
}

static bool make_labels(struct binder *binder, const struct rule *rule, const struct colour_arc *arcs,
                        struct label **labels, uint32_t *count)
{
    uint32_t arc_count = 0;
    for (const struct colour_arc *arc = arcs; arc; arc = arc->next)
        arc_count++;
    *labels = arena_get(&binder->arena, (arc_count + 1) * sizeof **labels);
    bool fine = *labels != NULL;
    for (const struct colour_arc *arc = arcs; fine && arc; arc = arc->next)
        fine = make_label(binder, rule, arc, *labels, count);
    return fine;
}

static bool make_inputs(struct binder *binder, struct rule *rule)
{
    const struct colour_arc *arcs = rule->transition->in;
    uint32_t terms = count_terms(arcs);
    rule->pattern = arena_get(&binder->arena, (terms + 1) * sizeof *rule->pattern);
    rule->in = arena_get(&binder->arena, (terms + 1) * sizeof *rule->in);
    bool fine = rule->pattern && rule->in;
    for (const struct colour_arc *arc = arcs; fine && arc; arc = arc->next) {
        if (arc->label && !is_made_of_patterns(arc))
            fine = make_label(binder, rule, arc, rule->in, &rule->ins);
        else
            for (const struct arc_term *term = arc->label; fine && term; term = term->next)
                fine = make_pattern(binder, rule, arc, term);
    }
    return fine;
}

/* ------------------------------------------------------------------ guards */

static bool is_conjunction(const struct node *node)
{
    return node->kind == NODE_BINARY && node->operation == OPERATION_AND;
}

/* A truth need not be made one. */
static const struct node *plain(const struct node *node)
{
    while (node->kind == (unsigned)NODE_CONVERT && node->a->kind == NODE_BINARY &&
           node->a->operation >= OPERATION_EQUAL)
        node = node->a;
    return node;
}

static uint32_t count_parts(const struct node *guard)
{
    guard = plain(guard);
    return is_conjunction(guard) ? count_parts(guard->a) + count_parts(guard->b) : 1;
}

/* The parts of a conjunction, from left to right. */
static bool make_checks(struct binder *binder, struct rule *rule, const struct node *node)
{
    node = plain(node);
    if (is_conjunction(node))
        return make_checks(binder, rule, node->a) && make_checks(binder, rule, node->b);
    return make_formula(binder, rule->transition, node, NULL, NULL, &rule->check[rule->checks++]);
}

static bool make_guard(struct binder *binder, struct rule *rule)
{
    const struct node *guard = rule->transition->guard;
    rule->check = arena_get(&binder->arena, (guard ? count_parts(guard) : 1) * sizeof *rule->check);
    return rule->check && (!guard || make_checks(binder, rule, guard));
}

static bool make_values(struct binder *binder, struct rule *rule)
{
    const struct colour_transition *transition = rule->transition;
    rule->value = arena_get(&binder->arena, (transition->variables.count + 1) * sizeof *rule->value);
    bool fine = rule->value != NULL;
    for (size_t v = 0; fine && v < transition->variables.count; v++) {
        const struct colour_variable *variable = &transition->variables.item[v];
        bool is_let = variable->source == VARIABLE_LET, is_pick = variable->source == VARIABLE_PICK;
        fine = make_formula(binder, transition, is_let ? variable->value : NULL, is_pick ? variable->pick : NULL, NULL,
                            &rule->value[v]);
    }
    return fine;
}

bool prepare_rule(struct binder *binder, struct rule *rule, const struct colour_transition *transition)
{
    rule->transition = transition;
    if (!make_inputs(binder, rule) || !make_guard(binder, rule) || !make_values(binder, rule) ||
        !make_labels(binder, rule, transition->out, &rule->out, &rule->outs) ||
        !make_labels(binder, rule, transition->inhibit, &rule->inhibit, &rule->inhibits) ||
        !make_formula(binder, transition, transition->priority, NULL, NULL, &rule->priority))
        return false;
    rule->plan = arena_get(&binder->arena, (rule->patterns + 1) * sizeof *rule->plan);
    return rule->plan != NULL;
}
