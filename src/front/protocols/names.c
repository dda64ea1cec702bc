/* SPDX-License-Identifier: Apache-2.0 */
/* Names of actions and messages, and what a step looks like to people. */
#include "front/protocols/lowering.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static void add(struct text *text, const char *more)
{
    size_t length = strlen(more), room = text->size - 1 - text->used;
    length = length < room ? length : room;
    memcpy(text->start + text->used, more, length);
    text->used += length;
    text->start[text->used] = 0;
}

/* ---------------------------------------------------------------------- values */

static void append_value(struct text *text, const struct value_type *type, int32_t value)
{
    if (type->kind == VALUE_NAMED)
        add(text, type->values->values[value]);
    else if (type->kind == VALUE_BOOLEAN)
        add(text, value ? "true" : "false");
    else
        append(text, "%d", (int)value);
}

static void append_message(const struct lowering *l, struct text *text, uint32_t number)
{
    const struct message *message = &l->protocol.messages.item[number];
    const struct declared *field = message->type->fields;
    const int32_t *fields = message_fields(&l->protocol, message);
    add(text, message->type->name);
    for (uint32_t k = 0; field; field = field->next, k++) {
        add(text, k ? ", " : "(");
        append_value(text, &field->holds, fields[k]);
        if (!field->next)
            add(text, ")");
    }
}

void message_text(const struct lowering *l, uint32_t message, char *text, size_t size)
{
    struct text out = {text, 0, size};
    append_message(l, &out, message);
}

static const char *process_name(const struct lowering *l, uint32_t process)
{
    return l->protocol.automata[process].name;
}

/* --------------------------------------------------------------------- actions */

/* "learn v=2" */
static void append_rule(const struct lowering *l, struct text *text, const struct protocol_action *a)
{
    const struct automaton *automaton = &l->protocol.automata[a->process];
    const struct column *c = &automaton->columns.item[a->column];
    size_t length;
    const uint32_t *key = sequence_get(&automaton->keys, c->sequence, &length) + 1;
    add(text, c->rule->name);
    for (const struct binder *b = c->rule->choices; b; b = b->next) {
        append(text, " %s=", b->name);
        append_value(text, &b->holds, (int32_t)*key++);
    }
}

static void append_action(const struct lowering *l, struct text *text, const struct protocol_action *a)
{
    const uint32_t *needs = a->need_count ? l->needs.item + a->first_need : NULL;
    const struct message *messages = l->protocol.messages.item;
    switch (a->kind) {
    case ACTION_LOSE:
        append(text, "lost: ");
        append_message(l, text, needs[0]);
        append(text, " from %s to %s", process_name(l, messages[needs[0]].from), process_name(l, a->process));
        return;
    case ACTION_FORGE:
        append(text, "%s sends ", process_name(l, a->process));
        append_message(l, text, a->sends);
        append(text, " to %s", process_name(l, messages[a->sends].to));
        return;
    case ACTION_CRASH: append(text, "%s crashes", process_name(l, a->process)); return;
    default: break;
    }
    append(text, "%s ", process_name(l, a->process));
    append_rule(l, text, a);
    for (uint32_t i = 0; i < a->need_count; i++) {
        append(text, i ? ", " : ": ");
        append_message(l, text, needs[i]);
        append(text, " from %s", process_name(l, messages[needs[i]].from));
    }
    if (a->kind == ACTION_KEEP)
        append(text, " (duplicated)");
}

void protocol_action_text(const struct lowering *l, uint32_t action, char *text, size_t size)
{
    struct text out = {text, 0, size};
    text[0] = '\0';
    append_action(l, &out, &l->actions.item[action]);
}

void value_text(const void *model, uint32_t variable, int64_t value, char *text, size_t size)
{
    struct text out = {text, 0, size};
    append_value(&out, &lowering_of(model)->variables.item[variable].type, (int32_t)value);
}

/* -------------------------------------------------------------- what steps tell */

static void tell_message(const struct lowering *l, enum portolan_message_event event, uint32_t message,
                         const struct portolan_message_receiver *receiver)
{
    const struct message *m = &l->protocol.messages.item[message];
    char text[LONGEST_MESSAGE];
    message_text(l, message, text, sizeof text);
    receiver->message(receiver->user, event, m->from, m->to, text);
}

static void tell_step(const void *model, const void *state, const struct protocol_action *a,
                      const struct portolan_message_receiver *receiver)
{
    const struct lowering *l = lowering_of(model);
    char text[LONGEST_MESSAGE];
    struct text out = {text, 0, sizeof text};
    enum standing standing;
    const struct local_step *move = move_of(l, a, local_state(model, state, a->process, &standing));
    bool overflows = step_overflows(model, state, a);
    append_rule(l, &out, a);
    if (move->failure) {
        const struct failure *failure = &l->protocol.failures.item[move->failure - 1];
        append(&out, " fails at line %u: %s", failure->line, failure->reason);
    } else if (overflows) {
        append(&out, " fails: a queue is full");
    }
    receiver->acts(receiver->user, a->process, text, move->failure || overflows);
    for (uint32_t i = 0; i < a->need_count; i++)
        tell_message(l, PORTOLAN_RECEIVED, l->needs.item[a->first_need + i], receiver);
    size_t count;
    const uint32_t *sends = sequence_get(&l->protocol.sends, move->sends, &count);
    for (size_t i = 0; i < count && !overflows; i++)
        tell_message(l, PORTOLAN_SENT, sends[i], receiver);
}

static void tell(const void *model, const void *state, uint32_t action,
                 const struct portolan_message_receiver *receiver)
{
    const struct lowering *l = lowering_of(model);
    const struct protocol_action *a = &l->actions.item[action];
    switch (a->kind) {
    case ACTION_STEP:
    case ACTION_KEEP: tell_step(model, state, a, receiver); break;
    case ACTION_CRASH: receiver->acts(receiver->user, a->process, "crashes", true); break;
    case ACTION_LOSE:
        receiver->acts(receiver->user, a->process, "the channel", false);
        tell_message(l, PORTOLAN_LOST, l->needs.item[a->first_need], receiver);
        break;
    case ACTION_FORGE:
        if (step_overflows(model, state, a)) {
            receiver->acts(receiver->user, a->process, "fails: a queue is full", true);
            break;
        }
        receiver->acts(receiver->user, a->process, "Byzantine", false);
        tell_message(l, PORTOLAN_SENT, a->sends, receiver);
        break;
    }
}

static void tell_queue(const void *model, const void *state, uint32_t queue,
                       const struct portolan_message_receiver *receiver)
{
    const struct lowering *l = lowering_of(model);
    const struct protocol *p = &l->protocol;
    for (uint32_t slot = 0; l->queues[queue].messages && slot < p->syntax.queue_capacity; slot++) {
        int64_t number = model_cell_value(model, state, l->queues[queue].first_cell + slot);
        for (uint32_t i = 0; number && i < p->messages.count; i++)
            if (p->messages.item[i].queue == queue && l->in_queue[i] == number)
                tell_message(l, PORTOLAN_SENT, i, receiver);
    }
}

static void waiting(const void *model, const void *state, const struct portolan_message_receiver *receiver)
{
    const struct lowering *l = lowering_of(model);
    const struct protocol *p = &l->protocol;
    for (uint32_t q = 0; q < p->queue_count; q++)
        tell_queue(model, state, q, receiver);
    for (uint32_t i = 0; i < p->messages.count; i++) {
        if (p->messages.item[i].kind != MESSAGE_SENT || p->messages.item[i].queue != NO_QUEUE)
            continue;
        for (int64_t k = model_cell_value(model, state, l->cell_of[i]); k > 0; k--)
            tell_message(l, PORTOLAN_SENT, i, receiver);
    }
}

static const char *name_of_process(const void *model, uint32_t process)
{
    return process_name(lowering_of(model), process);
}

const struct portolan_messages *messages_view(struct lowering *l)
{
    l->messages = (struct portolan_messages){
        .processes = l->protocol.process_count, .process_name = name_of_process, .tell = tell, .waiting = waiting};
    return &l->messages;
}

/* ------------------------------------------------------------------- the rules */

static uint32_t rule_of(const void *model, uint32_t action)
{
    const struct lowering *l = lowering_of(model);
    const struct protocol_action *a = &l->actions.item[action];
    return is_step(a) ? l->protocol.automata[a->process].columns.item[a->column].rule->number : PORTOLAN_NO_RULE;
}

static bool rule_text(const void *model, uint32_t number, char *text, size_t size)
{
    for (const struct process_type *p = lowering_of(model)->protocol.syntax.processes; p; p = p->next)
        for (const struct rule *r = p->rules; r; r = r->next)
            if (number-- == 0) {
                snprintf(text, size, "%s:%u rule %s", p->name, r->at.line, r->name);
                return true;
            }
    return false;
}

const struct portolan_rules *rules_view(struct lowering *l)
{
    l->rules = (struct portolan_rules){
        .noun = "rule", .count = l->protocol.syntax.rule_count, .rule_of = rule_of, .text = rule_text};
    return &l->rules;
}
