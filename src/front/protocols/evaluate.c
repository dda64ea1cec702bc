/* SPDX-License-Identifier: Apache-2.0 */
#include "front/protocols/evaluate.h"

#include <inttypes.h>
#include <stdio.h>

const char no_element[] = "the array has no such element", no_member[] = "the set cannot have this element";

static void fails(struct environment *e, const struct position *at, const char *reason)
{
    if (!e->failure) {
        e->failure = reason;
        e->failed_at = at;
    }
}

/* "attempts = 4 is out of range 0..3": which variable, and what value. */
static void out_of_range(struct environment *e, const struct position *at, const char *name, int64_t value,
                         struct domain range)
{
    if (e->failure)
        return;
    snprintf(e->text, sizeof e->text, "%.80s = %" PRId64 " is out of range %" PRId64 "..%" PRId64, name, value,
             (int64_t)range.low, (int64_t)range.high);
    fails(e, at, e->text);
}

/* ----------------------------------------------------------------- expressions */

void bind_message(struct environment *e, uint32_t j)
{
    const struct rule *rule = e->rule;
    for (uint32_t k = 0; k < rule->message->field_count; k++)
        if (rule->slots[k] >= 0)
            e->slot[rule->slots[k]] = e->fields[j][k];
    if (rule->from_slot >= 0)
        e->slot[rule->from_slot] = (int32_t)(e->senders[j] - rule->from->first) + rule->from->index.low;
}

static void bind_next(void *environment, uint32_t message)
{
    bind_message(environment, message);
}

int64_t protocols_evaluate(struct environment *e, const struct node *node)
{
    const int32_t *rows[] = {e->cells};
    struct evaluation evaluation = {.slots = e->slot, .rows = rows, .messages = e->size, .bind = bind_next, .user = e};
    int64_t value = code_value(node, &evaluation);
    if (evaluation.failure)
        fails(e, &evaluation.failed_at->at, evaluation.failure);
    return value;
}

bool condition_holds(const struct condition *condition, const int32_t *const *rows, struct evaluation *evaluation)
{
    int32_t slots[MOST_SLOTS];
    *evaluation = (struct evaluation){.slots = slots, .rows = rows};
    bool holds = code_value(condition->expression, evaluation) != 0;
    evaluation->slots = NULL; /* gone with this call, as the rows are with the caller */
    return holds;
}

/* The cell of an element, -1 when there is none. */
static int32_t find_cell(struct environment *e, const struct declared *variable, const struct node *index,
                         const struct position *at)
{
    if (!index)
        return (int32_t)variable->base;
    int64_t i = protocols_evaluate(e, index);
    if (in_domain(variable->index, i))
        return (int32_t)(variable->base + i - variable->index.low);
    if (!e->failure) {
        snprintf(e->text, sizeof e->text, "%.80s has no element %" PRId64, variable->name, i);
        fails(e, at, e->text);
    }
    return -1;
}

/* ----------------------------------------------------------------------- rules */

static bool matches(struct environment *e, uint32_t j)
{
    const struct rule *rule = e->rule;
    uint32_t k = 0;
    bind_message(e, j);
    for (const struct node *pattern = rule->patterns; pattern; pattern = pattern->next, k++)
        if (rule->slots[k] < 0 && protocols_evaluate(e, pattern) != e->fields[j][k])
            return false;
    return !rule->from_index || rule->from_slot >= 0 ||
           protocols_evaluate(e, rule->from_index) ==
               (int32_t)(e->senders[j] - rule->from->first) + rule->from->index.low;
}

bool rule_is_enabled(struct environment *e)
{
    for (uint32_t j = 0; j < e->size; j++) {
        bool fits = matches(e, j) && (!e->rule->condition || protocols_evaluate(e, e->rule->condition));
        if (!fits && !e->failure)
            return false;
    }
    return e->size || !e->rule->condition || protocols_evaluate(e, e->rule->condition) || e->failure;
}

static void assign(struct environment *e, const struct statement *s, int64_t value)
{
    int32_t cell = find_cell(e, s->target->variable, s->target->a, &s->at);
    if (!in_domain(s->target->variable->values, value))
        out_of_range(e, &s->at, s->target->variable->name, value, s->target->variable->values);
    if (!e->failure)
        e->cells[cell] = (int32_t)value;
}

static void change_set(struct environment *e, const struct statement *s, bool present)
{
    const struct declared *set = s->target->variable;
    int64_t value = protocols_evaluate(e, s->value);
    if (!in_domain(set->index, value) && !e->failure) {
        snprintf(e->text, sizeof e->text, "the set %.80s cannot contain %" PRId64, set->name, value);
        fails(e, &s->at, e->text);
    }
    if (!e->failure)
        e->cells[set->base + (uint32_t)(value - set->index.low)] = present;
}

static void send_to(struct environment *e, const struct statement *s, const struct destination *d,
                    const int32_t *fields)
{
    const struct process_type *type = d->process;
    uint32_t one = UINT32_MAX;
    if (d->kind == TO_SENDER) {
        e->send(e, s->message, e->senders[0], fields);
        return;
    }
    if (d->kind == TO_ONE) {
        int64_t i = protocols_evaluate(e, d->index);
        if (!in_domain(type->index, i)) {
            fails(e, &d->at, "there is no such process");
            return;
        }
        one = type->first + (uint32_t)(i - type->index.low);
    }
    for (uint32_t i = 0; i < domain_size(type->index); i++) {
        uint32_t to = type->first + i;
        const struct declared *set = d->kind == TO_SET ? d->index->variable : NULL;
        int32_t index = type->index.low + (int32_t)i;
        if (d->kind == TO_ONE ? to != one : d->kind == TO_OTHERS ? to == e->process : false)
            continue;
        if (set && !(in_domain(set->index, index) && e->cells[set->base + (uint32_t)(index - set->index.low)]))
            continue;
        e->send(e, s->message, to, fields);
    }
}

static void execute_send(struct environment *e, const struct statement *s)
{
    int32_t fields[MOST_FIELDS];
    uint32_t k = 0;
    const struct declared *field = s->message->fields;
    for (const struct node *a = s->arguments; a; a = a->next, field = field->next) {
        int64_t value = protocols_evaluate(e, a);
        fields[k++] = (int32_t)value;
        if (!in_domain(field->values, value))
            out_of_range(e, &a->at, field->name, value, field->values);
    }
    for (const struct destination *d = s->destinations; d && !e->failure; d = d->next)
        send_to(e, s, d, fields);
}

void protocols_execute(struct environment *e, const struct statement *body)
{
    for (const struct statement *s = body; s && !e->failure; s = s->next) {
        switch (s->kind) {
        case STATEMENT_ASSIGN: assign(e, s, protocols_evaluate(e, s->value)); break;
        case STATEMENT_ADD: change_set(e, s, true); break;
        case STATEMENT_REMOVE: change_set(e, s, false); break;
        case STATEMENT_CLEAR:
            for (uint32_t i = 0; i < s->target->variable->cells; i++)
                e->cells[s->target->variable->base + i] = s->target->variable->values.low;
            break;
        case STATEMENT_SEND: execute_send(e, s); break;
        case STATEMENT_IF: {
            int64_t value = protocols_evaluate(e, s->value);
            if (!e->failure)
                protocols_execute(e, value ? s->body : s->otherwise);
            break;
        }
        case STATEMENT_ASSERT:
            if (!protocols_evaluate(e, s->value))
                fails(e, &s->at, "the assertion does not hold");
            break;
        }
    }
}
