/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a DVE model.  A transition, or a pair that meets on a channel, or in a synchronous system one of each
 * process, becomes an action of its first process.  What a guard says of one variable or state becomes a test, the rest
 * is code that blocks.
 *
 * While a process is in a committed state only steps that leave a committed state are taken; a cell counts such
 * processes.
 */
#include "base/limits.h"
#include "front/dve/lowering.h"

#include <stdio.h>

/* The transitions that are taken together; the first one's process acts. */
struct step {
    const struct dve_transition *const *parts;
    uint32_t count;
};

static const struct dve_state *state_of(const struct lowering *l, uint32_t process, uint32_t state)
{
    return &l->syntax->processes.item[process].states.item[state];
}

static uint32_t location_cell(const struct lowering *l, uint32_t process)
{
    return l->m->processes.item[l->syntax->processes.item[process].model_process].location_cell;
}

/* ---------------------------------------------------------------------------- guards */

/* low <= cell <= high, when the conjunct says just that. */
static bool as_range(const struct lowering *l, const struct node *n, uint32_t *cell, struct range *range)
{
    if (n->kind == NODE_AT) {
        *cell = location_cell(l, (uint32_t)n->value);
        *range = (struct range){n->domain.low, n->domain.low};
        return true;
    }
    if (n->kind != NODE_BINARY || !compares(n->operation) || n->a->kind != NODE_ELEMENT || n->b->kind != NODE_NUMBER ||
        (n->a->a && n->a->a->kind != NODE_NUMBER))
        return false;
    const struct dve_variable *v = &l->syntax->variables.item[n->a->type];
    struct integer_type type = dve_type(v->is_int);
    *cell = v->cell + (uint32_t)(n->a->a ? n->a->a->value : 0);
    *range = (struct range){type.low, type.high};
    switch (n->operation) {
    case OPERATION_EQUAL: *range = (struct range){n->b->value, n->b->value}; return true;
    case OPERATION_LESS: range->high = n->b->value - 1; return true;
    case OPERATION_LESS_EQUAL: range->high = n->b->value; return true;
    case OPERATION_GREATER: range->low = n->b->value + 1; return true;
    case OPERATION_GREATER_EQUAL: range->low = n->b->value; return true;
    default:
        range->low += n->b->value == type.low; /* not equal */
        range->high -= n->b->value == type.high;
        return range->low != type.low || range->high != type.high;
    }
}

/* A conjunct that stands behind one that may fail is not asked before it. */
static void test_guard(struct lowering *l, const struct node *guard, bool *after_failing)
{
    uint32_t cell;
    struct range range;
    if (!guard)
        return;
    if (guard->kind == NODE_BINARY && guard->operation == OPERATION_AND) {
        test_guard(l, guard->a, after_failing);
        test_guard(l, guard->b, after_failing);
    } else if (!*after_failing && as_range(l, guard, &cell, &range)) {
        model_test(l->m, cell, range.low, range.high);
    }
    *after_failing |= dve_may_fail(l->syntax, guard);
}

static void require_guard(struct lowering *l, const struct node *guard, bool *after_failing)
{
    uint32_t cell;
    struct range range;
    if (!guard || (guard->kind == NODE_NUMBER && guard->value))
        return;
    if (guard->kind == NODE_BINARY && guard->operation == OPERATION_AND) {
        require_guard(l, guard->a, after_failing);
        require_guard(l, guard->b, after_failing);
    } else if (*after_failing || !as_range(l, guard, &cell, &range)) {
        emit_require(l, guard);
    }
    *after_failing |= dve_may_fail(l->syntax, guard);
}

/* -------------------------------------------------------------------------- channels */

static bool is_buffered(const struct lowering *l, const struct dve_transition *t)
{
    return t->sync && l->syntax->channels.item[t->channel].capacity;
}

static void test_buffer(struct lowering *l, const struct dve_transition *t)
{
    const struct dve_channel *c = &l->syntax->channels.item[t->channel];
    uint32_t first = c->first_cells.count ? c->first_cells.item[0] : 0;
    if (t->sync == SYNC_SEND)
        model_test(l->m, first + c->capacity - 1, 0, 0); /* there is room behind the last */
    else
        model_test(l->m, first, 1, INT64_MAX);
}

static struct operand shifted(struct lowering *l, struct operand value, int64_t by)
{
    struct operand result = {false, (int32_t)l->top++};
    struct instruction *i = emit_code(l, CODE_CALCULATE);
    i->operation = OPERATION_ADD;
    i->dst = result.value;
    code_a(i, value);
    i->b = (int32_t)by;
    i->flags |= B_IS_NUMBER;
    if (l->top > l->most)
        l->most = l->top;
    return result;
}

/* All values are known before one of them is put into the buffer. */
static void send_to_buffer(struct lowering *l, const struct dve_transition *t)
{
    const struct dve_channel *c = &l->syntax->channels.item[t->channel];
    struct operand sent[MOST_VALUES];
    uint32_t top = l->top, field = 0;
    for (const struct node *value = t->values; value; value = value->next, field++) {
        struct operand given = emit_value(l, value), converted = {false, (int32_t)l->top++};
        struct instruction *i = emit_code(l, CODE_CONVERT);
        i->type = model_type(l->m, dve_type(c->are_int.item[field]));
        i->dst = converted.value;
        code_a(i, given);
        sent[field] = shifted(l, converted, dve_shift(c, field));
    }
    for (uint32_t k = 0; k < field; k++) {
        struct instruction *i = emit_code(l, CODE_APPEND);
        i->c = (int32_t)c->first_cells.item[k];
        i->length = c->capacity;
        i->flags |= NEVER_FULL;
        code_a(i, sent[k]);
    }
    l->top = top;
}

static void receive_from_buffer(struct lowering *l, const struct dve_transition *t)
{
    const struct dve_channel *c = &l->syntax->channels.item[t->channel];
    struct operand taken[MOST_VALUES];
    uint32_t top = l->top, field = 0;
    for (uint32_t k = 0; k < c->first_cells.count; k++) {
        struct operand head = {false, (int32_t)l->top++};
        struct instruction *i = emit_code(l, CODE_TAKE);
        i->c = (int32_t)c->first_cells.item[k];
        i->length = c->capacity;
        i->dst = head.value;
        taken[k] = shifted(l, head, -dve_shift(c, k));
    }
    for (const struct node *variable = t->values; variable; variable = variable->next)
        emit_assign(l, variable, taken[field++], NULL);
    l->top = top;
}

/* What is sent is known before anything is received. */
static void pass_values(struct lowering *l, const struct dve_transition *send, const struct dve_transition *receive)
{
    uint32_t top = l->top, count = 0;
    struct operand values[MOST_VALUES];
    for (const struct node *value = send->values; value; value = value->next)
        values[count++] = emit_value(l, value);
    const struct node *variable = receive->values, *value = send->values;
    for (uint32_t i = 0; i < count && variable; i++, variable = variable->next, value = value->next)
        emit_assign(l, variable, values[i], value);
    l->top = top;
}

/* ----------------------------------------------------------------------------- steps */

static void name_part(const struct lowering *l, const struct dve_transition *t, char *text, size_t size, size_t *used)
{
    const struct dve_process *p = &l->syntax->processes.item[t->process];
    int written = snprintf(text + *used, size - *used, "%s%s.%s->%s", *used ? " | " : "", p->name,
                           p->states.item[t->from].name, p->states.item[t->to].name);
    *used += written > 0 ? (size_t)written : 0;
    if (*used >= size)
        *used = size - 1;
}

/* Transitions between the same states are told apart by their line and column. */
static bool has_twin(const struct lowering *l, const struct dve_transition *t)
{
    const struct dve_process *p = &l->syntax->processes.item[t->process];
    unsigned alike = 0;
    for (size_t i = 0; i < p->transitions.count; i++)
        alike += p->transitions.item[i].from == t->from && p->transitions.item[i].to == t->to;
    return alike > 1;
}

static const char *step_name(const struct lowering *l, const struct step *s)
{
    char text[2000];
    size_t used = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        name_part(l, s->parts[i], text, sizeof text, &used);
        if (has_twin(l, s->parts[i])) {
            int written =
                snprintf(text + used, sizeof text - used, "@%u:%u", s->parts[i]->at.line, s->parts[i]->at.column);
            used += written > 0 && used + (size_t)written < sizeof text ? (size_t)written : 0;
        }
    }
    return model_copy(l->m, text);
}

static void test_step(struct lowering *l, const struct step *s)
{
    bool leaves_committed = false, after_failing = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct dve_transition *t = s->parts[i];
        if (i > 0)
            model_test(l->m, location_cell(l, t->process), t->from, t->from);
        test_guard(l, t->guard, &after_failing);
        if (is_buffered(l, t))
            test_buffer(l, t);
        leaves_committed |= state_of(l, t->process, t->from)->is_committed;
    }
    if (l->committed != MODEL_NONE && !leaves_committed)
        model_test(l->m, l->committed, 0, 0);
}

static void move_others(struct lowering *l, const struct step *s)
{
    int64_t more = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct dve_transition *t = s->parts[i];
        more += state_of(l, t->process, t->to)->is_committed - state_of(l, t->process, t->from)->is_committed;
        if (i == 0 || t->from == t->to)
            continue;
        struct instruction *store = emit_code(l, CODE_STORE);
        store->c = (int32_t)location_cell(l, t->process);
        store->flags |= B_IS_NUMBER;
        code_a(store, (struct operand){true, (int32_t)t->to});
    }
    if (more) {
        struct instruction *add = emit_code(l, CODE_ADD);
        add->c = (int32_t)l->committed;
        add->flags |= B_IS_NUMBER;
        code_a(add, (struct operand){true, (int32_t)more});
    }
}

static void code_step(struct lowering *l, const struct step *s)
{
    const struct dve_transition *first = s->parts[0];
    bool after_failing = false;
    for (uint32_t i = 0; i < s->count; i++)
        require_guard(l, s->parts[i]->guard, &after_failing);
    if (is_buffered(l, first) && first->sync == SYNC_SEND)
        send_to_buffer(l, first);
    else if (is_buffered(l, first))
        receive_from_buffer(l, first);
    else if (first->sync)
        pass_values(l, first, s->parts[1]);
    for (uint32_t i = 0; i < s->count; i++)
        for (const struct node *effect = s->parts[i]->effects; effect; effect = effect->next) {
            uint32_t top = l->top;
            emit_assign(l, effect->a, emit_value(l, effect->b), effect->b);
            l->top = top;
        }
    move_others(l, s);
    emit_code(l, CODE_REST)->c = (int32_t)(l->first_location[first->process] + first->to);
}

static void lower_step(struct lowering *l, const struct step *s)
{
    const struct dve_transition *first = s->parts[0];
    uint32_t process = l->syntax->processes.item[first->process].model_process;
    l->acting = first->process;
    l->top = 0;
    model_action(l->m, (struct action){.name = step_name(l, s),
                                       .process = process,
                                       .line = first->at.line,
                                       .is_block = true,
                                       .common = MODEL_NONE});
    test_step(l, s);
    model_edge(l->m, l->first_location[first->process] + first->from, (uint32_t)l->m->code.count);
    code_step(l, s);
    l->m->failed |= limits_reached();
}

/* ----------------------------------------------------------------------- all of them */

static bool is_part(const struct lowering *l, uint32_t process)
{
    return process != l->syntax->property;
}

/* With every transition of another process that receives from the channel. */
static void lower_pairs(struct lowering *l, const struct dve_transition *send)
{
    for (uint32_t p = 0; p < l->syntax->processes.count; p++) {
        const struct dve_process *process = &l->syntax->processes.item[p];
        for (size_t i = 0; p != send->process && is_part(l, p) && i < process->transitions.count; i++) {
            const struct dve_transition *receive = &process->transitions.item[i];
            const struct dve_transition *parts[] = {send, receive};
            if (receive->sync == SYNC_RECEIVE && receive->channel == send->channel)
                lower_step(l, &(struct step){parts, 2});
        }
    }
}

static void lower_process(struct lowering *l, uint32_t number)
{
    const struct dve_process *p = &l->syntax->processes.item[number];
    for (size_t i = 0; i < p->transitions.count && !l->m->failed; i++) {
        const struct dve_transition *t = &p->transitions.item[i];
        if (t->sync == SYNC_SEND && !is_buffered(l, t))
            lower_pairs(l, t);
        else if (!t->sync || is_buffered(l, t))
            lower_step(l, &(struct step){&t, 1});
    }
}

/* One transition of each process from `process` on, in every way. */
static void combine(struct lowering *l, uint32_t process, const struct dve_transition **parts, uint32_t count)
{
    while (process < l->syntax->processes.count && !is_part(l, process))
        process++;
    if (process == l->syntax->processes.count) {
        if (count)
            lower_step(l, &(struct step){parts, count});
        return;
    }
    const struct dve_process *p = &l->syntax->processes.item[process];
    for (size_t i = 0; i < p->transitions.count && !l->m->failed; i++) {
        parts[count] = &p->transitions.item[i];
        combine(l, process + 1, parts, count + 1);
    }
}

static void lower_together(struct lowering *l)
{
    const struct dve_transition **parts = calloc(l->syntax->processes.count + 1, sizeof *parts);
    l->m->failed |= !parts;
    if (parts)
        combine(l, 0, parts, 0);
    free(parts);
}

bool dve_lower_actions(struct lowering *l)
{
    if (l->syntax->is_synchronous)
        lower_together(l);
    for (uint32_t p = 0; !l->syntax->is_synchronous && p < l->syntax->processes.count; p++)
        if (is_part(l, p))
            lower_process(l, p);
    return !l->m->failed;
}
