/* SPDX-License-Identifier: Apache-2.0 */
/* Names of actions and variables, conditions about the whole state, and what a step looks like to people. */
#include "front/protocols/model.h"

#include "front/protocols/evaluate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 4096, LONGEST_MESSAGE = 256 };

struct text {
    char *start;
    size_t used, size;
};

static __attribute__((format(printf, 2, 3))) void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->start + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length;
    if (text->used >= text->size)
        text->used = text->size - 1;
}

/* ---------------------------------------------------------------------- values */

static const struct type_node *plain_type(const struct protocol_model *m, const struct type_node *type)
{
    for (const struct constant *c = m->protocol.syntax.constants; c && type->kind == TYPE_NAMED; c = c->next)
        if (c->type && strcmp(c->name, type->name) == 0)
            return plain_type(m, c->type);
    return type;
}

static void append_value(const struct protocol_model *m, struct text *text, const struct type_node *type, int32_t value)
{
    type = plain_type(m, type);
    for (const struct literal *l = type->literals; l; l = l->next)
        if (l->value == value) {
            append(text, "%s", l->name);
            return;
        }
    if (type->kind == TYPE_BOOL)
        append(text, "%s", value ? "true" : "false");
    else
        append(text, "%d", (int)value);
}

static void append_message(const struct protocol_model *m, struct text *text, uint32_t number)
{
    const struct message *message = &m->protocol.messages.item[number];
    const struct variable *field = message->type->fields;
    const int32_t *fields = message_fields(&m->protocol, message);
    append(text, "%s", message->type->name);
    for (uint32_t k = 0; field; field = field->next, k++) {
        append(text, k ? ", " : "(");
        append_value(m, text, field->type, fields[k]);
        if (!field->next)
            append(text, ")");
    }
}

void message_text(const struct protocol_model *m, uint32_t message, char *text, size_t size)
{
    struct text out = {text, 0, size};
    append_message(m, &out, message);
}

static const char *process_name(const struct protocol_model *m, uint32_t process)
{
    return m->protocol.automata[process].name;
}

/* --------------------------------------------------------------------- actions */

/* "learn v=2" */
static void append_rule(const struct protocol_model *m, struct text *text, const struct action *a)
{
    const struct automaton *automaton = &m->protocol.automata[a->process];
    const struct column *c = &automaton->columns.item[a->column];
    size_t length;
    const uint32_t *key = sequence_get(&automaton->keys, c->sequence, &length) + 1;
    append(text, "%s", c->rule->name);
    for (const struct binder *b = c->rule->choices; b; b = b->next) {
        append(text, " %s=", b->name);
        append_value(m, text, b->type, (int32_t)*key++);
    }
}

static void append_action(const struct protocol_model *m, struct text *text, const struct action *a)
{
    const uint32_t *needs = a->need_count ? m->needs.item + a->first_need : NULL;
    const struct message *messages = m->protocol.messages.item;
    switch (a->kind) {
    case ACTION_LOSE:
        append(text, "lost: ");
        append_message(m, text, needs[0]);
        append(text, " from %s to %s", process_name(m, messages[needs[0]].from), process_name(m, a->process));
        return;
    case ACTION_FORGE:
        append(text, "%s sends ", process_name(m, a->process));
        append_message(m, text, a->sends);
        append(text, " to %s", process_name(m, messages[a->sends].to));
        return;
    case ACTION_CRASH: append(text, "%s crashes", process_name(m, a->process)); return;
    default: break;
    }
    append(text, "%s ", process_name(m, a->process));
    append_rule(m, text, a);
    for (uint32_t i = 0; i < a->need_count; i++) {
        append(text, i ? ", " : ": ");
        append_message(m, text, needs[i]);
        append(text, " from %s", process_name(m, messages[needs[i]].from));
    }
    if (a->kind == ACTION_KEEP)
        append(text, " (duplicated)");
}

static bool name_actions(struct protocol_model *m)
{
    char name[LONGEST_NAME];
    for (uint32_t i = 0; i < m->actions.count; i++) {
        struct text text = {name, 0, sizeof name - 16};
        uint32_t number;
        name[0] = '\0';
        append_action(m, &text, &m->actions.item[i]);
        if (names_find(&m->action_names, name, &number)) /* cut off: told apart by a number */
            snprintf(name + text.used, 16, " #%u", i);
        if (!names_add(&m->action_names, name, &number))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------- variables */

static bool add_variable(struct protocol_model *m, const char *name, struct listed_variable variable)
{
    uint32_t number;
    if (names_find(&m->variable_names, name, &number))
        return true; /* names that were cut off, or a value with the name of an invariant */
    return names_add(&m->variable_names, name, &number) && vector_push(&m->variables, variable);
}

static bool name_variables(struct protocol_model *m, uint32_t process)
{
    const struct process_type *type = m->protocol.automata[process].type;
    char name[640];
    for (const struct variable *v = type->variables; v; v = v->next)
        for (uint32_t i = 0; i < v->cells; i++) {
            struct listed_variable listed = {.kind = LISTS_CELL, .process = process, .cell = v->base + i};
            if (v->is_set || v->is_array)
                snprintf(name, sizeof name, "%s.%s[%d]", process_name(m, process), v->name, (int)i + v->index.low);
            else
                snprintf(name, sizeof name, "%s.%s", process_name(m, process), v->name);
            if (!add_variable(m, name, listed))
                return false;
        }
    return true;
}

static bool name_crashed(struct protocol_model *m)
{
    char name[300];
    for (uint32_t i = 0; i < m->protocol.process_count; i++) {
        snprintf(name, sizeof name, "%s.crashed", process_name(m, i));
        if (!add_variable(m, name, (struct listed_variable){.kind = LISTS_CRASHED, .process = i}))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ conditions */

static bool add_stated(struct protocol_model *m, const char *expression, const char *name, bool lasting)
{
    size_t i = m->stated.count;
    char **texts = realloc(m->stated_texts, (2 * i + 2) * sizeof *texts);
    if (!texts)
        return false;
    m->stated_texts = texts;
    texts[2 * i] = strdup(expression);
    texts[2 * i + 1] = strdup(name);
    struct portolan_stated_property stated = {
        .kind = PORTOLAN_INVARIANT, .text = texts[2 * i], .name = texts[2 * i + 1], .lasting = lasting};
    if (texts[2 * i] && texts[2 * i + 1] && vector_push(&m->stated, stated))
        return true;
    free(texts[2 * i]);
    free(texts[2 * i + 1]);
    return false;
}

static bool name_conditions(struct protocol_model *m)
{
    if (model_may_fail(m) && !add_stated(m, "failed == 0", "no step fails", true))
        return false;
    for (const struct condition *c = m->protocol.syntax.conditions; c; c = c->next) {
        char text[300], name[300];
        bool lasts = false;
        if (c->is_final)
            continue;
        snprintf(text, sizeof text, "%s == 1", c->name);
        snprintf(name, sizeof name, "invariant %s", c->name);
        if (!add_variable(m, c->name, (struct listed_variable){.kind = LISTS_CONDITION, .condition = c}) ||
            !condition_lasts(m, c, &lasts) || !add_stated(m, text, name, lasts))
            return false;
    }
    return true;
}

/* Values that have names may be asked for by these. */
static bool name_constants(struct protocol_model *m)
{
    for (const struct literal *l = m->protocol.syntax.literals; l; l = l->next)
        if (!add_variable(m, l->name, (struct listed_variable){.kind = LISTS_CONSTANT, .constant = l->value}))
            return false;
    for (const struct constant *c = m->protocol.syntax.constants; c; c = c->next)
        if (c->value &&
            !add_variable(m, c->name, (struct listed_variable){.kind = LISTS_CONSTANT, .constant = c->number}))
            return false;
    return true;
}

bool condition_holds(const struct condition *c, const int32_t *const *all, const bool *crashed)
{
    struct environment e;
    e.all = all;
    e.crashed = crashed;
    e.failure = NULL;
    int64_t value = protocols_evaluate(&e, c->expression);
    return !e.failure && value;
}

static int32_t condition_value(const struct protocol_model *m, const uint64_t *state, const struct condition *c)
{
    const int32_t *all[MOST_PROCESSES];
    bool crashed[MOST_PROCESSES];
    for (uint32_t i = 0; i < m->protocol.process_count; i++) {
        enum standing standing;
        all[i] = local_cells(&m->protocol.automata[i], local_state(m, state, i, &standing));
        crashed[i] = standing == HAS_CRASHED;
    }
    return condition_holds(c, all, crashed);
}

bool model_is_final(const struct protocol_model *m, const uint64_t *state)
{
    for (const struct condition *c = m->protocol.syntax.conditions; c; c = c->next)
        if (c->is_final && !condition_value(m, state, c))
            return false;
    return true;
}

int64_t model_value(const struct protocol_model *m, const uint64_t *state, uint32_t variable)
{
    const struct listed_variable *v = &m->variables.item[variable];
    enum standing standing;
    int64_t failed = 0;
    switch (v->kind) {
    case LISTS_CONDITION: return condition_value(m, state, v->condition);
    case LISTS_CONSTANT: return v->constant;
    case LISTS_FAILED:
        for (uint32_t i = 0; i < m->protocol.process_count; i++) {
            local_state(m, state, i, &standing);
            failed += standing == HAS_FAILED;
        }
        return failed;
    default: break;
    }
    uint32_t local = local_state(m, state, v->process, &standing);
    if (v->kind == LISTS_CRASHED)
        return standing == HAS_CRASHED;
    return local_cells(&m->protocol.automata[v->process], local)[v->cell];
}

void model_value_text(const struct protocol_model *m, uint32_t variable, int64_t value, char *text, size_t size)
{
    const struct listed_variable *v = &m->variables.item[variable];
    struct text out = {text, 0, size};
    static const struct type_node boolean = {.kind = TYPE_BOOL}, number = {.kind = TYPE_RANGE};
    const struct type_node *type = v->kind == LISTS_CRASHED || v->kind == LISTS_CONDITION ? &boolean : &number;
    const struct variable *declared = v->kind == LISTS_CELL ? m->protocol.automata[v->process].type->variables : NULL;
    while (declared && v->cell >= declared->base + declared->cells)
        declared = declared->next;
    if (declared) {
        type = plain_type(m, declared->type);
        type = type->kind == TYPE_SET ? &boolean : type->kind == TYPE_ARRAY ? type->element : type;
    }
    append_value(m, &out, type, (int32_t)value);
}

bool model_make_names(struct protocol_model *m)
{
    if (!name_actions(m))
        return false;
    for (uint32_t i = 0; i < m->protocol.process_count; i++)
        if (!name_variables(m, i))
            return false;
    if (!name_crashed(m) || !add_variable(m, "failed", (struct listed_variable){.kind = LISTS_FAILED}))
        return false;
    m->listed = (uint32_t)m->variables.count;
    return name_conditions(m) && name_constants(m);
}

/* -------------------------------------------------------------- what steps tell */

static void tell_step(const struct protocol_model *m, const uint64_t *state, const struct action *a,
                      const struct portolan_message_receiver *receiver)
{
    char text[LONGEST_MESSAGE];
    struct text out = {text, 0, sizeof text};
    enum standing standing;
    const struct edge *edge = model_edge(m, a, local_state(m, state, a->process, &standing));
    bool overflows = step_overflows(m, state, a);
    append_rule(m, &out, a);
    if (edge->failure) {
        const struct failure *failure = &m->protocol.failures.item[edge->failure - 1];
        append(&out, " fails at line %u: %s", failure->line, failure->reason);
    } else if (overflows) {
        append(&out, " fails: a queue is full");
    }
    receiver->acts(receiver->user, a->process, text, edge->failure || overflows);
    for (uint32_t i = 0; i < a->need_count; i++) {
        uint32_t need = m->needs.item[a->first_need + i];
        message_text(m, need, text, sizeof text);
        receiver->message(receiver->user, PORTOLAN_RECEIVED, m->protocol.messages.item[need].from, a->process, text);
    }
    size_t count;
    const uint32_t *sends = sequence_get(&m->protocol.sends, edge->sends, &count);
    for (size_t i = 0; i < count && !overflows; i++) {
        message_text(m, sends[i], text, sizeof text);
        receiver->message(receiver->user, PORTOLAN_SENT, a->process, m->protocol.messages.item[sends[i]].to, text);
    }
}

static void tell(const void *model, const void *state, uint32_t action,
                 const struct portolan_message_receiver *receiver)
{
    const struct protocol_model *m = model;
    const struct action *a = &m->actions.item[action];
    char text[LONGEST_MESSAGE];
    uint32_t need = a->need_count ? m->needs.item[a->first_need] : 0;
    switch (a->kind) {
    case ACTION_STEP:
    case ACTION_KEEP: tell_step(m, state, a, receiver); break;
    case ACTION_CRASH: receiver->acts(receiver->user, a->process, "crashes", true); break;
    case ACTION_LOSE:
        receiver->acts(receiver->user, a->process, "the channel", false);
        message_text(m, need, text, sizeof text);
        receiver->message(receiver->user, PORTOLAN_LOST, m->protocol.messages.item[need].from, a->process, text);
        break;
    case ACTION_FORGE:
        if (step_overflows(m, state, a)) {
            receiver->acts(receiver->user, a->process, "fails: a queue is full", true);
            break;
        }
        receiver->acts(receiver->user, a->process, "Byzantine", false);
        message_text(m, a->sends, text, sizeof text);
        receiver->message(receiver->user, PORTOLAN_SENT, a->process, m->protocol.messages.item[a->sends].to, text);
        break;
    }
}

static const char *name_of_process(const void *model, uint32_t process)
{
    return process_name(model, process);
}

void model_make_messages(struct protocol_model *m)
{
    m->messages = (struct portolan_messages){
        .processes = m->protocol.process_count, .process_name = name_of_process, .tell = tell};
}

/* ------------------------------------------------------------------- the rules */

static uint32_t rule_of(const void *model, uint32_t action)
{
    const struct protocol_model *m = model;
    const struct action *a = &m->actions.item[action];
    uint32_t number = 0;
    if (!is_step(a))
        return PORTOLAN_NO_RULE;
    const struct rule *rule = m->protocol.automata[a->process].columns.item[a->column].rule;
    for (const struct process_type *p = m->protocol.syntax.processes; p; p = p->next)
        for (const struct rule *r = p->rules; r; r = r->next, number++)
            if (r == rule)
                return number;
    return PORTOLAN_NO_RULE;
}

static bool rule_text(const void *model, uint32_t number, char *text, size_t size)
{
    const struct protocol_model *m = model;
    for (const struct process_type *p = m->protocol.syntax.processes; p; p = p->next)
        for (const struct rule *r = p->rules; r; r = r->next)
            if (number-- == 0) {
                snprintf(text, size, "%s:%u rule %s", p->name, r->at.line, r->name);
                return true;
            }
    return false;
}

void model_make_rules(struct protocol_model *m)
{
    uint32_t count = 0;
    for (const struct process_type *p = m->protocol.syntax.processes; p; p = p->next)
        for (const struct rule *r = p->rules; r; r = r->next)
            count++;
    m->rules = (struct portolan_rules){.noun = "rule", .count = count, .rule_of = rule_of, .text = rule_text};
}
