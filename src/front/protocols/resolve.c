/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of a protocol mean: constants are evaluated, variables get cells, what is bound gets slots. */
#include "front/protocols/scope.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <string.h>

void scope_fail(struct scope *s, const struct position *at, const char *format, const char *name)
{
    if (s->status == PORTOLAN_OK)
        s->status = lexer_fail(&s->syntax->lexer, at, s->error, format, name);
}

static void advise(struct scope *s, bool is_first, const char *text, const char *name)
{
    if (is_first)
        hint(s->error, text, name);
}

/* ----------------------------------------------------------------------- names */

static const struct declared *find_variable(const struct process_type *process, const char *name)
{
    return process ? FIND(process->variables, name) : NULL;
}

static int32_t find_slot(const struct scope *s, const char *name)
{
    for (int32_t i = s->count; i-- > 0;)
        if (s->bound[i].name && strcmp(s->bound[i].name, name) == 0)
            return i;
    return -1;
}

void unknown_name(struct scope *s, const struct position *at, const char *name, const char *what)
{
    struct nearest nearest = nearest_to(name);
    bool is_first = s->status == PORTOLAN_OK;
    for (const struct declared *v = s->process ? s->process->variables : NULL; v; v = v->next)
        nearest_offer(&nearest, v->name);
    for (const struct constant *c = s->syntax->constants; c; c = c->next)
        nearest_offer(&nearest, c->name);
    for (const struct literal *l = s->syntax->literals; l; l = l->next)
        nearest_offer(&nearest, l->name);
    for (const struct process_type *p = s->syntax->processes; p; p = p->next)
        nearest_offer(&nearest, p->name);
    for (const struct message_type *m = s->syntax->messages; m; m = m->next)
        nearest_offer(&nearest, m->name);
    for (int32_t i = 0; i < s->count; i++)
        nearest_offer(&nearest, s->bound[i].name);
    if (is_first)
        s->status = lexer_fail(&s->syntax->lexer, at, s->error, "there is no %s '%s'", what, name);
    if (nearest.best)
        advise(s, is_first, "did you mean '%s'?", nearest.best);
}

static bool is_known(const struct scope *s, const char *name)
{
    const struct constant *c = FIND(s->syntax->constants, name);
    return find_slot(s, name) >= 0 || find_variable(s->process, name) || (c && c->value) ||
           FIND(s->syntax->literals, name);
}

/* A new slot; NULL names it when nothing refers to it. */
static int32_t bind(struct scope *s, const char *name, bool of_message, struct value_type holds,
                    const struct position *at)
{
    if (s->count == MOST_SLOTS) {
        scope_fail(s, at, "too many names are bound here: there is no room for %s", name ? name : "one");
        return 0;
    }
    s->bound[s->count].name = name;
    s->bound[s->count].of_message = of_message;
    s->bound[s->count].holds = holds;
    return s->count++;
}

/* ----------------------------------------------------------------- expressions */

static void resolve(struct scope *s, struct node *node);
static void resolve_part(struct scope *s, struct node *node);

static void resolve_condition(struct scope *s, struct node *node)
{
    resolve(s, node);
    CHECK(s, check_condition, node);
}

static void resolve_integer(struct scope *s, struct node *node)
{
    resolve(s, node);
    CHECK(s, check_integer, node);
}

/* What becomes a value of the type: it is assigned, sent, compared with a field. */
static void resolve_as(struct scope *s, struct node *node, struct value_type type)
{
    resolve(s, node);
    CHECK(s, check_value, node, type);
}

static int32_t constant_value(struct scope *s, struct node *node)
{
    struct scope inner = {.syntax = s->syntax, .error = s->error, .status = s->status, .is_constant = true};
    struct environment e = {0};
    resolve(&inner, node);
    s->status = inner.status;
    int64_t value = s->status == PORTOLAN_OK ? protocols_evaluate(&e, node) : 0;
    if (e.failure)
        scope_fail(s, e.failed_at, "%s", e.failure);
    else if (value != (int32_t)value)
        scope_fail(s, &node->at, "%s", "a number is too large");
    return (int32_t)value;
}

int32_t constant_integer(struct scope *s, struct node *node)
{
    int32_t value = constant_value(s, node);
    CHECK(s, check_integer, node);
    return value;
}

static int32_t named_constant(struct scope *s, struct constant *c)
{
    if (c->is_open)
        scope_fail(s, &c->at, "the value of '%s' depends on itself", c->name);
    if (!c->is_known && s->status == PORTOLAN_OK) {
        c->is_open = true;
        c->number = constant_value(s, c->value);
        c->is_open = false;
        c->is_known = true;
    }
    return c->number;
}

/* A cell of the process, or of any. */
static void resolve_cell(struct scope *s, struct node *node, const struct declared *v, struct node *index)
{
    node->variable = v;
    node->gives = v->is_set ? booleans : v->holds;
    node->place.base = v->base;
    node->place.cells = v->index;
    node->place.missing = v->is_set ? no_member : no_element;
    if (index)
        CHECK(s, check_value, index, v->indexed_by);
}

static void resolve_variable(struct scope *s, struct node *node, const struct declared *v)
{
    node->kind = NODE_CELL;
    resolve_cell(s, node, v, v->is_array ? node->a : NULL);
    if (v->is_set) {
        bool is_first = s->status == PORTOLAN_OK;
        scope_fail(s, &node->at, "'%s' is a set", v->name);
        advise(s, is_first, "ask 'e in %s' or 'size(...)'; change it by add, remove and clear", v->name);
    } else if (v->is_array != (node->a != NULL)) {
        scope_fail(s, &node->at, v->is_array ? "'%s' is an array and needs an index" : "'%s' is not an array", v->name);
    }
}

static void resolve_name(struct scope *s, struct node *node)
{
    int32_t slot = find_slot(s, node->name);
    struct constant *constant = FIND(s->syntax->constants, node->name);
    const struct declared *variable = find_variable(s->process, node->name);
    const struct literal *literal = FIND(s->syntax->literals, node->name);
    bool is_first = s->status == PORTOLAN_OK;
    if (node->a)
        resolve_part(s, node->a);
    if (slot < 0 && variable) {
        resolve_variable(s, node, variable);
        return;
    }
    if (node->a && (slot >= 0 || constant || literal))
        scope_fail(s, &node->at, "'%s' is not an array", node->name);
    if (slot >= 0) {
        node->kind = NODE_SLOT;
        node->value = slot;
        node->gives = s->bound[slot].holds;
        if (s->bound[slot].of_message && s->quorum && s->in_body && !s->in_aggregate) {
            scope_fail(s, &node->at, "'%s' has a value for each message of the quorum", node->name);
            advise(s, is_first, "write max(%s), min, sum, count, all, some, or best(e by k)", node->name);
        }
        return;
    }
    if (constant && !constant->value)
        scope_fail(s, &node->at, "'%s' is a type", node->name);
    if (constant || literal) {
        node->value = literal ? literal->value : named_constant(s, constant);
        node->gives = literal ? (struct value_type){.kind = VALUE_NAMED, .values = literal->values} : integers;
        if (!literal && constant->value)
            node->gives = constant->value->gives;
        node->kind = NODE_NUMBER;
        return;
    }
    unknown_name(s, &node->at, node->name, s->is_constant ? "constant" : s->is_global ? "constant" : "variable");
    if (s->is_global && s->error)
        advise(s, is_first && !s->error->hint[0], "a variable of a process is written %s[i].x", "Process");
}

static void resolve_member(struct scope *s, struct node *node)
{
    bool is_first = s->status == PORTOLAN_OK;
    if (!s->is_global)
        scope_fail(s, &node->at, "a process cannot read the variables of '%s'", node->owner);
    if (!(node->process = FIND(s->syntax->processes, node->owner))) {
        unknown_name(s, &node->at, node->owner, "process");
        return;
    }
    if (node->process->is_single != (node->a == NULL))
        scope_fail(s, &node->at, node->a ? "there is only one '%s'" : "there are several '%s': which one?",
                   node->owner);
    if (node->a)
        resolve_part(s, node->a);
    if (node->b)
        resolve_part(s, node->b);
    if (node->a)
        CHECK(s, check_integer, node->a);
    node->place.row = node->process->first;
    node->place.rows = node->process->index;
    if (strcmp(node->name, "crashed") == 0) {
        node->gives = booleans;
        node->place.row = s->syntax->process_count;
        node->place.base = node->process->first;
        node->place.is_flat = true;
        return;
    }
    node->variable = find_variable(node->process, node->name);
    if (!node->variable) {
        struct scope inner = *s;
        inner.process = node->process;
        unknown_name(&inner, &node->at, node->name, "variable");
        s->status = inner.status;
    } else if ((node->variable->is_array || node->variable->is_set) != (node->b != NULL)) {
        scope_fail(s, &node->at, node->b ? "'%s' is neither a set nor an array" : "'%s' needs an index", node->name);
        advise(s, is_first && node->variable->is_set, "%s[e] is true when e is in the set", node->name);
    } else {
        resolve_cell(s, node, node->variable, node->b);
    }
}

static const struct declared *find_set(struct scope *s, const char *name, const struct position *at)
{
    const struct declared *v = find_variable(s->process, name);
    if (v && v->is_set)
        return v;
    if (v)
        scope_fail(s, at, "'%s' is not a set", name);
    else
        unknown_name(s, at, name, "set");
    return NULL;
}

static void resolve_aggregate(struct scope *s, struct node *node)
{
    bool outer = s->in_aggregate, is_first = s->status == PORTOLAN_OK;
    if (!s->quorum || !s->in_body || outer) {
        scope_fail(s, &node->at, "'%s' needs the messages of a quorum", node->name);
        advise(s, is_first, "it may stand in the body of a rule 'on majority of ...' or 'on %s of ...'", "k");
    }
    s->in_aggregate = true;
    resolve_part(s, node->a);
    if (node->b)
        resolve_part(s, node->b);
    s->in_aggregate = outer;
}

static void resolve_set(struct scope *s, struct node *node)
{
    const struct declared *set = find_set(s, node->name, &node->at);
    if (!set)
        return;
    if (node->a)
        resolve_part(s, node->a);
    resolve_cell(s, node, set, node->a);
    node->gives = node->kind == NODE_IN ? booleans : integers;
}

static void resolve_quantifier(struct scope *s, struct node *node)
{
    node->domain = type_domain(s, node->range);
    node->value = bind(s, node->name, false, type_values(s, node->range), &node->at);
    resolve_part(s, node->a);
    s->count -= s->status == PORTOLAN_OK;
}

static void resolve_children(struct scope *s, struct node *node)
{
    struct node *children[] = {node->a, node->b, node->c};
    if (node->kind == NODE_NUMBER && node->gives.kind == VALUE_INTEGER)
        node->gives = integers;
    for (size_t i = 0; i < 3; i++)
        if (children[i])
            resolve_part(s, children[i]);
}

/* Gives the names of a part their meaning, checks types and folds constants. */
static void resolve_part(struct scope *s, struct node *node)
{
    struct node *next = node->next;
    switch (node->kind) {
    case NODE_NAME: resolve_name(s, node); break;
    case NODE_MEMBER: resolve_member(s, node); break;
    case NODE_AGGREGATE: resolve_aggregate(s, node); break;
    case NODE_IN:
    case NODE_SIZE: resolve_set(s, node); break;
    case NODE_QUANTIFIER: resolve_quantifier(s, node); break;
    default: resolve_children(s, node); break;
    }
    CHECK(s, check_node, node);
    if (s->status == PORTOLAN_OK)
        *node = *fold_node(node);
    node->next = next;
}

static void resolve(struct scope *s, struct node *node)
{
    resolve_part(s, node);
    struct expression_code *code = s->status ? NULL : arena_get(&s->syntax->arena, sizeof *code);
    if (s->status != PORTOLAN_OK)
        return;
    if (code) {
        code->next = s->syntax->codes;
        s->syntax->codes = code;
    }
    if (!code || !code_make(code, node))
        s->status = fail_memory(s->error);
}

/* ----------------------------------------------------------------------- rules */

static const struct message_type *find_message(struct scope *s, const char *name, const struct position *at)
{
    const struct message_type *message = FIND(s->syntax->messages, name);
    if (!message)
        unknown_name(s, at, name, "message");
    return message;
}

static void check_arity(struct scope *s, const struct message_type *message, const struct node *list,
                        const struct position *at)
{
    uint32_t count = 0;
    for (; list; list = list->next)
        count++;
    if (message && count != message->field_count && s->status == PORTOLAN_OK)
        s->status = lexer_fail(&s->syntax->lexer, at, s->error, "'%s' has %u field%s, not %u", message->name,
                               message->field_count, message->field_count == 1 ? "" : "s", count);
}

static void resolve_destinations(struct scope *s, struct destination *list, const struct rule *rule)
{
    for (struct destination *d = list; d; d = d->next) {
        if (d->kind == TO_SENDER && (!rule || rule->input != INPUT_ONE)) {
            scope_fail(s, &d->at,
                       rule && rule->input == INPUT_QUORUM ? "a quorum has several senders%s"
                                                           : "there is no message, so there is no sender%s",
                       "");
            continue;
        }
        if (d->kind == TO_SENDER)
            continue;
        d->process = d->kind == TO_OTHERS ? s->process : FIND(s->syntax->processes, d->name);
        if (!d->process)
            unknown_name(s, &d->at, d->name, "process");
        if (d->kind == TO_ONE)
            resolve_integer(s, d->index);
        if (d->kind == TO_SET)
            d->index->variable = find_set(s, d->index->name, &d->index->at);
    }
}

static void resolve_target(struct scope *s, struct statement *statement)
{
    struct node *target = statement->target;
    const struct declared *v = find_variable(s->process, target->name);
    bool of_set = statement->kind == STATEMENT_ADD || statement->kind == STATEMENT_REMOVE;
    if (!v) {
        if (is_known(s, target->name))
            scope_fail(s, &target->at, "'%s' is not a variable and cannot change", target->name);
        unknown_name(s, &target->at, target->name, "variable");
        return;
    }
    target->variable = v;
    target->kind = NODE_CELL;
    if (target->a)
        resolve(s, target->a);
    if (of_set && !v->is_set)
        scope_fail(s, &target->at, "'%s' is not a set", v->name);
    if (statement->kind == STATEMENT_ASSIGN)
        resolve_variable(s, target, v);
    else if (target->a)
        scope_fail(s, &target->at, "the whole of '%s' is meant here, without an index", v->name);
}

/* The values of the fields of a message, one by one. */
static void resolve_fields(struct scope *s, const struct message_type *message, struct node *list)
{
    const struct declared *field = s->status == PORTOLAN_OK ? message->fields : NULL;
    for (; list && field; list = list->next, field = field->next)
        resolve_as(s, list, field->holds);
}

static void resolve_send(struct scope *s, struct statement *t, const struct rule *rule)
{
    t->message = find_message(s, t->name, &t->at);
    check_arity(s, t->message, t->arguments, &t->at);
    resolve_fields(s, t->message, t->arguments);
    resolve_destinations(s, t->destinations, rule);
}

static void resolve_statements(struct scope *s, struct statement *list, const struct rule *rule)
{
    for (struct statement *t = list; t && s->status == PORTOLAN_OK; t = t->next) {
        if (t->target)
            resolve_target(s, t);
        if (t->kind == STATEMENT_IF || t->kind == STATEMENT_ASSERT)
            resolve_condition(s, t->value);
        else if (t->value && s->status == PORTOLAN_OK)
            resolve_as(s, t->value,
                       t->kind == STATEMENT_ASSIGN ? t->target->variable->holds : t->target->variable->indexed_by);
        if (t->kind == STATEMENT_SEND)
            resolve_send(s, t, rule);
        resolve_statements(s, t->body, rule);
        resolve_statements(s, t->otherwise, rule);
    }
}

/* A name that means nothing yet is bound, everything else is compared. */
static int32_t resolve_pattern(struct scope *s, struct node *pattern, struct value_type type)
{
    if (pattern->kind == NODE_NAME && !pattern->a && !is_known(s, pattern->name))
        return bind(s, pattern->name, true, type, &pattern->at);
    resolve_as(s, pattern, type);
    return -1;
}

static void resolve_quorum(struct scope *s, struct rule *rule)
{
    uint32_t senders = rule->from ? domain_size(rule->from->index) : s->syntax->process_count;
    bool is_first = s->status == PORTOLAN_OK;
    if (rule->majority && !rule->from) {
        scope_fail(s, &rule->input_at, "a majority of whom?%s", "");
        advise(s, is_first, "say from which process: 'on majority of %s(...) from Process'", rule->message_name);
    }
    int32_t size = rule->majority ? (int32_t)senders / 2 + 1 : constant_integer(s, rule->count);
    if (size < 1 || (uint32_t)size > senders)
        scope_fail(s, &rule->input_at, "there are not that many senders of '%s'", rule->message_name);
    if (size > MOST_QUORUM)
        scope_fail(s, &rule->input_at, "the quorum is too large%s", "");
    rule->size = (uint32_t)size;
}

static void resolve_input(struct scope *s, struct rule *rule)
{
    uint32_t k = 0;
    rule->message = find_message(s, rule->message_name, &rule->input_at);
    check_arity(s, rule->message, rule->patterns, &rule->input_at);
    if (rule->from_name && !(rule->from = FIND(s->syntax->processes, rule->from_name)))
        unknown_name(s, &rule->input_at, rule->from_name, "process");
    rule->size = 1;
    if (s->status == PORTOLAN_OK && rule->input == INPUT_QUORUM)
        resolve_quorum(s, rule);
    if (s->status != PORTOLAN_OK || !(rule->slots = arena_get(&s->syntax->arena, MOST_FIELDS * sizeof *rule->slots))) {
        s->status = s->status ? s->status : fail_memory(s->error);
        return;
    }
    const struct declared *field = rule->message->fields;
    for (struct node *pattern = rule->patterns; pattern; pattern = pattern->next, field = field->next)
        rule->slots[k++] = resolve_pattern(s, pattern, field->holds);
    if (rule->from_index)
        rule->from_slot = resolve_pattern(s, rule->from_index, integers);
}

static void resolve_rule(const struct scope *outer, struct rule *rule, enum portolan_status *status)
{
    struct scope s = *outer;
    s.status = *status;
    rule->from_slot = -1;
    for (struct binder *b = rule->choices; b; b = b->next) {
        b->domain = type_domain(&s, b->type);
        b->holds = type_values(&s, b->type);
        b->slot = bind(&s, b->name, false, b->holds, &b->at);
    }
    if (rule->input != INPUT_NONE)
        resolve_input(&s, rule);
    s.quorum = rule->input == INPUT_QUORUM ? rule : NULL;
    if (rule->condition)
        resolve_condition(&s, rule->condition);
    s.in_body = true;
    resolve_statements(&s, rule->body, rule);
    *status = s.status;
}

static void resolve_forgery(struct scope *s, struct forgery *f)
{
    f->message = find_message(s, f->name, &f->at);
    check_arity(s, f->message, f->low, &f->at);
    resolve_fields(s, f->message, f->low);
    resolve_fields(s, f->message, f->high);
    resolve_destinations(s, f->destinations, NULL);
}

static void resolve_process(struct scope *outer, struct process_type *p)
{
    struct scope s = {.syntax = outer->syntax, .error = outer->error, .status = outer->status};
    bind(&s, p->parameter, false, integers, &p->at); /* slot 0 */
    for (struct binder *b = p->constants; b; b = b->next) {
        resolve(&s, b->value);
        b->slot = bind(&s, b->name, false, b->value->gives, &b->at);
    }
    for (struct declared *v = p->variables; v; v = v->next) {
        if (is_known(&s, v->name) || FIND(s.syntax->processes, v->name))
            scope_fail(&s, &v->at, "'%s' already has another meaning", v->name);
        if (v->initial)
            resolve_as(&s, v->initial, v->holds);
    }
    s.process = p;
    for (struct rule *rule = p->rules; rule; rule = rule->next) {
        if (FIND(p->rules, rule->name) != rule)
            scope_fail(&s, &rule->at, "'%s' is declared twice", rule->name);
        rule->number = s.syntax->rule_count++;
        resolve_rule(&s, rule, &s.status);
    }
    for (struct forgery *f = p->forgeries; f; f = f->next)
        resolve_forgery(&s, f);
    outer->status = s.status;
}

/* -------------------------------------------------------------------- the whole */

static void check_top_names(struct scope *s)
{
    for (const struct constant *c = s->syntax->constants; c; c = c->next)
        if (FIND(s->syntax->constants, c->name) != c || FIND(s->syntax->processes, c->name))
            scope_fail(s, &c->at, "'%s' is declared twice", c->name);
    for (const struct process_type *p = s->syntax->processes; p; p = p->next)
        if (FIND(s->syntax->processes, p->name) != p)
            scope_fail(s, &p->at, "'%s' is declared twice", p->name);
    for (const struct message_type *m = s->syntax->messages; m; m = m->next)
        if (FIND(s->syntax->messages, m->name) != m)
            scope_fail(s, &m->at, "'%s' is declared twice", m->name);
    for (const struct condition *c = s->syntax->conditions; c; c = c->next)
        for (const struct condition *other = s->syntax->conditions; other != c; other = other->next)
            if (c->name && other->name && strcmp(c->name, other->name) == 0)
                scope_fail(s, &c->at, "'%s' is declared twice", c->name);
}

static void number_processes(struct scope *s)
{
    for (struct process_type *p = s->syntax->processes; p && s->status == PORTOLAN_OK; p = p->next) {
        p->index = process_domain(s, p);
        p->first = s->syntax->process_count;
        if (domain_size(p->index) > MOST_PROCESSES ||
            (s->syntax->process_count += domain_size(p->index)) > MOST_PROCESSES)
            scope_fail(s, &p->at, "there are too many processes with '%s'", p->name);
    }
    if (!s->syntax->processes && s->status == PORTOLAN_OK) {
        s->status = lexer_expected(&s->syntax->lexer, s->error, "a process");
        hint(s->error, "a protocol has at least one: process Name[1..3] { ... }");
    }
}

static void resolve_faults(struct scope *s)
{
    struct crash *crash = s->syntax->crash;
    if (crash) {
        crash->most = constant_integer(s, crash->count);
        if (crash->most < 0 || crash->most > MOST_PROCESSES)
            scope_fail(s, &crash->at, "there are not that many processes that could crash%s", "");
        resolve_destinations(s, crash->who, NULL);
        for (const struct destination *d = crash->who; d; d = d->next)
            if (d->kind != TO_TYPE)
                scope_fail(s, &d->at, "the name of a process is expected here%s", "");
    }
    if (s->syntax->capacity) {
        int32_t capacity = constant_integer(s, s->syntax->capacity);
        if (capacity < 1 || capacity > 64)
            scope_fail(s, &s->syntax->capacity->at, "a queue holds 1 to 64 messages%s", "");
        s->syntax->queue_capacity = (uint32_t)capacity;
    }
}

enum portolan_status protocols_resolve(struct syntax *syntax, struct portolan_error *error)
{
    struct scope s = {.syntax = syntax, .error = error};
    uint32_t number = 0;
    check_top_names(&s);
    collect_literals(&s);
    for (struct constant *c = syntax->constants; c; c = c->next) {
        if (c->value)
            named_constant(&s, c);
        else if (c->type->kind != TYPE_SET && c->type->kind != TYPE_ARRAY)
            type_domain(&s, c->type);
    }
    number_processes(&s);
    for (struct message_type *m = syntax->messages; m; m = m->next) {
        uint32_t cells = 0;
        m->number = number++;
        resolve_variables(&s, m->fields, &cells, true);
    }
    for (struct process_type *p = syntax->processes; p; p = p->next)
        resolve_variables(&s, p->variables, &p->cells, false);
    for (struct process_type *p = syntax->processes; p && s.status == PORTOLAN_OK; p = p->next)
        resolve_process(&s, p);
    resolve_faults(&s);
    s.is_global = true;
    for (struct condition *c = syntax->conditions; c && s.status == PORTOLAN_OK; c = c->next)
        resolve_condition(&s, c->expression);
    return s.status;
}
