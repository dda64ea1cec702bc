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

static inline bool variable(struct evaluation *e, uint32_t number, int64_t *value)
{
    *value = e->system->value(e->system->model, e->state, number);
    if (__builtin_expect(*value != PORTOLAN_NO_VALUE || e->system->why_no_value == NULL, 1))
        return true;
    e->failure = undefined;
    return false;
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

/* The stack of a run: the topmost value, and where the next one under it goes. */
struct values {
    int64_t top, *below;
    uint32_t enabled_count;
};

static inline void push(struct values *v, int64_t value)
{
    *v->below++ = v->top;
    v->top = value;
}

/* What is done seldom; true when a loop goes on. */
static bool do_seldom(struct evaluation *e, const struct expression_instruction *at, struct values *v)
{
    const struct node *node = at->node;
    bool again = false, keyed;
    switch ((enum instruction_code)at->code) {
    case PUSH_FIREABLE: push(v, is_fireable(e, (uint32_t)at->operand, &v->enabled_count)); break;
    case PUSH_DEADLOCK: push(v, e->is_deadlock); break;
    case LOAD:
        push(v, 0);
        v->below -= at->target;
        v->top = load(e, node, v->below);
        break;
    case CONTAINS: v->top = contains(e, &node->place, v->top); break;
    case SIZE: push(v, size_of_set(e, &node->place)); break;
    case CALCULATE:
        v->below--;
        v->top = calculate(e, at, *v->below, v->top);
        break;
    case CALCULATE_ONE: v->top = calculate(e, at, 0, v->top); break;
    case BEGIN_VALUES:
        push(v, 0);
        e->slots[node->value] = node->domain.low;
        break;
    case BEGIN_MESSAGES:
        push(v, 0);
        push(v, 0);
        push(v, 0);
        e->bind(e->user, 0);
        break;
    case NEXT_MESSAGE:
        keyed = node->b != NULL;
        v->below -= keyed ? 4 : 3;
        again = next_message(e, node, keyed ? v->below[3] : v->top, v->top, v->below);
        v->below += again ? 2 : 0;
        v->top = *v->below;
        break;
    default: break;
    }
    return again;
}

/* Runs up to `end`, or stops where something has no value; where that is. */
static const struct expression_instruction *run(struct evaluation *e, const struct expression_instruction *program,
                                                const struct expression_instruction *at,
                                                const struct expression_instruction *end, struct values *result)
{
    struct values v = *result;
    while (at < end) {
        bool goes = false; /* to its target, else on */
        int64_t added;
        switch ((enum instruction_code)at->code) {
        case PUSH_NUMBER: push(&v, at->operand); break;
        case PUSH_SLOT: push(&v, e->slots[at->operand]); break;
        case PUSH_VARIABLE:
            *v.below++ = v.top;
            if (!variable(e, (uint32_t)at->operand, &v.top))
                return at;
            break;
        case LOAD_OF_SLOT: push(&v, load_of_slot(e, at->node)); goto may_fail;
        case COMPARE: v.below--, v.top = compare((enum operation)at->operation, *v.below, v.top); break;
        case INVERT: v.top = !v.top; break;
        case ADD_VARIABLE:
            if (!variable(e, (uint32_t)at->operand, &added))
                return at;
            if (__builtin_add_overflow(v.top, added, &v.top))
                e->failure = too_large;
            goto may_fail;
        case EQUAL_NUMBER: v.top = v.top == at->operand; break;
        case NOT_EQUAL_NUMBER: v.top = v.top != at->operand; break;
        case LESS_NUMBER: v.top = v.top < at->operand; break;
        case LESS_EQUAL_NUMBER: v.top = v.top <= at->operand; break;
        case GREATER_NUMBER: v.top = v.top > at->operand; break;
        case GREATER_EQUAL_NUMBER: v.top = v.top >= at->operand; break;
        case JUMP_IF_FALSE:
            if (!(goes = !v.top))
                v.top = *--v.below;
            break;
        case JUMP_IF_TRUE:
            if (!(goes = v.top != 0))
                v.top = *--v.below;
            break;
        case JUMP_IMPLIED:
            goes = !v.top;
            v.top = goes ? 1 : *--v.below;
            break;
        case JUMP_UNLESS:
            goes = !v.top;
            v.top = *--v.below;
            break;
        case JUMP: goes = true; break;
        case NEXT_VALUE:
            goes = next_value(e, at->node, v.top, --v.below);
            v.top = *v.below;
            break;
        default: {
            struct values copy = v; /* so that v itself stays in registers */
            goes = do_seldom(e, at, &copy);
            v = copy;
        may_fail:
            if (__builtin_expect(e->failure != NULL, 0))
                return at;
        }
        }
        at = goes ? program + at->target : at + 1;
    }
    *result = v;
    return at;
}

int64_t code_value(const struct node *node, struct evaluation *e)
{
    const struct expression_code *code = node->code;
    const struct expression_instruction *program = code->program.item;
    /* as deep as the expression is nested, which its parser limits */
    int64_t stack[code->stack + 1];
    struct values values = {.below = stack, .enabled_count = UINT32_MAX};
    e->failure = NULL;
    const struct expression_instruction *at = run(e, program, program + node->first, program + node->end, &values);
    if (e->failure)
        e->failed_at = code->origin.item[at - program];
    return e->failure ? 0 : values.top;
}
