/* SPDX-License-Identifier: Apache-2.0 */
#include "front/protocols/evaluate.h"

#include "base/limits.h"

static int64_t fails(struct environment *e, const struct position *at, const char *reason)
{
    if (!e->failure) {
        e->failure = reason;
        e->failed_at = at;
    }
    return 0;
}

/* ----------------------------------------------------------------- expressions */

/* As in properties (src/property/expression.c): 64 bits, and what does not fit or divides by zero has no value. */
static int64_t calculate(struct environment *e, const struct node *node, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool overflows = false;
    switch (node->operation) {
    case PLUS: overflows = __builtin_add_overflow(a, b, &result); break;
    case MINUS: overflows = __builtin_sub_overflow(a, b, &result); break;
    case TIMES: overflows = __builtin_mul_overflow(a, b, &result); break;
    case OVER:
    case MODULO:
        if (b == 0)
            return fails(e, &node->at, "division by zero");
        overflows = node->operation == OVER && a == INT64_MIN && b == -1;
        if (!overflows)
            result = b == -1 ? (node->operation == OVER ? -a : 0) : node->operation == OVER ? a / b : a % b;
        break;
    case EQUALS: return a == b;
    case NOT_EQUAL: return a != b;
    case LESS: return a < b;
    case GREATER: return a > b;
    case LESS_EQUAL: return a <= b;
    case GREATER_EQUAL: return a >= b;
    default: break;
    }
    return overflows ? fails(e, &node->at, "a number is too large") : result;
}

static int64_t evaluate_binary(struct environment *e, const struct node *node)
{
    int64_t a = protocols_evaluate(e, node->a);
    switch (node->operation) {
    case AND: return a && protocols_evaluate(e, node->b);
    case OR: return a || protocols_evaluate(e, node->b);
    case IMPLIES: return !a || protocols_evaluate(e, node->b);
    default: return calculate(e, node, a, protocols_evaluate(e, node->b));
    }
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
    fails(e, at, variable->is_set ? "the set cannot have this element" : "the array has no such element");
    return -1;
}

static int64_t evaluate_member(struct environment *e, const struct node *node)
{
    int64_t i = node->a ? protocols_evaluate(e, node->a) : node->process->index.low;
    if (!in_domain(node->process->index, i))
        return fails(e, &node->at, "there is no such process");
    uint32_t process = node->process->first + (uint32_t)(i - node->process->index.low);
    if (!node->variable)
        return e->crashed[process];
    int32_t cell = find_cell(e, node->variable, node->b, &node->at);
    return cell < 0 ? 0 : e->all[process][cell];
}

static int32_t evaluate_size(const struct environment *e, const struct declared *set)
{
    int32_t size = 0;
    for (uint32_t i = 0; i < set->cells; i++)
        size += e->cells[set->base + i];
    return size;
}

void bind_message(struct environment *e, uint32_t j)
{
    const struct rule *rule = e->rule;
    for (uint32_t k = 0; k < rule->message->field_count; k++)
        if (rule->slots[k] >= 0)
            e->slot[rule->slots[k]] = e->fields[j][k];
    if (rule->from_slot >= 0)
        e->slot[rule->from_slot] = (int32_t)(e->senders[j] - rule->from->first) + rule->from->index.low;
}

static int64_t evaluate_aggregate(struct environment *e, const struct node *node)
{
    int64_t result = 0, best = 0;
    for (uint32_t j = 0; j < e->size; j++) {
        bind_message(e, j);
        int64_t value = protocols_evaluate(e, node->a);
        switch (node->operation) {
        case AGGREGATE_MAX: result = j == 0 || value > result ? value : result; break;
        case AGGREGATE_MIN: result = j == 0 || value < result ? value : result; break;
        case AGGREGATE_SUM:
            if (__builtin_add_overflow(result, value, &result))
                fails(e, &node->at, "a number is too large");
            break;
        case AGGREGATE_COUNT: result += value != 0; break;
        case AGGREGATE_ALL: result = (j == 0 || result) && value; break;
        case AGGREGATE_SOME: result = result || value; break;
        default: {
            int64_t key = protocols_evaluate(e, node->b);
            result = j == 0 || key > best ? value : result;
            best = j == 0 || key > best ? key : best;
        }
        }
    }
    return result;
}

static int64_t evaluate_quantifier(struct environment *e, const struct node *node)
{
    int32_t count = 0;
    for (int32_t i = node->domain.low; i <= node->domain.high; i++) {
        if (limits_reached()) /* the value is of no use; whoever asked for it ends */
            return 0;
        e->slot[node->value] = i;
        int64_t value = protocols_evaluate(e, node->a);
        if (node->operation == QUANTIFIER_COUNT)
            count += value != 0;
        else if ((value != 0) == (node->operation == QUANTIFIER_SOME))
            return node->operation == QUANTIFIER_SOME;
    }
    return node->operation == QUANTIFIER_COUNT ? count : node->operation == QUANTIFIER_ALL;
}

int64_t protocols_evaluate(struct environment *e, const struct node *node)
{
    int64_t value;
    switch (node->kind) {
    case NODE_NUMBER: return node->value;
    case NODE_SLOT: return e->slot[node->value];
    case NODE_CELL: value = find_cell(e, node->variable, node->a, &node->at); return value < 0 ? 0 : e->cells[value];
    case NODE_MEMBER: return evaluate_member(e, node);
    case NODE_UNARY:
        value = protocols_evaluate(e, node->a);
        if (node->operation == NOT)
            return !value;
        return value == INT64_MIN ? fails(e, &node->at, "a number is too large") : -value;
    case NODE_BINARY: return evaluate_binary(e, node);
    case NODE_CONDITIONAL: return protocols_evaluate(e, protocols_evaluate(e, node->a) ? node->b : node->c);
    case NODE_IN:
        value = protocols_evaluate(e, node->a);
        return in_domain(node->variable->index, value) &&
               e->cells[node->variable->base + (uint32_t)(value - node->variable->index.low)];
    case NODE_SIZE: return evaluate_size(e, node->variable);
    case NODE_AGGREGATE: return evaluate_aggregate(e, node);
    case NODE_QUANTIFIER: return evaluate_quantifier(e, node);
    case NODE_NAME: break; /* all are resolved */
    }
    return 0;
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
        fails(e, &s->at, "the value leaves the range of the variable");
    if (!e->failure)
        e->cells[cell] = (int32_t)value;
}

static void change_set(struct environment *e, const struct statement *s, bool present)
{
    const struct declared *set = s->target->variable;
    int64_t value = protocols_evaluate(e, s->value);
    if (!in_domain(set->index, value))
        fails(e, &s->at, "the set cannot have this element");
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
            fails(e, &a->at, "the value leaves the range of the field");
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
