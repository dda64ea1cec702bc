/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and assignments as code of the model: C's int, which wraps round; &&, || and conditions stop early. */
#include "front/promela/lowering.h"

#include <string.h>

struct instruction *pml_emit_code(struct lowering *l, enum code code)
{
    static struct instruction none; /* where memory has run out nothing is read any more */
    struct instruction i = {.code = (uint8_t)code, .type = l->numbers, .length = 1, .d = -1, .flags = SYNCHRONISES};
    model_emit(l->m, i);
    return l->m->failed ? &none : &l->m->code.item[l->m->code.count - 1];
}

void pml_code_a(struct instruction *i, struct operand operand)
{
    i->a = operand.value;
    if (operand.is_number)
        i->flags |= A_IS_NUMBER;
}

void pml_code_b(struct instruction *i, struct operand operand)
{
    i->b = operand.value;
    if (operand.is_number)
        i->flags |= B_IS_NUMBER;
}

struct operand pml_number_operand(int64_t value)
{
    return (struct operand){true, (int32_t)value};
}

struct operand pml_new_register(struct lowering *l)
{
    struct operand result = {false, (int32_t)l->top++};
    if (l->top > l->most)
        l->most = l->top;
    return result;
}

int32_t pml_failure_code(struct lowering *l, uint32_t kind)
{
    l->may_fail = true;
    return (int32_t)(l->slot[l->acting.slot].failures + kind);
}

struct operand pml_emit_load(struct lowering *l, uint32_t cell)
{
    struct operand result = pml_new_register(l);
    struct instruction *load = pml_emit_code(l, CODE_LOAD);
    load->c = (int32_t)cell;
    load->flags |= B_IS_NUMBER;
    load->dst = result.value;
    return result;
}

void pml_emit_store(struct lowering *l, uint32_t cell, struct operand value)
{
    struct instruction *store = pml_emit_code(l, CODE_STORE);
    store->c = (int32_t)cell;
    store->flags |= B_IS_NUMBER;
    pml_code_a(store, value);
}

void pml_emit_add(struct lowering *l, uint32_t cell, int32_t more)
{
    struct instruction *add = pml_emit_code(l, CODE_ADD);
    add->c = (int32_t)cell;
    add->flags |= B_IS_NUMBER;
    pml_code_a(add, pml_number_operand(more));
}

/* ------------------------------------------------------------------------- references */

struct element_place {
    int64_t cell; /* + index */
    uint32_t length;
    struct operand index;
};

static uint32_t first_cell(const struct lowering *l, const struct declared *v)
{
    return (v->proctype ? host_of(l, l->actor)->frame : l->globals) + v->offset;
}

bool promela_constant_cell(const struct lowering *l, const struct node *n, uint32_t *cell)
{
    int64_t index = 0;
    if (n->kind != NODE_VAR)
        return false;
    *cell = first_cell(l, n->variable);
    for (const struct node *part = n; part; part = part->b) {
        const struct declared *v = part->variable;
        if (part != n)
            *cell += v->offset;
        index = 0;
        bool pid_index = part->a && part->a->kind == NODE_PROCESS_ID;
        if (pid_index)
            index = l->actor.slot;
        else if (part->a && !promela_fold(part->a, &index))
            return false;
        if (index < 0 || index >= v->length)
            return false;
        *cell += (uint32_t)index * promela_cells(v);
    }
    return true;
}

static void add_index(struct lowering *l, struct element_place *place, struct operand index, uint32_t stride)
{
    if (stride > 1)
        index = pml_emit_calculate(l, OPERATION_MULTIPLY, index, pml_number_operand(stride));
    place->index = place->index.is_number ? index : pml_emit_calculate(l, OPERATION_ADD, place->index, index);
}

static uint32_t index_failure(const struct lowering *l, const struct declared *v)
{
    for (uint32_t i = 0; i < l->arrays.count; i++)
        if (l->arrays.item[i] == v)
            return FAILURES + i;
    return FAILURE_INDEX;
}

/* Indexes are checked, outermost first. */
static struct element_place find_place(struct lowering *l, const struct node *n)
{
    struct element_place place = {first_cell(l, n->variable), 1, pml_number_operand(0)};
    for (const struct node *part = n; part; part = part->b) {
        const struct declared *v = part->variable;
        uint32_t stride = promela_cells(v);
        if (part != n)
            place.cell += v->offset;
        if (!part->a)
            continue;
        struct operand index = pml_emit_value(l, part->a);
        if (index.is_number && index.value >= 0 && (uint32_t)index.value < v->length) {
            place.cell += (int64_t)index.value * stride;
            continue;
        }
        struct instruction *check = pml_emit_code(l, CODE_CHECK_INDEX);
        pml_code_a(check, index);
        check->b = (int32_t)v->length;
        check->flags |= B_IS_NUMBER;
        check->d = pml_failure_code(l, index_failure(l, v));
        place.length += (v->length - 1) * stride;
        if (index.is_number) /* it has failed */
            place.index = pml_number_operand(0);
        else
            add_index(l, &place, index, stride);
    }
    return place;
}

static void set_place(struct instruction *i, const struct element_place *place)
{
    i->c = (int32_t)place->cell;
    i->length = place->index.is_number ? 1 : place->length;
    pml_code_b(i, place->index);
}

static struct operand code_reference(struct lowering *l, const struct node *n)
{
    uint32_t top = l->top;
    struct element_place place = find_place(l, n);
    l->top = top;
    struct operand result = pml_new_register(l);
    struct instruction *load = pml_emit_code(l, CODE_LOAD);
    set_place(load, &place);
    load->dst = result.value;
    return result;
}

/* -------------------------------------------------------------------------- processes */

static void emit_move(struct lowering *l, struct operand to, struct operand value)
{
    struct instruction *i = pml_emit_code(l, CODE_MOVE);
    i->dst = to.value;
    pml_code_a(i, value);
}

static bool is_of(const struct lowering *l, uint32_t slot, const char *type)
{
    const struct proctype *p = promela_proctype(l->syntax, type);
    return p && runs_in(l, slot, p);
}

/* What a process is asked for: whether it is at a label, or a variable. */
static struct operand ask(struct lowering *l, const struct node *n, uint32_t slot)
{
    const struct proctype *p = promela_proctype(l->syntax, n->name);
    struct actor actor = l->actor;
    struct operand result;
    if (n->kind == NODE_REMOTE) {
        l->actor = (struct actor){slot, p};
        result = pml_emit_value(l, n->b);
        l->actor = actor;
        return result;
    }
    uint32_t element = flow_label(p->flow, n->owner);
    struct operand where = pml_emit_load(l, l->m->processes.item[l->slot[slot].process].location_cell);
    uint32_t location = l->slot[slot].hosts[p->number].first_location + l->states[p->number].number[element] -
                        l->slot[slot].first_location;
    if (!p->flow->elements.item[element].is_state)
        return pml_number_operand(0);
    return pml_emit_calculate(l, OPERATION_EQUAL, where, pml_number_operand(location));
}

/* Jumps where no process of the type is in the slot now. */
static void emit_unless_of(struct lowering *l, uint32_t slot, const struct proctype *p, struct patches *patches)
{
    uint32_t first = l->slot[slot].hosts[p->number].first_location - l->slot[slot].first_location;
    struct operand where = pml_emit_load(l, l->m->processes.item[l->slot[slot].process].location_cell);
    pml_emit_jump_compared(l, where, OPERATION_GREATER_EQUAL, pml_number_operand(first), false, patches);
    pml_emit_jump_compared(l, where, OPERATION_LESS, pml_number_operand(first + l->states[p->number].count), false,
                           patches);
}

/* P[e]@label and P[e]:x; without e the first process of the type that there is now is meant. */
static struct operand code_remote(struct lowering *l, const struct node *n)
{
    struct operand result = pml_new_register(l), value, which = pml_number_operand(-1);
    struct patches ends = {0};
    uint32_t top = l->top;
    emit_move(l, result, pml_number_operand(0));
    if (n->a)
        which = pml_emit_value(l, n->a);
    for (uint32_t slot = 0; slot < l->slots && !l->m->failed; slot++) {
        struct patches next = {0};
        if (!is_of(l, slot, n->name) || (n->a && which.is_number && which.value != (int32_t)slot))
            continue;
        if (!n->a)
            emit_unless_of(l, slot, promela_proctype(l->syntax, n->name), &next);
        else if (!which.is_number)
            pml_emit_jump_compared(l, which, OPERATION_EQUAL, pml_number_operand(slot), false, &next);
        value = ask(l, n, slot);
        emit_move(l, result, value);
        if (next.at.count)
            pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
    }
    pml_emit_target(l, &ends);
    l->top = top;
    return result;
}

/* pc_value(e) and get_priority(e): a cell of the process with that number, 0 where there is none. */
static struct operand code_of_process(struct lowering *l, const struct node *n)
{
    struct operand result = pml_new_register(l), which = pml_emit_value(l, n->a);
    struct patches ends = {0};
    emit_move(l, result, pml_number_operand(0));
    for (uint32_t slot = 0; slot < l->slots && !l->m->failed; slot++) {
        struct patches next = {0};
        pml_emit_jump_compared(l, which, OPERATION_EQUAL, pml_number_operand(slot), false, &next);
        uint32_t cell =
            n->kind == NODE_PRIORITY ? l->priorities + slot : l->m->processes.item[l->slot[slot].process].location_cell;
        emit_move(l, result, pml_emit_load(l, cell));
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
    }
    pml_emit_target(l, &ends);
    return result;
}

void pml_emit_set_priority(struct lowering *l, const struct statement *s)
{
    const struct integer_type byte = promela_integer((struct promela_type){.kind = TYPE_BYTE});
    bool is_own = s->a->kind == NODE_PROCESS_ID;
    struct patches ends = {0}, wrong = {0};
    struct operand which = pml_emit_value(l, s->a), priority = pml_emit_value(l, s->b);
    struct operand there = pml_emit_load(l, l->processes);
    if (s->is_assignment)
        priority = pml_emit_convert(l, priority, byte);
    for (uint32_t slot = is_own ? l->actor.slot : 0; slot < (is_own ? l->actor.slot + 1 : l->slots); slot++) {
        struct patches next = {0};
        pml_emit_jump_compared(l, which, OPERATION_EQUAL, pml_number_operand(slot), false, &next);
        pml_emit_jump_compared(l, there, OPERATION_GREATER, pml_number_operand(slot), false, &next);
        if (!s->is_assignment) {
            pml_emit_jump_compared(l, priority, OPERATION_GREATER_EQUAL, pml_number_operand(1), false, &wrong);
            pml_emit_jump_compared(l, priority, OPERATION_LESS_EQUAL, pml_number_operand(UINT8_MAX), false, &wrong);
        }
        pml_emit_store(l, l->priorities + slot, priority);
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
    }
    pml_emit_jump(l, &ends);
    if (wrong.at.count) {
        pml_emit_target(l, &wrong);
        pml_emit_code(l, CODE_JUMP)->c = pml_failure_code(l, FAILURE_PRIORITY);
    }
    pml_emit_target(l, &ends);
}

void pml_emit_initial_values(struct lowering *l, const struct proctype *p)
{
    const struct host *host = host_of(l, l->actor);
    uint32_t channel = host->first_channel;
    for (size_t i = 0; i < p->variables.count && !l->m->failed; i++) {
        const struct declared *v = p->variables.item[i];
        const struct node *initial = v->initials;
        struct integer_type type = promela_values(v);
        for (uint32_t k = 0; k < v->length && !v->is_parameter && (v->initial || initial); k++) {
            uint32_t top = l->top;
            const struct node *from = initial ? initial : v->initial;
            pml_emit_store(l, host->frame + v->offset + k, pml_emit_convert(l, pml_emit_value(l, from), type));
            initial = initial ? initial->next : NULL;
            l->top = top;
        }
    }
    for (; channel < l->channels.count && l->channels.item[channel].slot == l->actor.slot; channel++) {
        const struct channel *c = &l->channels.item[channel];
        if (c->host != p->number)
            break;
        pml_emit_store(l, c->cell, pml_number_operand(c->id));
    }
}

/* A process is made in the slot. */
static void start_in(struct lowering *l, const struct proctype *p, uint32_t slot, const struct operand *arguments)
{
    struct actor actor = l->actor;
    const struct host *host = &l->slot[slot].hosts[p->number];
    l->actor = (struct actor){slot, p};
    for (size_t i = 0; i < p->variables.count && p->variables.item[i]->is_parameter; i++)
        pml_emit_store(l, host->frame + p->variables.item[i]->offset,
                       pml_emit_convert(l, arguments[i], promela_values(p->variables.item[i])));
    pml_emit_initial_values(l, p);
    uint32_t location =
        host->first_location + l->states[p->number].number[p->flow->start] - l->slot[slot].first_location;
    if (!l->m->failed)
        pml_emit_store(l, l->m->processes.item[l->slot[slot].process].location_cell, pml_number_operand(location));
    l->actor = actor;
}

struct operand pml_emit_run(struct lowering *l, const struct node *n)
{
    const struct proctype *p = promela_proctype(l->syntax, n->name);
    struct operand arguments[MOST_FIELDS], result = pml_new_register(l);
    struct patches ends = {0};
    uint32_t top = l->top, count = 0;
    for (const struct node *value = n->b; value && count < MOST_FIELDS; value = value->next)
        arguments[count++] = pml_emit_value(l, value);
    struct operand processes = pml_emit_load(l, l->processes);
    struct operand priority = pml_number_operand(1);
    if (n->c)
        priority =
            pml_emit_convert(l, pml_emit_value(l, n->c), promela_integer((struct promela_type){.kind = TYPE_BYTE}));
    for (uint32_t slot = 0; slot < l->slots && !l->m->failed; slot++) {
        struct patches next = {0};
        uint32_t inner = l->top;
        if (!runs_in(l, slot, p))
            continue;
        pml_emit_jump_compared(l, processes, OPERATION_EQUAL, pml_number_operand(slot), false, &next);
        start_in(l, p, slot, arguments);
        pml_emit_store(l, l->processes, pml_number_operand((int64_t)slot + 1));
        if (l->priorities != MODEL_NONE)
            pml_emit_store(l, l->priorities + slot, priority);
        emit_move(l, result, pml_number_operand(slot));
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
        l->top = inner;
    }
    pml_emit_store(l, l->processes, pml_number_operand(-1)); /* which does not fit: see model.too_large */
    pml_emit_target(l, &ends);
    l->top = top;
    return result;
}

/* ------------------------------------------------------------------------- operations */

static int32_t failure_of(struct lowering *l, enum operation operation, struct operand b)
{
    switch (operation) {
    case OPERATION_DIVIDE:
    case OPERATION_REMAINDER: return b.is_number && b.value ? -1 : pml_failure_code(l, FAILURE_DIVISION);
    case OPERATION_SHIFT_LEFT:
    case OPERATION_SHIFT_RIGHT:
        return b.is_number && b.value >= 0 && b.value < 32 ? -1 : pml_failure_code(l, FAILURE_SHIFT);
    default: return -1;
    }
}

struct operand pml_emit_calculate(struct lowering *l, enum operation operation, struct operand a, struct operand b)
{
    const struct integer_type numbers = PROMELA_NUMBERS;
    int64_t value;
    if (a.is_number && b.is_number && !arithmetic(operation, &numbers, a.value, b.value, &value))
        return pml_number_operand(value);
    int32_t failure = failure_of(l, operation, b);
    struct operand result = pml_new_register(l);
    struct instruction *i = pml_emit_code(l, CODE_CALCULATE);
    i->operation = (uint8_t)operation;
    pml_code_a(i, a);
    pml_code_b(i, b);
    i->dst = result.value;
    i->d = failure;
    return result;
}

/* The registers of the operands are free again, but the result may be the first of them. */
static struct operand code_operation(struct lowering *l, const struct node *n)
{
    uint32_t top = l->top;
    struct operand a = n->kind == NODE_BINARY ? pml_emit_value(l, n->a) : pml_number_operand(0);
    struct operand b = pml_emit_value(l, n->kind == NODE_BINARY ? n->b : n->a);
    l->top = top;
    return pml_emit_calculate(l, n->operation, a, b);
}

static bool is_truth(const struct node *n)
{
    return n->kind == NODE_POLL || ((n->kind == NODE_BINARY || n->kind == NODE_UNARY) &&
                                    (is_logical(n->operation) || n->operation == OPERATION_NOT));
}

/* 1 or 0 */
static struct operand code_truth(struct lowering *l, const struct node *n)
{
    struct patches ends = {0};
    struct operand result = pml_new_register(l);
    emit_move(l, result, pml_number_operand(0));
    pml_emit_jump_if(l, n, false, &ends);
    emit_move(l, result, pml_number_operand(1));
    pml_emit_target(l, &ends);
    return result;
}

static struct operand code_conditional(struct lowering *l, const struct node *n)
{
    struct patches otherwise = {0}, ends = {0};
    struct operand result = pml_new_register(l);
    uint32_t top = l->top;
    pml_emit_jump_if(l, n->a, false, &otherwise);
    emit_move(l, result, pml_emit_value(l, n->b));
    pml_emit_jump(l, &ends);
    pml_emit_target(l, &otherwise);
    l->top = top;
    emit_move(l, result, pml_emit_value(l, n->c));
    pml_emit_target(l, &ends);
    l->top = top;
    return result;
}

struct operand pml_emit_value(struct lowering *l, const struct node *n)
{
    switch (n->kind) {
    case NODE_NUMBER: return pml_number_operand(n->value);
    case NODE_VAR: return code_reference(l, n);
    case NODE_EVAL: return pml_emit_value(l, n->a);
    case NODE_PROCESS_ID: return pml_number_operand(l->actor.slot);
    case NODE_PROCESSES:
        return pml_emit_calculate(l, OPERATION_ADD, pml_emit_load(l, l->processes),
                                  pml_number_operand(promela_has_claims(l->syntax)));
    case NODE_LAST: return pml_emit_load(l, l->last);
    case NODE_TIMEOUT: return is_claims(l, l->actor) ? pml_emit_asked(l, n) : pml_number_operand(l->timeout);
    case NODE_ENABLED:
    case NODE_NO_PROGRESS: return pml_emit_asked(l, n);
    case NODE_LENGTH: return pml_emit_length(l, n);
    case NODE_RUN: return pml_emit_run(l, n);
    case NODE_AT_LABEL:
    case NODE_REMOTE: return code_remote(l, n);
    case NODE_PC_VALUE:
    case NODE_PRIORITY: return code_of_process(l, n);
    case NODE_CONDITIONAL: return code_conditional(l, n);
    case NODE_C: return pml_emit_c(l, (uint32_t)n->value, C_VALUE);
    default: return is_truth(n) ? code_truth(l, n) : code_operation(l, n);
    }
}

/* -------------------------------------------------------------------------- conditions */

static void add_jump(struct lowering *l, struct patches *patches)
{
    uint32_t at = (uint32_t)l->m->code.count - 1;
    if (!l->m->failed)
        l->m->failed |= !vector_push(&patches->at, at);
}

void pml_emit_jump(struct lowering *l, struct patches *patches)
{
    pml_emit_code(l, CODE_JUMP);
    add_jump(l, patches);
}

void pml_emit_target(struct lowering *l, struct patches *patches)
{
    for (size_t i = 0; i < patches->at.count && !l->m->failed; i++)
        l->m->code.item[patches->at.item[i]].c = (int32_t)l->m->code.count;
    free(patches->at.item);
    *patches = (struct patches){0};
}

void pml_emit_jump_compared(struct lowering *l, struct operand a, enum operation operation, struct operand b,
                            bool sense, struct patches *patches)
{
    if (a.is_number && b.is_number) {
        if (compare(operation, a.value, b.value) == sense)
            pml_emit_jump(l, patches);
        return;
    }
    struct instruction *i = pml_emit_code(l, CODE_JUMP_NOT);
    i->operation = (uint8_t)(sense ? opposite(operation) : operation);
    pml_code_a(i, a);
    pml_code_b(i, b);
    add_jump(l, patches);
}

/* a or b is `decided` as soon as one of them is that; and likewise. */
static void jump_logical(struct lowering *l, const struct node *n, bool decided, bool sense, struct patches *patches)
{
    if (sense == decided) {
        pml_emit_jump_if(l, n->a, decided, patches);
        pml_emit_jump_if(l, n->b, decided, patches);
        return;
    }
    struct patches skips = {0};
    pml_emit_jump_if(l, n->a, decided, &skips);
    pml_emit_jump_if(l, n->b, sense, patches);
    pml_emit_target(l, &skips);
}

void pml_emit_jump_if(struct lowering *l, const struct node *n, bool sense, struct patches *patches)
{
    uint32_t top = l->top;
    if (n->kind == NODE_UNARY && n->operation == OPERATION_NOT) {
        pml_emit_jump_if(l, n->a, !sense, patches);
    } else if (n->kind == NODE_BINARY && n->operation == OPERATION_AND) {
        jump_logical(l, n, false, sense, patches);
    } else if (n->kind == NODE_BINARY && n->operation == OPERATION_OR) {
        jump_logical(l, n, true, sense, patches);
    } else if (n->kind == NODE_POLL) {
        pml_jump_if_polled(l, n, sense, patches);
    } else if (n->kind == NODE_C) {
        pml_emit_jump_compared(l, pml_emit_c(l, (uint32_t)n->value, C_TRUTH), OPERATION_NOT_EQUAL,
                               pml_number_operand(0), sense, patches);
    } else if (n->kind == NODE_BINARY && compares(n->operation)) {
        struct operand a = pml_emit_value(l, n->a), b = pml_emit_value(l, n->b);
        pml_emit_jump_compared(l, a, n->operation, b, sense, patches);
    } else {
        pml_emit_jump_compared(l, pml_emit_value(l, n), OPERATION_NOT_EQUAL, pml_number_operand(0), sense, patches);
    }
    l->top = top;
}

/* ------------------------------------------------------------------------- assignments */

/* Is every value of the node one of the type? */
static bool fits(const struct node *n, const struct integer_type *type)
{
    if (n->kind == NODE_NUMBER)
        return type_has(type, n->value);
    if (n->kind == NODE_VAR) {
        struct integer_type source = promela_values(promela_leaf(n));
        return source.low >= type->low && source.high <= type->high;
    }
    return is_truth(n) || (n->kind == NODE_BINARY && compares(n->operation));
}

struct operand pml_emit_convert(struct lowering *l, struct operand value, struct integer_type type)
{
    int64_t converted;
    if (value.is_number) {
        arithmetic_convert(&type, value.value, &converted);
        return pml_number_operand(converted);
    }
    if (type.low <= INT32_MIN && type.high >= INT32_MAX)
        return value;
    struct operand result = pml_new_register(l);
    struct instruction *convert = pml_emit_code(l, CODE_CONVERT);
    convert->type = model_type(l->m, type);
    convert->dst = result.value;
    pml_code_a(convert, value);
    return result;
}

/* Channels are looked at by whoever sends or receives, fields of records perhaps as part of a message.  Formulas of the
 * model are read later than this is asked, and may look at anything. */
bool promela_is_kept(const struct syntax *s, const struct declared *v)
{
    return v->is_read || v->type.kind == TYPE_CHAN || s->c_texts.count || s->formulas.count;
}

void pml_emit_assign(struct lowering *l, const struct node *variable, struct operand value, const struct node *from)
{
    uint32_t top = l->top;
    struct integer_type type = promela_values(promela_leaf(variable));
    struct element_place place = find_place(l, variable);
    if (l->syntax->leaves_out_unread && !promela_is_kept(l->syntax, promela_leaf(variable))) {
        l->top = top;
        return;
    }
    if (!from || !fits(from, &type))
        value = pml_emit_convert(l, value, type);
    struct instruction *store = pml_emit_code(l, CODE_STORE);
    set_place(store, &place);
    pml_code_a(store, value);
    l->top = top;
}

bool promela_may_fail(const struct node *n)
{
    if (!n)
        return false;
    int64_t value;
    bool fails = false;
    if (n->kind == NODE_VAR)
        fails = n->a && !promela_fold(n->a, &value);
    if (n->kind == NODE_LENGTH || n->kind == NODE_POLL || n->kind == NODE_C)
        fails = true;
    if (n->kind == NODE_BINARY)
        switch (n->operation) {
        case OPERATION_DIVIDE:
        case OPERATION_REMAINDER: fails = !promela_fold(n->b, &value) || value == 0; break;
        case OPERATION_SHIFT_LEFT:
        case OPERATION_SHIFT_RIGHT: fails = !promela_fold(n->b, &value) || value < 0 || value > 31; break;
        default: break;
        }
    return fails || promela_may_fail(n->a) || promela_may_fail(n->b) || promela_may_fail(n->c);
}
