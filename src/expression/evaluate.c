/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating: a stack machine that keeps the top of its stack in a variable. */
#include "base/limits.h"
#include "expression/code.h"

#include "base/enabled.h"
#include "expression/instructions.h"

static const char no_process[] = "there is no such process", too_large[] = "a number is too large",
                  undefined[] = "it has no value";

/* ------------------------------------------------------- what a state tells */

/* Asks the system for its enabled actions at most once per evaluation. */
static bool is_fireable(const struct evaluation *e, uint32_t action, uint32_t *enabled_count)
{
    const struct portolan_relations *relations = e->system->relations;
    if (relations) {
        const struct portolan_lists *guards = &relations->guards_of;
        for (uint32_t i = guards->offset[action]; i < guards->offset[action + 1]; i++)
            if (!relations->holds(e->system->model, e->state, guards->item[i]))
                return false;
        return true;
    }
    if (!has_fixed_actions(e->system))
        return is_found_enabled(e->system, e->state, action);
    if (*enabled_count == UINT32_MAX)
        *enabled_count = e->system->enabled(e->system->model, e->state, e->enabled);
    for (uint32_t i = 0; i < *enabled_count; i++)
        if (e->enabled[i] == action)
            return true;
    return false;
}

/* The cell of a node; its indexes are on the stack, the last one above. */
static int64_t load(struct evaluation *e, const struct node *node, const int64_t *indexes)
{
    const struct cell_place *place = &node->place;
    uint32_t row = place->row, cell = place->base;
    bool is_member = node->kind == NODE_MEMBER;
    const struct node *index = is_member ? node->b : node->a;
    if (is_member && node->a) {
        if (!in_domain(place->rows, *indexes))
            e->failure = no_process;
        *(place->is_flat ? &cell : &row) += (uint32_t)(*indexes++ - place->rows.low);
    }
    if (index) {
        if (!in_domain(place->cells, *indexes) && !e->failure)
            e->failure = place->missing;
        cell += (uint32_t)(*indexes - place->cells.low);
    }
    return e->failure ? 0 : e->rows[row][cell];
}

static int64_t size_of_set(const struct evaluation *e, const struct cell_place *place)
{
    int64_t size = 0;
    for (uint32_t i = 0; i < domain_size(place->cells); i++)
        size += e->rows[place->row][place->base + i];
    return size;
}

/* ------------------------------------------------------------------- loops */

/* One value more of a quantifier; true when the body is to be evaluated again.  *count becomes the result otherwise. */
static bool next_value(struct evaluation *e, const struct node *node, int64_t value, int64_t *count)
{
    int32_t *slot = &e->slots[node->value];
    *count += value != 0;
    bool decided = node->operation != QUANTIFIER_COUNT && (value != 0) == (node->operation == QUANTIFIER_SOME);
    if (!decided && *slot < node->domain.high && !limits_reached()) {
        ++*slot;
        return true;
    }
    if (node->operation != QUANTIFIER_COUNT)
        *count = (node->operation == QUANTIFIER_SOME) == decided;
    return false;
}

/* One message more of an aggregate: kept is the result so far, its key, and the message. */
static bool next_message(struct evaluation *e, const struct node *node, int64_t value, int64_t key, int64_t *kept)
{
    int64_t *result = &kept[0];
    bool is_first = kept[2] == 0;
    switch (node->operation) {
    case AGGREGATE_MAX: *result = is_first || value > *result ? value : *result; break;
    case AGGREGATE_MIN: *result = is_first || value < *result ? value : *result; break;
    case AGGREGATE_SUM:
        if (__builtin_add_overflow(*result, value, result))
            e->failure = too_large;
        break;
    case AGGREGATE_COUNT: *result += value != 0; break;
    case AGGREGATE_ALL: *result = (is_first || *result) && value; break;
    case AGGREGATE_SOME: *result = *result || value; break;
    default:
        if (is_first || key > kept[1]) {
            *result = value;
            kept[1] = key;
        }
    }
    if (e->failure || ++kept[2] >= e->messages)
        return false;
    e->bind(e->user, (uint32_t)kept[2]);
    return true;
}

/* ----------------------------------------------------------------- the rest */

static inline int64_t variable(struct evaluation *e, uint32_t number)
{
    int64_t value = e->system->value(e->system->model, e->state, number);
    if (__builtin_expect(value == PORTOLAN_NO_VALUE && e->system->why_no_value != NULL, 0))
        e->failure = undefined;
    return value;
}

static inline bool contains(const struct evaluation *e, const struct cell_place *place, int64_t element)
{
    return in_domain(place->cells, element) &&
           e->rows[place->row][place->base + (uint32_t)(element - place->cells.low)];
}

/* The cell in the row that a slot says. */
static inline int64_t load_of_slot(struct evaluation *e, const struct node *node)
{
    const struct cell_place *place = &node->place;
    int32_t index = e->slots[node->a->value];
    if (__builtin_expect(!in_domain(place->rows, index), 0)) {
        e->failure = no_process;
        return 0;
    }
    return e->rows[place->row + (uint32_t)(index - place->rows.low)][place->base];
}

static inline int64_t calculate(struct evaluation *e, const struct expression_instruction *at, int64_t a, int64_t b)
{
    int64_t result = 0;
    e->failure = arithmetic_words(arithmetic((enum operation)at->operation, &at->node->gives.integer, a, b, &result));
    return result;
}

/* Runs up to `end`, or stops where something has no value; where that is. */
static const struct expression_instruction *run(struct evaluation *e, const struct expression_instruction *program,
                                                const struct expression_instruction *at,
                                                const struct expression_instruction *end, int64_t *below,
                                                int64_t *result)
{
    int64_t top = 0; /* and below: where the next value under it goes */
    uint32_t enabled_count = UINT32_MAX;
    while (at < end) {
        bool again;
        switch ((enum instruction_code)at->code) {
        case PUSH_NUMBER: *below++ = top, top = at->operand; break;
        case PUSH_SLOT: *below++ = top, top = e->slots[at->operand]; break;
        case PUSH_DEADLOCK: *below++ = top, top = e->is_deadlock; break;
        case PUSH_VARIABLE: *below++ = top, top = variable(e, (uint32_t)at->operand); goto may_fail;
        case PUSH_FIREABLE: *below++ = top, top = is_fireable(e, (uint32_t)at->operand, &enabled_count); break;
        case LOAD_OF_SLOT: *below++ = top, top = load_of_slot(e, at->node); goto may_fail;
        case LOAD:
            *below++ = top, below -= at->target;
            top = load(e, at->node, below);
            goto may_fail;
        case CONTAINS: top = contains(e, &at->node->place, top); break;
        case SIZE: *below++ = top, top = size_of_set(e, &at->node->place); break;
        case CALCULATE: below--, top = calculate(e, at, *below, top); goto may_fail;
        case CALCULATE_ONE: top = calculate(e, at, 0, top); goto may_fail;
        case COMPARE: below--, top = compare((enum operation)at->operation, *below, top); break;
        case INVERT: top = !top; break;
        case ADD_VARIABLE:
            if (__builtin_add_overflow(top, variable(e, (uint32_t)at->operand), &top) && !e->failure)
                e->failure = too_large;
            goto may_fail;
        case EQUAL_NUMBER: top = top == at->operand; break;
        case NOT_EQUAL_NUMBER: top = top != at->operand; break;
        case LESS_NUMBER: top = top < at->operand; break;
        case LESS_EQUAL_NUMBER: top = top <= at->operand; break;
        case GREATER_NUMBER: top = top > at->operand; break;
        case GREATER_EQUAL_NUMBER: top = top >= at->operand; break;
        case JUMP_IF_FALSE:
            if (top)
                goto drop;
            goto jump;
        case JUMP_IF_TRUE:
            if (!top)
                goto drop;
            goto jump;
        case JUMP_IMPLIED:
            if (top)
                goto drop;
            top = 1;
            goto jump;
        case JUMP_UNLESS:
            if (top)
                goto drop;
            top = *--below;
            goto jump;
        case JUMP: goto jump;
        case BEGIN_VALUES:
            *below++ = top, top = 0;
            e->slots[at->node->value] = at->node->domain.low;
            break;
        case NEXT_VALUE:
            again = next_value(e, at->node, top, --below);
            top = *below;
            if (again)
                goto jump;
            break;
        case BEGIN_MESSAGES:
            *below++ = top, *below++ = 0, *below++ = top = 0;
            e->bind(e->user, 0);
            break;
        case NEXT_MESSAGE: {
            bool keyed = at->node->b != NULL;
            below -= keyed ? 4 : 3;
            again = next_message(e, at->node, keyed ? below[3] : top, top, below);
            below += again ? 2 : 0;
            top = *below;
            if (again)
                goto jump;
            goto may_fail;
        }
        }
        at++;
        continue;
    may_fail:
        if (__builtin_expect(e->failure != NULL, 0))
            return at;
        at++;
        continue;
    drop: /* goes on without the value */
        top = *--below;
        at++;
        continue;
    jump:
        at = program + at->target;
    }
    *result = top;
    return at;
}

int64_t code_value(const struct node *node, struct evaluation *e)
{
    const struct expression_code *code = node->code;
    const struct expression_instruction *program = code->program.item;
    /* as deep as the expression is nested, which its parser limits */
    int64_t stack[code->stack + 1], value = 0;
    e->failure = NULL;
    const struct expression_instruction *at =
        run(e, program, program + node->first, program + node->end, stack, &value);
    if (e->failure)
        e->failed_at = code->origin.item[at - program];
    return value;
}
