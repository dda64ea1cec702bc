/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a DVE model get their meaning, sizes and initial values their numbers. */
#include "base/diagnostic.h"
#include "base/nearest.h"
#include "front/dve/ast.h"

#include <string.h>

enum { LONGEST_ARRAY = 100000, LONGEST_BUFFER = 10000 };

static enum portolan_status did_you_mean(struct parser *parser, const struct nearest *nearest)
{
    if (nearest->best)
        hint(parser->error, "did you mean %.60s?", nearest->best);
    return parser->status;
}

/* ---------------------------------------------------------------------------- names */

static struct dve_process *find_process(struct parser *parser, const struct node *node, const char *name)
{
    struct nearest nearest = nearest_to(name);
    struct syntax *syntax = parser->syntax;
    for (size_t i = 0; i < syntax->processes.count; i++) {
        if (strcmp(syntax->processes.item[i].name, name) == 0)
            return &syntax->processes.item[i];
        nearest_offer(&nearest, syntax->processes.item[i].name);
    }
    parser_fail(parser, &node->at, "there is no process '%.60s'", name);
    did_you_mean(parser, &nearest);
    return NULL;
}

/* Of the process, then of all; with `others` false of the process alone. */
static struct dve_variable *find_variable(struct syntax *syntax, const char *name, uint32_t process, bool others,
                                          struct nearest *nearest)
{
    struct dve_variable *found = NULL;
    for (size_t i = 0; i < syntax->variables.count; i++) {
        struct dve_variable *v = &syntax->variables.item[i];
        if (v->process != process && !(others && v->process == NO_PROCESS))
            continue;
        if (strcmp(v->name, name) == 0 && (!found || v->process != NO_PROCESS))
            found = v;
        nearest_offer(nearest, v->name);
    }
    return found;
}

static enum portolan_status resolve_state(struct parser *parser, struct node *node)
{
    struct dve_process *p = find_process(parser, node, node->owner);
    struct nearest nearest = nearest_to(node->name);
    if (!p)
        return parser->status;
    if (p == parser->syntax->processes.item + parser->syntax->property && parser->syntax->property != NO_PROCESS)
        return parser_fail(parser, &node->at, "'%.60s' is the property process: nothing can ask for its state",
                           p->name);
    for (uint32_t i = 0; i < p->states.count; i++) {
        if (strcmp(p->states.item[i].name, node->name) == 0) {
            node->value = p - parser->syntax->processes.item;
            node->domain.low = (int32_t)i;
            return PORTOLAN_OK;
        }
        nearest_offer(&nearest, p->states.item[i].name);
    }
    parser_fail(parser, &node->at, "process '%.60s' has no state '%.60s'", p->name, node->name);
    return did_you_mean(parser, &nearest);
}

static enum portolan_status check_element(struct parser *parser, struct node *node, const struct dve_variable *v)
{
    if (v->is_array && !node->a)
        return parser_fail(parser, &node->at, "'%.60s' is an array of %u: which element?", v->name, v->length);
    if (!v->is_array && node->a)
        return parser_fail(parser, &node->at, "'%.60s' is not an array", v->name);
    if (node->a && node->a->kind == NODE_NUMBER && (node->a->value < 0 || node->a->value >= v->length)) {
        parser_fail(parser, &node->a->at, "index %lld is out of bounds: '%.60s' has %u element%s",
                    (long long)node->a->value, v->name, v->length, v->length == 1 ? "" : "s");
        hint(parser->error, "the first element has index 0");
    }
    return parser->status;
}

static enum portolan_status resolve_element(struct parser *parser, struct node *node, uint32_t process)
{
    struct syntax *syntax = parser->syntax;
    struct nearest nearest = nearest_to(node->name);
    if (node->owner) {
        struct dve_process *p = find_process(parser, node, node->owner);
        if (!p)
            return parser->status;
        process = (uint32_t)(p - syntax->processes.item);
    }
    const struct dve_variable *v = find_variable(syntax, node->name, process, !node->owner, &nearest);
    if (!v) {
        parser_fail(parser, &node->at, "'%.60s' is not declared", node->name);
        return did_you_mean(parser, &nearest);
    }
    if (check_element(parser, node, v))
        return parser->status;
    if (v->is_const && !v->is_array) {
        node->kind = NODE_NUMBER;
        node->value = v->number;
    }
    node->domain = (struct domain){0, (int32_t)v->length - 1};
    node->type = (unsigned)(v - syntax->variables.item);
    return PORTOLAN_OK;
}

static void fold(struct node *node)
{
    const struct integer_type numbers = DVE_NUMBERS;
    int64_t left = node->kind == NODE_BINARY ? node->a->value : 0, result;
    const struct node *right = node->kind == NODE_BINARY ? node->b : node->a;
    if (node->a->kind != NODE_NUMBER || right->kind != NODE_NUMBER ||
        arithmetic(node->operation, &numbers, left, right->value, &result))
        return;
    node->kind = NODE_NUMBER;
    node->value = result;
}

/* Names of an expression of the process, or of none. */
static enum portolan_status resolve(struct parser *parser, struct node *node, uint32_t process)
{
    if (!node || parser->status)
        return parser->status;
    resolve(parser, node->a, process);
    resolve(parser, node->b, process);
    if (parser->status)
        return parser->status;
    if (node->kind == NODE_AT)
        return resolve_state(parser, node);
    if (node->kind == NODE_ELEMENT)
        return resolve_element(parser, node, process);
    if (node->kind == NODE_UNARY || node->kind == NODE_BINARY)
        fold(node);
    return PORTOLAN_OK;
}

static enum portolan_status resolve_list(struct parser *parser, struct node *list, uint32_t process)
{
    for (; list && !parser->status; list = list->next)
        resolve(parser, list, process);
    return parser->status;
}

/* --------------------------------------------------------------------- declarations */

static enum portolan_status constant(struct parser *parser, struct node *node, uint32_t process, int64_t low,
                                     int64_t high, int64_t *value)
{
    if (resolve(parser, node, process))
        return parser->status;
    if (node->kind != NODE_NUMBER)
        return parser_fail(parser, &node->at, "a constant is needed here");
    if (node->value < low || node->value > high)
        return parser_fail(parser, &node->at, "%lld is not between %lld and %lld", (long long)node->value,
                           (long long)low, (long long)high);
    *value = node->value;
    return PORTOLAN_OK;
}

/* Values beyond the length are dropped: the generators of BEEM leave such behind. */
static enum portolan_status resolve_variable(struct parser *parser, struct dve_variable *v)
{
    int64_t number = 1;
    struct integer_type type = dve_type(v->is_int);
    uint32_t given = 0;
    if (v->is_array && constant(parser, v->size, v->process, 1, LONGEST_ARRAY, &number))
        return parser->status;
    v->length = (uint32_t)number;
    for (struct node *value = v->values; value && !parser->status; value = value->next, given++)
        constant(parser, value, v->process, type.low, type.high, &v->number);
    if (!parser->status && v->is_const && !given)
        parser_fail(parser, &v->at, "the constant '%.60s' has no value", v->name);
    return parser->status;
}

/* Nothing else of this name where it can be seen. */
static enum portolan_status check_unique(struct parser *parser, const struct dve_variable *v)
{
    for (const struct dve_variable *other = parser->syntax->variables.item; other < v; other++)
        if (other->process == v->process && strcmp(other->name, v->name) == 0)
            return parser_fail(parser, &v->at, "'%.60s' is declared twice, before in line %u", v->name, other->at.line);
    return PORTOLAN_OK;
}

static enum portolan_status resolve_channel(struct parser *parser, struct dve_channel *c)
{
    int64_t number = 0;
    if (c->size && constant(parser, c->size, NO_PROCESS, 0, LONGEST_BUFFER, &number))
        return parser->status;
    c->capacity = (uint32_t)number;
    if (c->capacity && !c->is_typed && !vector_push(&c->are_int, true))
        return parser->status = fail_memory(parser->error);
    for (const struct dve_channel *other = parser->syntax->channels.item; other < c; other++)
        if (strcmp(other->name, c->name) == 0)
            return parser_fail(parser, &c->at, "there is already a channel '%.60s'", c->name);
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------------- transitions */

static enum portolan_status check_variable(struct parser *parser, const struct node *node)
{
    if (node->kind != NODE_ELEMENT)
        return parser_fail(parser, &node->at, "only a variable can be given a value");
    const struct dve_variable *v = &parser->syntax->variables.item[node->type];
    return v->is_const ? parser_fail(parser, &node->at, "'%.60s' is a constant", v->name) : PORTOLAN_OK;
}

static unsigned length_of(const struct node *list)
{
    unsigned length = 0;
    for (; list; list = list->next)
        length++;
    return length;
}

static enum portolan_status resolve_sync(struct parser *parser, struct dve_transition *t)
{
    struct syntax *syntax = parser->syntax;
    struct nearest nearest = nearest_to(t->channel_name);
    for (t->channel = 0; t->channel < syntax->channels.count; t->channel++) {
        if (strcmp(syntax->channels.item[t->channel].name, t->channel_name) == 0)
            break;
        nearest_offer(&nearest, syntax->channels.item[t->channel].name);
    }
    if (t->channel == syntax->channels.count) {
        parser_fail(parser, &t->sync_at, "there is no channel '%.60s'", t->channel_name);
        return did_you_mean(parser, &nearest);
    }
    const struct dve_channel *c = &syntax->channels.item[t->channel];
    unsigned given = length_of(t->values);
    if (given > MOST_VALUES)
        return parser_fail(parser, &t->sync_at, "a message has at most %d values", MOST_VALUES);
    if ((c->is_typed || c->capacity) && given != c->are_int.count)
        return parser_fail(parser, &t->sync_at, "a message of '%.60s' has %zu value%s, not %u", c->name,
                           c->are_int.count, c->are_int.count == 1 ? "" : "s", given);
    if (syntax->is_synchronous)
        return parser_fail(parser, &t->sync_at, "in a synchronous system there are no channels");
    resolve_list(parser, t->values, t->process);
    for (const struct node *value = t->values; t->sync == SYNC_RECEIVE && value && !parser->status; value = value->next)
        check_variable(parser, value);
    return parser->status;
}

static enum portolan_status resolve_transition(struct parser *parser, struct dve_transition *t)
{
    resolve(parser, t->guard, t->process);
    if (t->sync && !parser->status)
        resolve_sync(parser, t);
    resolve_list(parser, t->effects, t->process);
    for (const struct node *effect = t->effects; effect && !parser->status; effect = effect->next)
        check_variable(parser, effect->a);
    return parser->status;
}

static enum portolan_status resolve_process(struct parser *parser, struct dve_process *p)
{
    uint32_t number = (uint32_t)(p - parser->syntax->processes.item);
    for (const struct dve_process *other = parser->syntax->processes.item; other < p; other++)
        if (strcmp(other->name, p->name) == 0)
            return parser_fail(parser, &p->at, "there is already a process '%.60s'", p->name);
    for (size_t i = 0; i < p->transitions.count && !parser->status; i++)
        resolve_transition(parser, &p->transitions.item[i]);
    for (size_t i = 0; i < p->assertions.count && !parser->status; i++)
        resolve(parser, p->assertions.item[i].condition, number);
    return parser->status;
}

/* The property only looks: it is an automaton that moves with the system. */
static enum portolan_status resolve_property(struct parser *parser)
{
    struct syntax *syntax = parser->syntax;
    struct node at = {.at = syntax->property_at};
    const struct dve_process *p = find_process(parser, &at, syntax->property_name);
    if (!p)
        return parser->status;
    syntax->property = (uint32_t)(p - syntax->processes.item);
    for (size_t i = 0; i < p->transitions.count && !parser->status; i++) {
        const struct dve_transition *t = &p->transitions.item[i];
        if (t->sync || t->effects)
            parser_fail(parser, &t->at, "the property '%.60s' may only observe: it has no sync and no effect", p->name);
    }
    return parser->status;
}

/* A synchronous system has a step for each choice of a transition of every process. */
static enum portolan_status count_steps(struct parser *parser)
{
    enum { MOST_STEPS = 1000000 };
    const struct syntax *syntax = parser->syntax;
    size_t steps = 1;
    for (size_t i = 0; i < syntax->processes.count; i++)
        if (i != syntax->property)
            steps *= steps <= MOST_STEPS ? syntax->processes.item[i].transitions.count : 1;
    if (steps <= MOST_STEPS)
        return parser->status;
    return parser_fail(parser, &syntax->synchronous_at, "the synchronous system has more than %d steps", MOST_STEPS);
}

enum portolan_status dve_resolve(struct parser *parser)
{
    struct syntax *syntax = parser->syntax;
    for (size_t i = 0; i < syntax->variables.count && !parser->status; i++)
        if (!resolve_variable(parser, &syntax->variables.item[i]))
            check_unique(parser, &syntax->variables.item[i]);
    for (size_t i = 0; i < syntax->channels.count && !parser->status; i++)
        resolve_channel(parser, &syntax->channels.item[i]);
    if (syntax->property_name && !parser->status)
        resolve_property(parser);
    for (size_t i = 0; i < syntax->processes.count && !parser->status; i++)
        resolve_process(parser, &syntax->processes.item[i]);
    if (syntax->is_synchronous && !parser->status)
        count_steps(parser);
    return parser->status;
}
