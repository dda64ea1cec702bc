/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages.  A buffered channel has a queue for each field (see code.h), in which numbers stand so that none is 0, an
 * empty place: numbers of types without a sign one higher, of others one higher unless they are negative.
 */
#include "front/promela/trace.h"

#include <string.h>

static bool is_signed(struct promela_type type)
{
    return type.kind == TYPE_SHORT || type.kind == TYPE_INT;
}

static int64_t encoded(int64_t value)
{
    return value >= 0 ? value + 1 : value;
}

/* ---------------------------------------------------------------------- which channel */

/* What a variable may hold; NULL: nothing. */
static const struct channel_set *held_by(const struct lowering *l, const struct declared *v)
{
    for (size_t i = 0; i < l->holds.count; i++)
        if (l->holds.item[i].variable == v)
            return &l->holds.item[i].set;
    return NULL;
}

/* Does the reference always mean what its variable was made with? */
static bool is_fixed(const struct node *reference)
{
    const struct declared *leaf = promela_leaf(reference);
    return leaf->shape && !leaf->is_assigned;
}

static bool may_mean(const struct lowering *l, const struct node *reference, const struct channel *c)
{
    uint32_t cell;
    if (!is_fixed(reference))
        return true;
    if (promela_constant_cell(l, reference, &cell))
        return c->cell == cell;
    return c->slot == MODEL_NONE || (c->slot == l->actor.slot && c->host == l->actor.type->number);
}

bool promela_may_mean(const struct lowering *l, const struct node *reference, uint32_t fields, const struct channel *c)
{
    const struct channel_set *held = held_by(l, promela_leaf(reference));
    return held && c->shape->fields >= fields && is_among(held, c->id - 1) && may_mean(l, reference, c);
}

void promela_candidates(struct lowering *l, const struct node *reference, uint32_t fields, struct candidates *out)
{
    const struct channel_set *held = held_by(l, promela_leaf(reference));
    out->count = 0;
    for (uint32_t i = 0; i < l->channels.count && held; i++) {
        const struct channel *c = &l->channels.item[i];
        if (c->shape->fields >= fields && is_among(held, c->id - 1) && may_mean(l, reference, c))
            out->item[out->count++] = (uint8_t)i;
    }
    out->is_certain = is_fixed(reference) && out->count == 1;
}

void pml_emit_unless_channel(struct lowering *l, const struct node *reference, const struct channel *c,
                             struct patches *patches)
{
    uint32_t top = l->top, cell;
    if (is_fixed(reference) && promela_constant_cell(l, reference, &cell))
        return;
    pml_emit_jump_compared(l, pml_emit_value(l, reference), OPERATION_EQUAL, pml_number_operand(c->id), false, patches);
    l->top = top;
}

/* Fails: there is no such channel. */
void pml_emit_no_channel(struct lowering *l)
{
    struct instruction *i = pml_emit_code(l, CODE_CHECK_INDEX);
    pml_code_a(i, pml_number_operand(1));
    i->b = 1;
    i->flags |= B_IS_NUMBER;
    i->d = pml_failure_code(l, FAILURE_CHANNEL);
}

/* ----------------------------------------------------------------------------- numbers */

static struct operand encode(struct lowering *l, struct operand value, const struct channel_shape *shape,
                             uint32_t field)
{
    struct promela_type type = shape->types[field];
    value = pml_emit_convert(l, value, promela_stored(shape, field));
    if (value.is_number && value.value < INT32_MAX)
        return pml_number_operand(encoded(value.value));
    struct operand result = pml_new_register(l);
    struct patches skip = {0};
    struct instruction *i = pml_emit_code(l, CODE_MOVE);
    i->dst = result.value;
    pml_code_a(i, value);
    if (is_signed(type))
        pml_emit_jump_compared(l, value, OPERATION_GREATER_EQUAL, pml_number_operand(0), false, &skip);
    i = pml_emit_code(l, CODE_CALCULATE);
    i->operation = OPERATION_ADD;
    i->type = model_type(l->m, INTEGER_64);
    pml_code_a(i, value);
    i->b = 1;
    i->flags |= B_IS_NUMBER;
    i->dst = result.value;
    pml_emit_target(l, &skip);
    return result;
}

static struct operand decode(struct lowering *l, struct operand value, struct promela_type type)
{
    struct patches skip = {0};
    if (is_signed(type))
        pml_emit_jump_compared(l, value, OPERATION_GREATER, pml_number_operand(0), false, &skip);
    struct instruction *i = pml_emit_code(l, CODE_CALCULATE);
    i->operation = OPERATION_SUBTRACT;
    i->type = model_type(l->m, INTEGER_64);
    pml_code_a(i, value);
    i->b = 1;
    i->flags |= B_IS_NUMBER;
    i->dst = value.value;
    pml_emit_target(l, &skip);
    return value;
}

static uint32_t cell_of(const struct channel *c, uint32_t queue, uint32_t place)
{
    return c->first_cells[queue] + place;
}

/* ----------------------------------------------------------------------------- sending */

void pml_emit_unless_room(struct lowering *l, const struct channel *c, struct patches *patches)
{
    uint32_t top = l->top;
    struct operand last = pml_emit_load(l, cell_of(c, c->presence, c->shape->capacity - 1));
    pml_emit_jump_compared(l, last, OPERATION_EQUAL, pml_number_operand(0), false, patches);
    l->top = top;
}

struct message {
    struct operand values[MOST_FIELDS];   /* as they are written */
    struct operand sent[MOST_FIELDS + 1]; /* for each queue */
};

static void emit_message(struct lowering *l, const struct statement *s, const struct channel *c,
                         struct message *message)
{
    const struct node *value = s->b;
    struct operand *sent = message->sent;
    for (uint32_t k = 0; k < c->shape->fields; k++) {
        message->values[k] = value ? pml_emit_value(l, value) : pml_number_operand(0);
        sent[k] = encode(l, message->values[k], c->shape, k);
        value = value ? value->next : NULL;
    }
    if (c->queues > c->shape->fields)
        sent[c->shape->fields] = pml_number_operand(1);
}

/* Jumps unless the message is to stand before that in the place: it is smaller, field by field.  As in Spin the
 * numbers that are written are compared, before they are cut to the size of the field. */
static void unless_before(struct lowering *l, const struct channel *c, uint32_t place, const struct operand *values,
                          struct patches *patches)
{
    struct patches smaller = {0};
    for (uint32_t k = 0; k < c->shape->fields; k++) {
        uint32_t top = l->top;
        struct operand there = decode(l, pml_emit_load(l, cell_of(c, k, place)), c->shape->types[k]);
        pml_emit_jump_compared(l, values[k], OPERATION_LESS, there, true, &smaller);
        pml_emit_jump_compared(l, values[k], OPERATION_GREATER, there, true, patches);
        l->top = top;
    }
    pml_emit_jump(l, patches);
    pml_emit_target(l, &smaller);
}

static void insert_at(struct lowering *l, const struct channel *c, uint32_t place, const struct operand *sent)
{
    for (uint32_t k = 0; k < c->queues; k++) {
        for (uint32_t j = c->shape->capacity - 1; j > place; j--) {
            uint32_t top = l->top;
            pml_emit_store(l, cell_of(c, k, j), pml_emit_load(l, cell_of(c, k, j - 1)));
            l->top = top;
        }
        pml_emit_store(l, cell_of(c, k, place), sent[k]);
    }
}

static void emit_sorted(struct lowering *l, const struct channel *c, const struct message *message)
{
    struct patches ends = {0};
    for (uint32_t place = 0; place < c->shape->capacity && !l->m->failed; place++) {
        struct patches next = {0}, here = {0};
        uint32_t top = l->top;
        pml_emit_jump_compared(l, pml_emit_load(l, cell_of(c, c->presence, place)), OPERATION_EQUAL,
                               pml_number_operand(0), true, &here);
        l->top = top;
        unless_before(l, c, place, message->values, &next);
        pml_emit_target(l, &here);
        insert_at(l, c, place, message->sent);
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
    }
    pml_emit_target(l, &ends);
}

/* There is room. */
void pml_emit_send(struct lowering *l, const struct statement *s, const struct channel *c)
{
    struct message message = {0};
    uint32_t top = l->top;
    emit_message(l, s, c, &message);
    for (uint32_t k = 0; k < c->queues && !s->is_sorted; k++) {
        struct instruction *i = pml_emit_code(l, CODE_APPEND);
        i->c = (int32_t)c->first_cells[k];
        i->length = c->shape->capacity;
        i->flags |= NEVER_FULL;
        pml_code_a(i, message.sent[k]);
    }
    if (s->is_sorted)
        emit_sorted(l, c, &message);
    if (promela_is_traced(l, true, c)) {
        for (uint32_t k = 0; k < c->shape->fields; k++)
            message.values[k] = pml_emit_convert(l, message.values[k], promela_stored(c->shape, k));
        pml_emit_event(l, true, c, message.values);
    }
    l->top = top;
}

/* --------------------------------------------------------------------------- receiving */

/* Jumps unless what is in the place fits: constants and eval(...) are equal to it. */
static void unless_fits(struct lowering *l, const struct channel *c, const struct node *values, uint32_t place,
                        struct patches *patches)
{
    uint32_t k = 0;
    for (const struct node *n = values; n && k < c->shape->fields; n = n->next, k++) {
        uint32_t top = l->top;
        int64_t number;
        if (n->kind == NODE_VAR || n->kind == NODE_ANY)
            continue;
        struct operand there = pml_emit_load(l, cell_of(c, k, place));
        const struct node *wanted = n->kind == NODE_EVAL ? n->a : n;
        if (promela_fold(wanted, &number) && number < INT32_MAX)
            pml_emit_jump_compared(l, there, OPERATION_EQUAL, pml_number_operand(encoded(number)), false, patches);
        else
            pml_emit_jump_compared(l, decode(l, there, c->shape->types[k]), OPERATION_EQUAL, pml_emit_value(l, wanted),
                                   false, patches);
        l->top = top;
    }
}

static void unless_present(struct lowering *l, const struct channel *c, uint32_t place, struct patches *patches)
{
    uint32_t top = l->top;
    pml_emit_jump_compared(l, pml_emit_load(l, cell_of(c, c->presence, place)), OPERATION_NOT_EQUAL,
                           pml_number_operand(0), false, patches);
    l->top = top;
}

void pml_emit_unless_message(struct lowering *l, const struct channel *c, const struct node *values, bool is_random,
                             struct patches *patches)
{
    struct patches found = {0};
    uint32_t places = is_random ? c->shape->capacity : 1;
    for (uint32_t place = 0; place < places && !l->m->failed; place++) {
        struct patches next = {0}, *miss = place + 1 < places ? &next : patches;
        unless_present(l, c, place, patches); /* none behind it either */
        unless_fits(l, c, values, place, miss);
        if (place + 1 < places)
            pml_emit_jump(l, &found);
        pml_emit_target(l, &next);
    }
    pml_emit_target(l, &found);
}

/* The message in the place into registers, and out of the channel. */
static void take_from(struct lowering *l, const struct channel *c, uint32_t place, bool stays, struct operand *taken)
{
    for (uint32_t k = 0; k < c->queues; k++) {
        if (place == 0 && !stays) {
            struct instruction *i = pml_emit_code(l, CODE_TAKE);
            i->c = (int32_t)c->first_cells[k];
            i->length = c->shape->capacity;
            i->dst = taken[k].value;
            continue;
        }
        uint32_t top = l->top;
        struct operand value = pml_emit_load(l, cell_of(c, k, place));
        struct instruction *move = pml_emit_code(l, CODE_MOVE);
        move->dst = taken[k].value;
        pml_code_a(move, value);
        for (uint32_t j = place; j < c->shape->capacity && !stays; j++)
            pml_emit_store(l, cell_of(c, k, j),
                           j + 1 < c->shape->capacity ? pml_emit_load(l, cell_of(c, k, j + 1)) : pml_number_operand(0));
        l->top = top;
    }
}

/* There is a message that fits: the first one is taken. */
void pml_emit_receive(struct lowering *l, const struct statement *s, const struct channel *c)
{
    struct operand taken[MOST_FIELDS + 1];
    struct patches ends = {0};
    uint32_t top = l->top, places = s->is_random ? c->shape->capacity : 1, k = 0;
    for (uint32_t q = 0; q < c->queues; q++)
        taken[q] = pml_new_register(l);
    for (uint32_t place = 0; place < places && !l->m->failed; place++) {
        struct patches next = {0};
        if (place + 1 < places)
            unless_fits(l, c, s->b, place, &next);
        take_from(l, c, place, s->is_copy, taken);
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
    }
    pml_emit_target(l, &ends);
    if (!s->is_copy && promela_is_traced(l, false, c)) {
        struct operand values[MOST_FIELDS];
        for (uint32_t q = 0; q < c->shape->fields; q++) {
            values[q] = pml_new_register(l);
            struct instruction *move = pml_emit_code(l, CODE_MOVE);
            move->dst = values[q].value;
            pml_code_a(move, taken[q]);
            values[q] = decode(l, values[q], c->shape->types[q]);
        }
        pml_emit_event(l, false, c, values);
    }
    for (const struct node *n = s->b; n && k < c->shape->fields; n = n->next, k++)
        if (n->kind == NODE_VAR) {
            uint32_t inner = l->top;
            struct operand value = decode(l, taken[k], c->shape->types[k]);
            pml_emit_assign(l, n, value, NULL);
            l->top = inner;
        }
    l->top = top;
}

/* ----------------------------------------------------------------------------- asking */

static struct operand length_of(struct lowering *l, const struct channel *c, unsigned question)
{
    struct operand result, count;
    struct instruction *i;
    if (c->shape->capacity == 0)
        return pml_number_operand(question == ASKS_EMPTY || question == ASKS_NOT_FULL);
    switch (question) {
    case ASKS_FULL:
    case ASKS_NOT_FULL:
        count = pml_emit_load(l, cell_of(c, c->presence, c->shape->capacity - 1));
        return pml_emit_calculate(l, question == ASKS_FULL ? OPERATION_NOT_EQUAL : OPERATION_EQUAL, count,
                                  pml_number_operand(0));
    case ASKS_EMPTY:
    case ASKS_NOT_EMPTY:
        count = pml_emit_load(l, cell_of(c, c->presence, 0));
        return pml_emit_calculate(l, question == ASKS_EMPTY ? OPERATION_EQUAL : OPERATION_NOT_EQUAL, count,
                                  pml_number_operand(0));
    default: break;
    }
    result = pml_new_register(l);
    i = pml_emit_code(l, CODE_MOVE);
    i->dst = result.value;
    pml_code_a(i, pml_number_operand(0));
    for (uint32_t place = 0; place < c->shape->capacity; place++) {
        uint32_t top = l->top;
        struct operand there = pml_emit_calculate(
            l, OPERATION_NOT_EQUAL, pml_emit_load(l, cell_of(c, c->presence, place)), pml_number_operand(0));
        i = pml_emit_code(l, CODE_CALCULATE);
        i->operation = OPERATION_ADD;
        i->dst = result.value;
        pml_code_a(i, result);
        pml_code_b(i, there);
        l->top = top;
    }
    return result;
}

struct operand pml_emit_length(struct lowering *l, const struct node *n)
{
    struct candidates candidates;
    struct patches ends = {0};
    promela_candidates(l, n->a, 0, &candidates);
    if (candidates.is_certain)
        return length_of(l, &l->channels.item[candidates.item[0]], n->operation);
    struct operand result = pml_new_register(l);
    uint32_t top = l->top;
    for (uint32_t k = 0; k < candidates.count && !l->m->failed; k++) {
        struct patches next = {0};
        const struct channel *c = &l->channels.item[candidates.item[k]];
        pml_emit_unless_channel(l, n->a, c, &next);
        struct operand value = length_of(l, c, n->operation);
        struct instruction *i = pml_emit_code(l, CODE_MOVE);
        i->dst = result.value;
        pml_code_a(i, value);
        pml_emit_jump(l, &ends);
        pml_emit_target(l, &next);
        l->top = top;
    }
    pml_emit_no_channel(l);
    pml_emit_target(l, &ends);
    return result;
}

void pml_jump_if_polled(struct lowering *l, const struct node *n, bool sense, struct patches *patches)
{
    struct candidates candidates;
    struct patches missing = {0}, found = {0};
    uint32_t fields = 0;
    for (const struct node *value = n->b; value; value = value->next)
        fields++;
    promela_candidates(l, n->a, fields, &candidates);
    for (uint32_t k = 0; k < candidates.count && !l->m->failed; k++) {
        struct patches next = {0};
        const struct channel *c = &l->channels.item[candidates.item[k]];
        pml_emit_unless_channel(l, n->a, c, &next);
        if (c->shape->capacity)
            pml_emit_unless_message(l, c, n->b, n->operation, &missing);
        else
            pml_emit_jump(l, &missing);
        pml_emit_jump(l, &found);
        pml_emit_target(l, &next);
    }
    if (!candidates.is_certain)
        pml_emit_no_channel(l);
    if (sense) {
        pml_emit_target(l, &found);
        pml_emit_jump(l, patches);
        pml_emit_target(l, &missing);
    } else {
        pml_emit_target(l, &missing);
        pml_emit_jump(l, patches);
        pml_emit_target(l, &found);
    }
}
