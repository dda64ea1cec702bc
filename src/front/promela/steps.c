/* SPDX-License-Identifier: Apache-2.0 */
/* When a step can be taken, and what it does. */
#include "base/limits.h"
#include "front/promela/actions.h"
#include "front/promela/trace.h"

#include <string.h>

/* ------------------------------------------------------------------------- listing */

static uint32_t count_values(const struct statement *s)
{
    uint32_t count = 0;
    for (const struct node *n = s->b; n; n = n->next)
        count++;
    return count;
}

static bool transfers(const struct element *e)
{
    return e->kind == ELEMENT_PLAIN &&
           (e->statement->kind == STATEMENT_SEND || e->statement->kind == STATEMENT_RECEIVE);
}

static void add_step(struct lowering *l, struct steps *out, struct step step)
{
    l->m->failed |= limits_reached() || !vector_push(out, step);
}

static bool may_use(struct lowering *l, struct actor actor, const struct statement *s, const struct channel *c)
{
    struct actor before = l->actor;
    l->actor = actor;
    bool may = promela_may_mean(l, s->a, count_values(s), c);
    l->actor = before;
    return may;
}

static bool are_alike(const struct channel_shape *one, const struct channel_shape *other)
{
    bool alike = one->capacity == other->capacity && one->fields == other->fields;
    for (uint32_t k = 0; k < one->fields && alike; k++) {
        struct integer_type a = promela_stored(one, k), b = promela_stored(other, k);
        alike = one->types[k].kind == other->types[k].kind && a.low == b.low && a.high == b.high;
    }
    return alike;
}

/* The one who receives may do so from any of many channels alike: that is one step, which compares what both mean. */
static bool add_joined(struct lowering *l, struct step step, const struct candidates *sent, struct steps *out)
{
    enum { FEW = 2 };
    struct candidates received;
    const struct statement *receipt = element_of(step.partner, step.receipt.element)->statement;
    if (l->syntax->trace || element_of(step.partner, step.partner_state)->escapes)
        return false;
    l->actor = step.partner;
    promela_candidates(l, receipt->a, count_values(receipt), &received);
    l->actor = step.actor;
    for (uint32_t k = 0, i = 0; k < sent->count; k++) {
        while (i < received.count && received.item[i] < sent->item[k])
            i++;
        if (i < received.count && received.item[i] == sent->item[k] &&
            are_alike(l->channels.item[sent->item[k]].shape, step.channel->shape)) {
            step.among.bits[sent->item[k] / 64] |= UINT64_C(1) << sent->item[k] % 64;
            step.alike++;
        }
    }
    if (step.alike <= FEW)
        return false;
    uint32_t first = 0;
    while (!is_among(&step.among, first))
        first++;
    if (step.channel == &l->channels.item[first]) /* else it has been added */
        add_step(l, out, step);
    return true;
}

/* With everyone who may receive from the channel. */
static void add_partners(struct lowering *l, struct step step, const struct candidates *sent, struct steps *out)
{
    struct transitions t = {0};
    for (uint32_t slot = 0; slot < l->slots; slot++)
        for (size_t p = 0; p < l->syntax->proctypes.count && slot != step.actor.slot; p++) {
            struct actor partner = {slot, l->syntax->proctypes.item[p]};
            for (uint32_t k = 0; runs_in(l, slot, partner.type) && k < l->states[p].count && !l->m->failed; k++) {
                uint32_t state = l->states[p].element[k];
                l->m->failed |= !flow_transitions(partner.type->flow, state, &t);
                for (size_t i = 0; i < t.count && !l->m->failed; i++) {
                    const struct element *e = element_of(partner, t.item[i].element);
                    if (!transfers(e) || e->statement->kind != STATEMENT_RECEIVE ||
                        !may_use(l, partner, e->statement, step.channel))
                        continue;
                    step.partner = partner;
                    step.partner_state = state;
                    step.receipt = t.item[i];
                    if (!add_joined(l, step, sent, out))
                        add_step(l, out, step);
                }
            }
        }
    free(t.item);
}

static void add_transfers(struct lowering *l, struct step step, struct steps *out)
{
    const struct statement *s = step_element(&step)->statement;
    struct candidates candidates;
    l->actor = step.actor;
    promela_candidates(l, s->a, count_values(s), &candidates);
    for (uint32_t k = 0; k < candidates.count; k++) {
        step.channel = &l->channels.item[candidates.item[k]];
        if (step.channel->shape->capacity)
            add_step(l, out, step);
        else if (s->kind == STATEMENT_SEND)
            add_partners(l, step, &candidates, out);
    }
    const struct declared *leaf = promela_leaf(s->a);
    if (leaf->is_assigned || !leaf->shape) {
        step.channel = NULL;
        step.is_lost = true;
        if (!leaf->is_parameter || leaf->is_assigned)
            add_step(l, out, step);
    }
}

bool pml_list_steps(struct lowering *l, struct actor actor, uint32_t state, struct steps *out)
{
    struct transitions t = {0};
    out->count = 0;
    l->m->failed |= !flow_transitions(actor.type->flow, state, &t);
    for (size_t i = 0; i < t.count && !l->m->failed; i++) {
        struct step step = {.actor = actor, .state = state, .transition = t.item[i]};
        if (transfers(step_element(&step)))
            add_transfers(l, step, out);
        else
            add_step(l, out, step);
    }
    free(t.item);
    return !l->m->failed;
}

/* ------------------------------------------------------------------------- conditions */

/* Jumps unless low <= cell <= high. */
static void check_cell(struct lowering *l, uint32_t cell, int64_t low, int64_t high, struct patches *patches)
{
    if (l->testing) {
        model_test(l->m, cell, low, high);
        return;
    }
    uint32_t top = l->top;
    struct operand value = pml_emit_load(l, cell);
    if (low == high) {
        pml_emit_jump_compared(l, value, OPERATION_EQUAL, pml_number_operand(low), false, patches);
    } else {
        if (low > INT32_MIN)
            pml_emit_jump_compared(l, value, OPERATION_GREATER_EQUAL, pml_number_operand(low), false, patches);
        if (high < INT32_MAX)
            pml_emit_jump_compared(l, value, OPERATION_LESS_EQUAL, pml_number_operand(high), false, patches);
    }
    l->top = top;
}

/* low <= cell <= high, when the condition, or its opposite, says just that. */
bool pml_as_range(const struct lowering *l, const struct node *n, bool sense, uint32_t *cell, struct range *range)
{
    int64_t number = 0;
    enum operation operation = OPERATION_NOT_EQUAL;
    const struct node *variable = n;
    if (n->kind == NODE_UNARY && n->operation == OPERATION_NOT)
        return pml_as_range(l, n->a, !sense, cell, range);
    if (n->kind == NODE_BINARY && compares(n->operation)) {
        variable = n->a;
        operation = n->operation;
        if (!promela_fold(n->b, &number) && n->b->kind == NODE_PROCESS_ID)
            number = l->actor.slot;
        else if (!promela_fold(n->b, &number))
            return false;
    }
    if (!promela_constant_cell(l, variable, cell))
        return false;
    struct integer_type type = promela_values(promela_leaf(variable));
    *range = (struct range){type.low, type.high};
    switch (sense ? operation : opposite(operation)) {
    case OPERATION_EQUAL: *range = (struct range){number, number}; return true;
    case OPERATION_LESS: range->high = number - 1; return true;
    case OPERATION_LESS_EQUAL: range->high = number; return true;
    case OPERATION_GREATER: range->low = number + 1; return true;
    case OPERATION_GREATER_EQUAL: range->low = number; return true;
    default:
        range->low += number == type.low; /* not equal */
        range->high -= number == type.high;
        return range->low != type.low || range->high != type.high;
    }
}

static bool folds(const struct lowering *l, const struct node *n, bool *truth)
{
    int64_t value;
    bool a;
    if (n->kind == NODE_TIMEOUT && !is_claims(l, l->actor)) {
        *truth = l->timeout;
        return true;
    }
    if (n->kind == NODE_BINARY && (n->operation == OPERATION_AND || n->operation == OPERATION_OR)) {
        bool decided = n->operation == OPERATION_OR;
        if ((folds(l, n->a, &a) && a == decided) || (folds(l, n->b, &a) && a == decided)) {
            *truth = decided;
            return true;
        }
    }
    if (!promela_fold(n, &value))
        return false;
    *truth = value != 0;
    return true;
}

/* Jumps unless the condition holds; what stands behind a part that may fail is not asked before it. */
static void check_truth(struct lowering *l, const struct node *n, struct patches *patches)
{
    uint32_t cell;
    struct range range;
    bool truth;
    if (folds(l, n, &truth) && truth)
        return;
    if (n->kind == NODE_BINARY && n->operation == OPERATION_AND) {
        check_truth(l, n->a, patches);
        check_truth(l, n->b, patches);
        return;
    }
    if (l->testing && pml_as_range(l, n, true, &cell, &range)) {
        model_test(l->m, cell, range.low, range.high);
        return;
    }
    l->testing &= !promela_may_fail(n);
    pml_emit_jump_if(l, n, false, patches);
}

/* --------------------------------------------------------------------------- channels */

static void check_channel(struct lowering *l, const struct node *reference, const struct channel *c,
                          struct patches *patches)
{
    uint32_t cell;
    const struct declared *leaf = promela_leaf(reference);
    bool is_fixed = leaf->shape && !leaf->is_assigned;
    if (promela_constant_cell(l, reference, &cell)) {
        if (!is_fixed)
            check_cell(l, cell, c->id, c->id, patches);
        return;
    }
    l->testing &= !promela_may_fail(reference);
    pml_emit_unless_channel(l, reference, c, patches);
}

/* What a message must have, where tests can say so; the rest is code, which needs the head: else the action blocks. */
static void check_head(struct lowering *l, const struct statement *s, const struct channel *c, struct patches *patches)
{
    uint32_t k = 0, first = (uint32_t)l->m->code.count;
    bool is_tested = l->testing;
    check_cell(l, c->first_cells[c->presence], 1, INT64_MAX, patches);
    for (const struct node *n = s->b; n && k < c->shape->fields && l->testing; n = n->next, k++) {
        int64_t number;
        if (n->kind != NODE_VAR && n->kind != NODE_ANY && n->kind != NODE_EVAL && promela_fold(n, &number)) {
            number = number >= 0 ? number + 1 : number;
            model_test(l->m, c->first_cells[k], number, number);
        } else {
            is_tested &= n->kind == NODE_VAR || n->kind == NODE_ANY;
        }
    }
    if (is_tested)
        return;
    pml_emit_unless_message(l, c, s->b, false, patches);
    for (uint32_t at = first; at < l->m->code.count && l->testing; at++)
        for (uint32_t q = 0; q < c->queues && l->m->code.item[at].code == CODE_LOAD; q++)
            if ((uint32_t)l->m->code.item[at].c == c->first_cells[q])
                l->m->code.item[at].flags |= WANTS_HEAD;
}

static bool only_variables(const struct node *values)
{
    for (; values; values = values->next)
        if (values->kind != NODE_VAR && values->kind != NODE_ANY)
            return false;
    return true;
}

static void check_buffer(struct lowering *l, const struct step *step, struct patches *patches)
{
    const struct statement *s = step_element(step)->statement;
    const struct channel *c = step->channel;
    check_channel(l, s->a, c, patches);
    if (s->kind == STATEMENT_SEND)
        check_cell(l, c->first_cells[c->presence] + c->shape->capacity - 1, 0, 0, patches);
    else if (only_variables(s->b))
        check_cell(l, c->first_cells[c->presence], 1, INT64_MAX, patches);
    else if (!s->is_random)
        check_head(l, s, c, patches);
    else
        pml_emit_unless_message(l, c, s->b, true, patches);
}

/* None of the channels that there are. */
static void check_lost(struct lowering *l, const struct step *step, struct patches *patches)
{
    const struct statement *s = step_element(step)->statement;
    struct candidates candidates;
    l->testing = false;
    promela_candidates(l, s->a, count_values(s), &candidates);
    struct operand id = pml_emit_value(l, s->a);
    for (uint32_t k = 0; k < candidates.count; k++)
        pml_emit_jump_compared(l, id, OPERATION_EQUAL, pml_number_operand(l->channels.item[candidates.item[k]].id),
                               true, patches);
}

static void check_others(struct lowering *l, const struct step *s, const struct steps *all, struct patches *patches);
static void check_provided(struct lowering *l, struct actor actor, struct patches *patches);

/* What is sent is what the receiver wants. */
static void check_match(struct lowering *l, const struct step *step, struct patches *patches)
{
    const struct node *sent = step_element(step)->statement->b;
    const struct node *wanted = element_of(step->partner, step->receipt.element)->statement->b;
    for (uint32_t k = 0; wanted && k < step->channel->shape->fields; k++, wanted = wanted->next) {
        uint32_t top = l->top;
        if (wanted->kind != NODE_VAR && wanted->kind != NODE_ANY) {
            l->actor = step->actor;
            struct operand value = sent ? pml_emit_value(l, sent) : pml_number_operand(0);
            value = pml_emit_convert(l, value, promela_stored(step->channel->shape, k));
            l->actor = step->partner;
            pml_emit_jump_compared(l, value, OPERATION_EQUAL, pml_emit_value(l, wanted), false, patches);
        }
        sent = sent ? sent->next : NULL;
        l->top = top;
    }
    l->actor = step->actor;
}

/* Jumps when an escape of the receiver takes the message, which comes before what it would leave.  As in Spin no other
 * escape matters: between sending and receiving nothing but a receive from the channel can be taken. */
static void check_escapes(struct lowering *l, const struct step *step, struct patches *patches)
{
    struct transitions t = {0};
    const struct transition *taken = &step->receipt;
    bool testing = l->testing;
    l->m->failed |= !flow_transitions(step->partner.type->flow, step->partner_state, &t);
    l->testing = false;
    for (size_t i = 0; i < t.count && !l->m->failed; i++) {
        const struct transition *other = &t.item[i];
        const struct element *e = element_of(step->partner, other->element);
        struct step escaping = *step;
        struct patches impossible = {0};
        if (other->element == taken->element && other->escape == taken->escape)
            break;
        if (other->escape == NO_ELEMENT || other->escape == taken->escape || !transfers(e) ||
            e->statement->kind != STATEMENT_RECEIVE || !may_use(l, step->partner, e->statement, step->channel))
            continue;
        escaping.receipt = *other;
        l->actor = step->partner;
        check_channel(l, e->statement->a, step->channel, &impossible);
        check_match(l, &escaping, &impossible);
        pml_emit_jump(l, patches);
        pml_emit_target(l, &impossible);
    }
    free(t.item);
    l->testing = testing;
}

/* Both mean the same channel, one of those that are alike. */
static void check_joined(struct lowering *l, const struct step *step, const struct node *receiving,
                         struct patches *patches)
{
    const struct node *sending = step_element(step)->statement->a;
    struct patches found = {0};
    uint32_t top = l->top;
    l->testing &= !promela_may_fail(sending) && !promela_may_fail(receiving);
    struct operand channel = pml_emit_value(l, sending);
    l->actor = step->partner;
    pml_emit_jump_compared(l, channel, OPERATION_EQUAL, pml_emit_value(l, receiving), false, patches);
    for (uint32_t c = 0; c < l->channels.count; c++)
        if (is_among(&step->among, c))
            pml_emit_jump_compared(l, channel, OPERATION_EQUAL, pml_number_operand(l->channels.item[c].id), true,
                                   &found);
    pml_emit_jump(l, patches);
    pml_emit_target(l, &found);
    l->top = top;
}

static void check_rendezvous(struct lowering *l, const struct step *step, struct patches *patches)
{
    const struct statement *receipt = element_of(step->partner, step->receipt.element)->statement;
    uint32_t slot = step->partner.slot;
    uint32_t location = location_at(l, step->partner, step->partner_state) - l->slot[slot].first_location;
    check_cell(l, location_cell(l, slot), location, location, patches);
    if (step->alike) {
        check_joined(l, step, receipt->a, patches);
    } else {
        check_channel(l, step_element(step)->statement->a, step->channel, patches);
        l->actor = step->partner;
        check_channel(l, receipt->a, step->channel, patches);
    }
    l->actor = step->partner;
    check_provided(l, step->partner, patches);
    if (element_of(step->partner, step->partner_state)->escapes)
        check_escapes(l, step, patches);
    l->actor = step->actor;
    check_match(l, step, patches);
}

/* ------------------------------------------------------------------------------ others */

static void check_statement(struct lowering *l, const struct step *s, const struct steps *all, struct patches *patches);

static void check_provided(struct lowering *l, struct actor actor, struct patches *patches)
{
    if (actor.type->provided)
        check_truth(l, actor.type->provided, patches);
}

/* Jumps when the other step can be taken. */
static void unless_impossible(struct lowering *l, const struct step *other, const struct steps *all,
                              struct patches *patches)
{
    struct patches impossible = {0};
    bool testing = l->testing;
    l->testing = false;
    check_statement(l, other, all, &impossible);
    pml_emit_jump(l, patches);
    pml_emit_target(l, &impossible);
    l->testing = testing;
}

static bool is_else(const struct step *s)
{
    const struct element *e = step_element(s);
    return e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_ELSE;
}

/* An escape comes before everything else, an outer one before an inner one. */
static void check_others(struct lowering *l, const struct step *s, const struct steps *all, struct patches *patches)
{
    for (size_t i = 0; i < all->count && !l->m->failed; i++) {
        const struct step *other = &all->item[i];
        if (other->transition.element == s->transition.element && other->transition.escape == s->transition.escape)
            break;
        if (other->transition.escape != NO_ELEMENT && other->transition.escape != s->transition.escape)
            unless_impossible(l, other, all, patches);
    }
}

/* else: none of the steps before it can be taken.  That is Spin's order: an option behind that of an inner choice which
 * has the else does not matter. */
static void check_else(struct lowering *l, const struct step *s, const struct steps *all, struct patches *patches)
{
    size_t before = 0;
    uint32_t cell;
    struct range range;
    while (before < all->count && !is_else(&all->item[before]))
        before++;
    if (before < all->count && all->item[before].transition.element != s->transition.element) {
        pml_emit_jump(l, patches); /* the first else can be taken then */
        return;
    }
    const struct step *only = before == 1 ? &all->item[0] : NULL;
    if (only && l->testing && !only->channel && step_element(only)->kind == ELEMENT_PLAIN &&
        step_element(only)->statement->kind == STATEMENT_EXPRESSION && only->transition.escape == NO_ELEMENT &&
        !only->actor.type->provided && pml_as_range(l, step_element(only)->statement->a, false, &cell, &range)) {
        model_test(l->m, cell, range.low, range.high);
        return;
    }
    for (size_t i = 0; i < before && !l->m->failed; i++)
        unless_impossible(l, &all->item[i], all, patches);
}

/* A d_step can be taken when its first statement can. */
static void check_d_step(struct lowering *l, const struct step *s, struct patches *patches)
{
    const struct flow *f = s->actor.type->flow;
    struct steps within = {0};
    struct patches possible = {0};
    uint32_t first = f->subs.item[step_element(s)->first_sub];
    if (pml_list_steps(l, s->actor, first, &within)) {
        if (within.count == 1) {
            check_statement(l, &within.item[0], &within, patches);
        } else {
            l->testing = false;
            for (size_t i = 0; i < within.count; i++) {
                struct patches next = {0};
                check_statement(l, &within.item[i], &within, &next);
                pml_emit_jump(l, &possible);
                pml_emit_target(l, &next);
            }
            pml_emit_jump(l, patches);
            pml_emit_target(l, &possible);
        }
    }
    free(within.item);
}

static void check_statement(struct lowering *l, const struct step *s, const struct steps *all, struct patches *patches)
{
    const struct element *e = step_element(s);
    l->actor = s->actor;
    if (e->kind == ELEMENT_END) {
        check_cell(l, l->processes, (int64_t)s->actor.slot + 1, (int64_t)s->actor.slot + 1, patches);
    } else if (e->kind == ELEMENT_D_STEP) {
        check_d_step(l, s, patches);
    } else if (s->is_lost) {
        check_lost(l, s, patches);
    } else if (is_rendezvous(s)) {
        check_rendezvous(l, s, patches);
    } else if (s->channel) {
        check_buffer(l, s, patches);
    } else if (e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_EXPRESSION) {
        if (!promela_runs(e->statement->a))
            check_truth(l, e->statement->a, patches);
    } else if (is_else(s)) {
        check_else(l, s, all, patches);
    }
}

/* Is the step one that "provided" may forbid?  A d_step is asked once, before it begins. */
static bool is_under_condition(const struct step *s)
{
    return s->actor.type->provided && !element_of(s->actor, s->state)->in_d_step;
}

void pml_emit_unless_possible(struct lowering *l, const struct step *s, const struct steps *all,
                              struct patches *patches)
{
    l->actor = s->actor;
    if (is_under_condition(s))
        check_provided(l, s->actor, patches);
    bool testing = l->testing;
    check_statement(l, s, all, patches);
    l->testing = testing;
    check_others(l, s, all, patches);
    l->actor = s->actor;
}

bool pml_is_always_possible(const struct lowering *l, const struct step *s)
{
    const struct element *e = step_element(s);
    bool truth;
    if (is_under_condition(s) || s->channel || s->is_lost || e->kind == ELEMENT_D_STEP || e->kind == ELEMENT_END)
        return false;
    if (element_of(s->actor, s->state)->escapes || e->escapes)
        return false;
    if (e->kind != ELEMENT_PLAIN)
        return true;
    if (e->statement->kind == STATEMENT_EXPRESSION)
        return promela_runs(e->statement->a) || (folds(l, e->statement->a, &truth) && truth);
    return e->statement->kind != STATEMENT_ELSE;
}

/* ----------------------------------------------------------------------------- timeout */

static bool mentions_timeout(const struct node *n)
{
    return n && (n->kind == NODE_TIMEOUT || mentions_timeout(n->a) || mentions_timeout(n->b) || mentions_timeout(n->c));
}

static bool own_timeout(const struct step *s)
{
    const struct flow *f = s->actor.type->flow;
    const struct element *e = step_element(s);
    if (e->kind == ELEMENT_D_STEP)
        for (size_t i = 0; i < f->elements.count; i++) /* any of them: it may be the first */
            if (f->elements.item[i].in_d_step && f->elements.item[i].kind == ELEMENT_PLAIN &&
                mentions_timeout(f->elements.item[i].statement->a))
                return true;
    return mentions_timeout(s->actor.type->provided) ||
           (e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_EXPRESSION &&
            mentions_timeout(e->statement->a));
}

bool pml_step_mentions_timeout(const struct step *s, const struct steps *all)
{
    bool depends = is_else(s) || element_of(s->actor, s->state)->escapes;
    for (size_t i = 0; i < all->count && depends; i++)
        if (own_timeout(&all->item[i]))
            return true;
    return own_timeout(s);
}

/* ----------------------------------------------------------------------------- effects */

static void emit_assert(struct lowering *l, struct actor actor, uint32_t element)
{
    struct patches holds = {0};
    const struct statement *s = element_of(actor, element)->statement;
    pml_emit_jump_if(l, s->a, true, &holds);
    struct instruction *rest = pml_emit_code(l, CODE_REST);
    rest->c = (int32_t)promela_assertion(l, actor, element);
    l->may_fail = true;
    pml_emit_target(l, &holds);
}

static void pass_message(struct lowering *l, const struct step *step)
{
    const struct node *sent = step_element(step)->statement->b;
    const struct node *into = element_of(step->partner, step->receipt.element)->statement->b;
    struct operand values[MOST_FIELDS] = {0};
    uint32_t top = l->top, count = step->channel->shape->fields;
    for (uint32_t k = 0; k < count; k++) {
        struct integer_type type = promela_stored(step->channel->shape, k);
        values[k] = pml_emit_convert(l, sent ? pml_emit_value(l, sent) : pml_number_operand(0), type);
        sent = sent ? sent->next : NULL;
    }
    pml_emit_event(l, true, step->channel, values);
    pml_emit_event(l, false, step->channel, values);
    l->actor = step->partner;
    for (uint32_t k = 0; k < count && into; k++, into = into->next)
        if (into->kind == NODE_VAR)
            pml_emit_assign(l, into, values[k], NULL);
    l->actor = step->actor;
    l->top = top;
}

static void emit_end(struct lowering *l, struct actor actor)
{
    const struct host *host = host_of(l, actor);
    for (uint32_t k = 0; k < actor.type->cells; k++)
        pml_emit_store(l, host->frame + k, pml_number_operand(0));
    for (uint32_t i = host->first_channel; i < l->channels.count; i++) {
        const struct channel *c = &l->channels.item[i];
        if (c->slot != actor.slot || c->host != actor.type->number)
            break;
        for (uint32_t q = 0; q < c->queues && c->shape->capacity; q++)
            for (uint32_t k = 0; k < c->shape->capacity; k++)
                pml_emit_store(l, c->first_cells[q] + k, pml_number_operand(0));
    }
    pml_emit_store(l, l->processes, pml_number_operand(actor.slot));
    if (l->priorities != MODEL_NONE)
        pml_emit_store(l, l->priorities + actor.slot, pml_number_operand(0));
}

static void emit_statement(struct lowering *l, const struct step *step)
{
    const struct statement *s = step_element(step)->statement;
    uint32_t top = l->top;
    switch (s->kind) {
    case STATEMENT_EXPRESSION:
        if (promela_runs(s->a))
            pml_emit_value(l, s->a);
        break;
    case STATEMENT_ASSIGN: pml_emit_assign(l, s->a, pml_emit_value(l, s->b), s->b); break;
    case STATEMENT_SET_PRIORITY: pml_emit_set_priority(l, s); break;
    case STATEMENT_C: pml_emit_c(l, s->c_text, C_STATEMENTS); break;
    case STATEMENT_ASSERT: emit_assert(l, step->actor, step->transition.element); break;
    case STATEMENT_SEND:
        if (is_rendezvous(step))
            pass_message(l, step);
        else if (step->channel)
            pml_emit_send(l, s, step->channel);
        break;
    case STATEMENT_RECEIVE:
        if (step->channel)
            pml_emit_receive(l, s, step->channel);
        break;
    default: break;
    }
    l->top = top;
}

struct d_step {
    const struct step *step;
    VECTOR(struct emitted) emitted;
    struct patches ends;
};

/* From an element on: the first thing that can be done is done, until the end. */
static void emit_within(struct lowering *l, struct d_step *d, uint32_t state)
{
    struct steps steps = {0};
    if (l->m->failed)
        return;
    if (state == NO_ELEMENT || !element_of(d->step->actor, state)->in_d_step) {
        pml_emit_jump(l, &d->ends);
        return;
    }
    for (size_t i = 0; i < d->emitted.count; i++)
        if (d->emitted.item[i].element == state) {
            struct instruction *back = pml_emit_code(l, CODE_JUMP_BACK);
            back->c = (int32_t)d->emitted.item[i].code;
            back->d = pml_failure_code(l, FAILURE_ENDLESS);
            return;
        }
    struct emitted emitted = {.element = state, .code = (uint32_t)l->m->code.count};
    l->m->failed |= !vector_push(&d->emitted, emitted);
    bool always = false;
    if (pml_list_steps(l, d->step->actor, state, &steps))
        for (size_t i = 0; i < steps.count && !always && !l->m->failed; i++) {
            struct patches next = {0};
            const struct step *s = &steps.item[i];
            if (is_rendezvous(s))
                continue;
            always = is_else(s) || pml_is_always_possible(l, s);
            if (!always)
                pml_emit_unless_possible(l, s, &steps, &next);
            pml_emit_effect(l, s);
            emit_within(l, d, s->transition.target);
            pml_emit_target(l, &next);
        }
    if (!always)
        pml_emit_code(l, CODE_JUMP)->c = pml_failure_code(l, FAILURE_D_STEP);
    free(steps.item);
}

static void emit_d_step(struct lowering *l, const struct step *s)
{
    struct d_step d = {.step = s};
    bool testing = l->testing;
    l->testing = false;
    emit_within(l, &d, s->actor.type->flow->subs.item[step_element(s)->first_sub]);
    pml_emit_target(l, &d.ends);
    free(d.emitted.item);
    l->testing = testing;
    l->actor = s->actor;
}

void pml_emit_effect(struct lowering *l, const struct step *s)
{
    const struct element *e = step_element(s);
    l->actor = s->actor;
    if (s->is_lost)
        pml_emit_no_channel(l);
    else if (e->kind == ELEMENT_END)
        emit_end(l, s->actor);
    else if (e->kind == ELEMENT_D_STEP)
        emit_d_step(l, s);
    else if (e->kind == ELEMENT_PLAIN)
        emit_statement(l, s);
    l->actor = s->actor;
}
