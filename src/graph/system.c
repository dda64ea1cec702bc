/* SPDX-License-Identifier: Apache-2.0 */
/* The system of a graph grammar. */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "graph/constraints.h"
#include "graph/control.h"
#include "graph/control_engine.h"
#include "graph/entities.h"
#include "graph/isomorphism.h"
#include "graph/names.h"
#include "graph/pictures.h"
#include "graph/variables.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- steps */

static void initial(const void *model, void *state)
{
    const struct engine *e = model;
    *(struct graph_state *)state = (struct graph_state){e->initial, e->initial_control};
}

/* Actions are given when the lock is free again: whoever takes them may ask for more. */
static bool find_enabled(void *model, const void *state, const struct portolan_receiver *receiver)
{
    struct engine *e = model;
    const struct graph_state *s = state;
    engine_lock(e);
    bool fine = e->controller ? controller_enabled(e, s) : engine_enabled(e, s->graph);
    numbers enabled = e->enabled;
    e->enabled = (numbers){0};
    engine_unlock(e);
    for (size_t i = 0; i < enabled.count && fine; i++)
        fine = receiver->give(receiver->user, enabled.item[i]);
    engine_lock(e);
    free(e->enabled.item);
    e->enabled = enabled;
    engine_unlock(e);
    return fine;
}

/* False when memory is exhausted. */
static bool fire_rule(struct engine *e, const struct graph_state *before, uint32_t action, struct graph_state *after,
                      bool *fails)
{
    size_t length;
    const uint32_t *key = engine_key(e, action, &length);
    *fails = !key || (length == 2 && key[1] == FAILED_NODE);
    *after = *before;
    if (!*fails)
        after->graph = engine_apply(e, before->graph, action);
    return after->graph != NO_NUMBER;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    struct engine *e = (struct engine *)model;
    const struct graph_state *before = state;
    struct graph_state *after = successor;
    bool fails;
    engine_lock(e);
    bool fine =
        e->controller ? controller_fire(e, before, action, after, &fails) : fire_rule(e, before, action, after, &fails);
    engine_unlock(e);
    if (!fine) {
        *after = *before;
        limits_run_out();
    }
    return fine && fails ? PORTOLAN_TOO_LARGE : PORTOLAN_FIRED;
}

/* What has grown as graphs and applications were met. */
static size_t bytes(const void *model)
{
    const struct engine *e = model;
    const struct universe *u = &e->universe;
    engine_lock(e);
    size_t all = sequences_bytes(&u->node_keys) + sequences_bytes(&u->entities) + sequences_bytes(&u->pieces) +
                 sequences_bytes(&u->graphs) + u->nodes.capacity * sizeof *u->nodes.item + sequences_bytes(&e->keys) +
                 e->action_of_key.capacity * sizeof *e->action_of_key.item +
                 e->actions.capacity * sizeof *e->actions.item + e->inheritance.bytes +
                 sequences_bytes(&e->inheritance.matches) + isomorphism_bytes(e->isomorphism);
    engine_unlock(e);
    return all;
}

static bool is_final(const void *model, const void *state)
{
    struct engine *e = (struct engine *)model;
    engine_lock(e);
    bool final = controller_is_final(e, state);
    engine_unlock(e);
    return final;
}

/* ------------------------------------------------------------------- names */

static const char *action_name(const void *model, uint32_t action)
{
    engine_lock(model);
    bool is_known = action < ((const struct engine *)model)->actions.count;
    const char *name = graph_action_name((struct engine *)model, action);
    engine_unlock(model);
    if (name || !is_known)
        return name;
    limits_run_out(); /* nobody can be told */
    return "?";
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    engine_lock(model);
    bool found = graph_find_action((struct engine *)model, name, action);
    engine_unlock(model);
    return found;
}

/* The rule of an action that has only a name is the longest that the name begins with. */
static uint32_t rule_of_name(const struct engine *e, const char *name)
{
    uint32_t best = PORTOLAN_NO_RULE;
    size_t longest = 0;
    for (uint32_t i = 0; i < e->rules.count; i++) {
        size_t length = strlen(graph_rule_name(e, i));
        if (length >= longest && strncmp(name, graph_rule_name(e, i), length) == 0) {
            best = i;
            longest = length;
        }
    }
    return best;
}

static uint32_t rule_of(const void *model, uint32_t action)
{
    const struct engine *e = model;
    size_t length;
    engine_lock(e);
    const uint32_t *key = engine_key(e, action, &length);
    if (key && key[0] == e->rules.count) /* a step of no recipe that its application alone does not tell */
        key += STEP_PREFIX;
    uint32_t rule = key                         ? key[0]
                    : action < e->actions.count ? rule_of_name(e, e->actions.item[action].name)
                                                : PORTOLAN_NO_RULE;
    engine_unlock(e);
    return rule;
}

static bool rule_text(const void *model, uint32_t rule, char *text, size_t size)
{
    const struct engine *e = model;
    if (rule >= e->rules.count)
        return false;
    snprintf(text, size, "%s", graph_rule_name(e, rule));
    return true;
}

/* Nodes of a class of isomorphic graphs have other names in every state. */
static bool is_ambiguous(const void *model, bool is_action, const char *name, char *advice, size_t size)
{
    (void)model;
    snprintf(advice, size,
             "up to isomorphism nodes have no names that last: ask for \"applies(rule)\", or use "
             "--isomorphism off");
    return is_action && strchr(name, '(');
}

static void tell_why_no_entities(const void *model, struct portolan_error *error)
{
    const struct engine *e = model;
    struct obstacle o = why_no_entities(e);
    if (o.reason)
        obstacle_tell(&o, error);
    hint(error, e->isomorphism ? "use --isomorphism off or --ground" : "use --ground, or --reduction none");
}

/* --------------------------------------------------------------- variables */

static const char *variable_name(const void *model, uint32_t variable)
{
    return names_get(&((const struct engine *)model)->variable_names, variable);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    return names_find(&((const struct engine *)model)->variable_names, name, variable);
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    return variables_type(model, variable);
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    struct engine *e = (struct engine *)model;
    engine_lock(e);
    int64_t result = variables_value(e, ((const struct graph_state *)state)->graph, variable);
    engine_unlock(e);
    return result;
}

/* ---------------------------------------------------------------- building */

static void destroy(void *model)
{
    struct engine *e = model;
    for (size_t i = 0; e->programs && i < e->grammar->rules.count; i++)
        if (e->programs[i].rule)
            program_clear(&e->programs[i]);
    for (size_t i = 0; i < e->actions.count; i++)
        free(e->actions.item[i].name);
    free(e->programs);
    isomorphism_free(e->isomorphism);
    controller_free(e->controller);
    matcher_clear(&e->matcher);
    inheritance_clear(&e->inheritance);
    effect_clear(&e->effect);
    if (e->present.universe)
        present_clear(&e->present);
    universe_clear(&e->universe);
    sequences_clear(&e->keys);
    names_clear(&e->action_names);
    names_clear(&e->variable_names);
    free(e->by_priority.item);
    free(e->action_of_key.item);
    free(e->actions.item);
    free(e->action_named.item);
    free(e->enabled.item);
    grammar_free(e->grammar);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static bool make_start(struct engine *e)
{
    const struct host_graph *start = &e->grammar->start;
    numbers node = {0}, entities = {0};
    bool fine = true;
    for (uint32_t i = 0; i < start->nodes.count && fine; i++) {
        const struct host_node *n = &start->nodes.item[i];
        uint32_t number = n->value != NO_NUMBER ? node_of_value(&e->universe, n->value)
                                                : node_of_name(&e->universe, i, e->isomorphism ? NULL : n->name);
        uint32_t entity = n->value != NO_NUMBER ? 0 : entity_of(&e->universe, number, e->universe.node_label, number);
        fine = number != NO_NUMBER && entity != NO_NUMBER && vector_push(&node, number) &&
               (n->value != NO_NUMBER || vector_push(&entities, entity));
    }
    for (size_t i = 0; i < start->edges.count && fine; i++) {
        const struct host_edge *edge = &start->edges.item[i];
        uint32_t entity = entity_of(&e->universe, node.item[edge->from], edge->label, node.item[edge->to]);
        fine = entity != NO_NUMBER && vector_push(&entities, entity);
    }
    numbers_sort(&entities);
    e->initial = fine ? graph_of(&e->universe, &entities) : NO_NUMBER;
    free(node.item);
    free(entities.item);
    return e->initial != NO_NUMBER;
}

/* The start graph is held against its types, as every graph that follows. */
static enum portolan_status check_start(struct engine *e, struct portolan_error *error)
{
    struct violation violation;
    bool found = false;
    enum portolan_status status = constraints_check(e->grammar, error);
    if (status != PORTOLAN_OK || !e->is_constrained)
        return status;
    if (!engine_load(e, e->initial) || !find_violation(&e->present, &found, &violation))
        return fail_memory(error);
    return found ? fail_violation(&e->universe, &violation, error) : PORTOLAN_OK;
}

/* Rules by priority, the highest first, each class in the order of the grammar. */
static bool order_rules(struct engine *e)
{
    for (uint32_t i = 0; i < e->grammar->rules.count; i++) {
        const struct rule *rule = &e->grammar->rules.item[i];
        if (!rule->is_enabled || (is_condition(rule) && !e->grammar->conditions_are_steps))
            continue;
        if (!vector_push(&e->by_priority, i))
            return false;
        for (size_t at = e->by_priority.count - 1; at > 0; at--) {
            uint32_t before = e->by_priority.item[at - 1];
            if (e->grammar->rules.item[before].priority >= rule->priority)
                break;
            e->by_priority.item[at] = before;
            e->by_priority.item[at - 1] = i;
        }
    }
    return true;
}

static enum portolan_status compile(struct engine *e, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    e->programs = calloc(e->grammar->rules.count + 1, sizeof *e->programs);
    if (!e->programs)
        return fail_memory(error);
    for (uint32_t i = 0; i < e->grammar->rules.count && status == PORTOLAN_OK; i++)
        if (e->grammar->rules.item[i].is_enabled)
            status = program_make(&e->programs[i], &e->universe, i, error);
    for (uint32_t i = 0; i < e->grammar->rules.count && status == PORTOLAN_OK; i++)
        if (e->programs[i].rule && !inheritance_prepare(e->grammar, &e->programs[i]))
            status = fail_memory(error);
    return status;
}

static enum portolan_status make_engine(struct engine *e, struct portolan_error *error)
{
    pthread_mutex_init(&e->lock, NULL);
    bool fine = universe_make(&e->universe, e->grammar) && present_make(&e->present, &e->universe);
    matcher_make(&e->matcher, &e->universe, &e->present);
    e->effect = (struct effect){.universe = &e->universe, .present = &e->present};
    if (fine && e->grammar->up_to_isomorphism)
        fine = (e->isomorphism = isomorphism_new(&e->universe, e->grammar->control));
    e->is_constrained = has_constraints(e->grammar);
    if (!fine || !make_start(e) || !order_rules(e) || !variables_name(e))
        return fail_memory(error);
    enum portolan_status status = check_start(e, error);
    if (status != PORTOLAN_OK)
        return status;
    if (e->isomorphism && (e->initial = class_of_graph(e->isomorphism, e->initial)) == NO_NUMBER)
        return fail_memory(error);
    e->rules = (struct portolan_rules){
        .noun = "rule", .count = (uint32_t)e->grammar->rules.count, .rule_of = rule_of, .text = rule_text};
    return compile(e, error);
}

/* A control program takes over which rules may be applied; its recipes count as rules. */
static enum portolan_status take_control(struct engine *e, struct portolan_error *error)
{
    if (!e->grammar->control)
        return PORTOLAN_OK;
    e->controller = controller_new(e);
    if (!e->controller || (e->initial_control = controller_start(e)) == NO_NUMBER)
        return fail_memory(error);
    e->rules.count += (uint32_t)e->grammar->control->recipes.count;
    return PORTOLAN_OK;
}

static struct portolan_system system_of(struct engine *e)
{
    return (struct portolan_system){.model = e,
                                    .name = e->grammar->name,
                                    .format = e->grammar->format,
                                    .state_bytes = sizeof(struct graph_state),
                                    .key_bytes = sizeof(struct graph_state),
                                    .actions = PORTOLAN_ACTIONS_ON_THE_FLY,
                                    .initial = initial,
                                    .find_enabled = find_enabled,
                                    .fire = fire,
                                    .too_large = "a number is too large, or there is a division by zero",
                                    .action_name = action_name,
                                    .find_action = find_action,
                                    .variables = e->counts,
                                    .unlisted = names_count(&e->variable_names) - e->counts,
                                    .variable_name = variable_name,
                                    .find_variable = find_variable,
                                    .variable_type = variable_type,
                                    .value = value,
                                    .rules = &e->rules,
                                    .graphs = e->isomorphism ? &graph_pictures_of_classes : &graph_pictures,
                                    .is_ambiguous = e->isomorphism ? is_ambiguous : NULL,
                                    .entities = why_no_entities(e).reason ? NULL : graph_entities,
                                    .why_no_entities = tell_why_no_entities,
                                    .is_final = e->controller ? is_final : NULL,
                                    .bytes = bytes,
                                    .destroy = destroy};
}

enum portolan_status graph_system_new(struct grammar *grammar, struct portolan_system **result,
                                      struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct engine *e = calloc(1, sizeof *e);
    if (!system || !e) {
        free(system);
        free(e);
        grammar_free(grammar);
        return fail_memory(error);
    }
    e->grammar = grammar;
    enum portolan_status status = make_engine(e, error);
    if (status == PORTOLAN_OK)
        status = take_control(e, error);
    if (status != PORTOLAN_OK) {
        destroy(e);
        free(system);
        return status;
    }
    *system = system_of(e);
    *result = system;
    return PORTOLAN_OK;
}
