/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace { ... } and notrace { ... }: what is sent and received must be, or must not be, a run of an automaton.  It
 * moves with each send or receive on a channel of which it has one.  There is no way on from its end, and as long as
 * there are processes a valid end state wants it there, or at a label that says so.
 */
#include "front/promela/trace.h"
#include "base/diagnostic.h"
#include "front/promela/actions.h"

static bool is_event(const struct element *e)
{
    return e->kind == ELEMENT_PLAIN &&
           (e->statement->kind == STATEMENT_SEND || e->statement->kind == STATEMENT_RECEIVE);
}

/* Values are constants, or any. */
static enum portolan_status check_event(struct parser *parser, const struct statement *s)
{
    const struct declared *channel = promela_leaf(s->a);
    int64_t number;
    if (!channel->shape || channel->is_assigned || channel->proctype)
        return parser_fail(parser, &s->at, "a trace is about channels that all processes know, and that stay the same");
    for (const struct node *n = s->b; n; n = n->next)
        if (n->kind != NODE_ANY && !promela_fold(n, &number))
            return parser_fail(parser, &n->at, "messages in a trace are made of constants and '_'");
    return parser->status;
}

enum portolan_status promela_check_trace(struct parser *parser)
{
    struct proctype *trace = parser->syntax->trace;
    if (parser->status || !trace || !promela_flow(parser, trace))
        return parser->status;
    for (size_t i = 0; i < trace->flow->elements.count && !parser->status; i++) {
        const struct element *e = &trace->flow->elements.item[i];
        if (e->is_progress || e->is_accepting)
            parser_fail(parser, &e->statement->at, "labels 'accept' and 'progress' are not for traces");
        else if (is_event(e))
            check_event(parser, e->statement);
        else if (e->kind == ELEMENT_PLAIN || e->kind == ELEMENT_D_STEP || e->kind == ELEMENT_UNLESS)
            parser_fail(parser, &e->statement->at,
                        "a trace has sends, receives, choices, loops and jumps, nothing else");
    }
    return parser->status;
}

/* Does the element speak of that, whatever the values? */
static bool speaks_of(const struct lowering *l, const struct element *e, bool is_send, const struct channel *c)
{
    uint32_t cell;
    return is_event(e) && (e->statement->kind == STATEMENT_SEND) == is_send && c->slot == MODEL_NONE &&
           promela_constant_cell(l, e->statement->a, &cell) && cell == c->cell;
}

bool promela_is_traced(const struct lowering *l, bool is_send, const struct channel *c)
{
    const struct proctype *trace = l->syntax->trace;
    for (size_t i = 0; trace && i < trace->flow->elements.count; i++)
        if (speaks_of(l, &trace->flow->elements.item[i], is_send, c))
            return true;
    return false;
}

static void unless_matched(struct lowering *l, const struct element *e, const struct operand *values,
                           struct patches *patches)
{
    uint32_t k = 0;
    int64_t number;
    for (const struct node *n = e->statement->b; n; n = n->next, k++)
        if (n->kind != NODE_ANY && promela_fold(n, &number))
            pml_emit_jump_compared(l, values[k], OPERATION_EQUAL, pml_number_operand(number), false, patches);
}

static void emit_failure(struct lowering *l, enum failure why)
{
    pml_emit_code(l, CODE_JUMP)->c = pml_failure_code(l, why);
}

static uint32_t end_of(const struct flow *f)
{
    return (uint32_t)f->elements.count - 1;
}

/* From one state of the trace: the way that fits; two are an error. */
static void emit_move(struct lowering *l, const struct transitions *t, const struct operand *values,
                      struct patches *ends)
{
    const struct flow *f = l->syntax->trace->flow;
    for (size_t i = 0; i < t->count && !l->m->failed; i++) {
        struct patches miss = {0};
        unless_matched(l, &f->elements.item[t->item[i].element], values, &miss);
        for (size_t k = i + 1; k < t->count; k++) {
            struct patches other = {0};
            unless_matched(l, &f->elements.item[t->item[k].element], values, &other);
            emit_failure(l, FAILURE_TRACE_CHOICE);
            pml_emit_target(l, &other);
        }
        uint32_t target = t->item[i].target == NO_ELEMENT ? end_of(f) : t->item[i].target;
        pml_emit_store(l, l->event, pml_number_operand(target));
        if (l->syntax->is_notrace && target == end_of(f))
            emit_failure(l, FAILURE_TRACE_MATCHED);
        pml_emit_jump(l, ends);
        pml_emit_target(l, &miss);
    }
}

void pml_emit_event(struct lowering *l, bool is_send, const struct channel *c, const struct operand *values)
{
    if (!promela_is_traced(l, is_send, c))
        return;
    const struct flow *f = l->syntax->trace->flow;
    struct patches ends = {0};
    struct transitions t = {0};
    uint32_t top = l->top;
    struct operand at = pml_emit_load(l, l->event);
    for (uint32_t state = 0; state < end_of(f) && !l->m->failed; state++) {
        struct patches next = {0};
        size_t kept = 0;
        if (!f->elements.item[state].is_state)
            continue;
        l->m->failed |= !flow_transitions(f, state, &t);
        for (size_t i = 0; i < t.count; i++)
            if (speaks_of(l, &f->elements.item[t.item[i].element], is_send, c))
                t.item[kept++] = t.item[i];
        t.count = kept;
        pml_emit_jump_compared(l, at, OPERATION_EQUAL, pml_number_operand(state), false, &next);
        emit_move(l, &t, values, &ends);
        pml_emit_target(l, &next);
    }
    if (l->syntax->is_notrace) /* only the first attempt counts */
        pml_emit_store(l, l->event, pml_number_operand(end_of(f)));
    else
        emit_failure(l, FAILURE_TRACE);
    pml_emit_target(l, &ends);
    l->top = top;
    free(t.item);
}

bool promela_trace_may_end(const struct syntax *syntax, int64_t event)
{
    return syntax->trace->flow->elements.item[event].is_end;
}
