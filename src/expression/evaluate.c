/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating: a stack machine that keeps the top of its stack in a variable. */
#include "base/limits.h"
#include "expression/code.h"

#include "base/enabled.h"
#include "expression/instructions.h"

#include <alloca.h>

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

/* The cell of a node; its indexes are on the stack, the last one above.  NULL when there is none. */
static const int32_t *find_cell(struct evaluation *e, const struct node *node, const int64_t *indexes)
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
    return e->failure ? NULL : &e->rows[row][cell];
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

/* The values of a run.  `at` is the instruction, `top` the topmost value, `below` where the next one under it goes. */
struct machine {
    const struct expression_instruction *program;
    int64_t *below, top;
    uint32_t enabled_count;
};

static inline void push(struct machine *m, int64_t value)
{
    *m->below++ = m->top;
    m->top = value;
}

static inline int64_t variable(struct evaluation *e, uint32_t number)
{
    int64_t value = e->system->value(e->system->model, e->state, number);
    if (__builtin_expect(value == PORTOLAN_NO_VALUE && e->system->why_no_value != NULL, 0))
        e->failure = undefined;
    return value;
}

static void load(struct machine *m, struct evaluation *e, const struct node *node)
{
    push(m, 0);
    m->below -= (node->a != NULL) + (node->b != NULL);
    const int32_t *cell = find_cell(e, node, m->below);
    m->top = cell ? *cell : 0;
}

static bool contains(const struct evaluation *e, const struct cell_place *place, int64_t element)
{
    return in_domain(place->cells, element) &&
           e->rows[place->row][place->base + (uint32_t)(element - place->cells.low)];
}

/* What is done seldom; gives the next instruction. */
static const struct expression_instruction *step(struct machine *m, struct evaluation *e,
                                                 const struct expression_instruction *at)
{
    const struct node *node = at->node;
    bool again = false, keyed;
    int64_t value = m->top;
    switch ((enum instruction_code)at->code) {
    case PUSH_FIREABLE: push(m, is_fireable(e, (uint32_t)at->operand, &m->enabled_count)); break;
    case PUSH_DEADLOCK: push(m, e->is_deadlock); break;
    case LOAD: load(m, e, node); break;
    case CONTAINS: m->top = contains(e, &node->place, m->top); break;
    case SIZE: push(m, size_of_set(e, &node->place)); break;
    case CALCULATE:
        m->below--;
        e->failure = arithmetic_words(
            arithmetic((enum operation)at->operation, &node->gives.integer, *m->below, value, &m->top));
        break;
    case CALCULATE_ONE:
        e->failure =
            arithmetic_words(arithmetic((enum operation)at->operation, &node->gives.integer, 0, value, &m->top));
        break;
    case BEGIN_VALUES:
        push(m, 0);
        e->slots[node->value] = node->domain.low;
        break;
    case NEXT_VALUE:
        again = next_value(e, node, value, --m->below);
        m->top = *m->below;
        break;
    case BEGIN_MESSAGES:
        push(m, 0);
        push(m, 0);
        push(m, 0);
        e->bind(e->user, 0);
        break;
    case NEXT_MESSAGE:
        keyed = node->b != NULL;
        m->below -= keyed ? 4 : 3;
        again = next_message(e, node, keyed ? m->below[3] : value, value, m->below);
        m->below += again ? 2 : 0;
        m->top = *m->below;
        break;
    default: break;
    }
    return again ? m->program + at->target : at + 1;
}

/* Jumps with the value, or goes on without it. */
static inline const struct expression_instruction *branch(struct machine *m, const struct expression_instruction *at,
                                                          bool jumps)
{
    if (jumps)
        return m->program + at->target;
    m->top = *--m->below;
    return at + 1;
}

static inline const struct expression_instruction *choose(struct machine *m, const struct expression_instruction *at)
{
    bool jumps = !m->top;
    m->top = *--m->below;
    return jumps ? m->program + at->target : at + 1;
}

/* Stops at the instruction that has no value. */
static const struct expression_instruction *run(struct machine *m, struct evaluation *e,
                                                const struct expression_instruction *at,
                                                const struct expression_instruction *end)
{
    while (at < end) {
        const struct expression_instruction *next = at + 1;
        switch ((enum instruction_code)at->code) {
        case PUSH_NUMBER: push(m, at->operand); break;
        case PUSH_SLOT: push(m, e->slots[at->operand]); break;
        case COMPARE: m->top = compare((enum operation)at->operation, *--m->below, m->top); break;
        case INVERT: m->top = !m->top; break;
        case EQUAL_NUMBER: m->top = m->top == at->operand; break;
        case NOT_EQUAL_NUMBER: m->top = m->top != at->operand; break;
        case LESS_NUMBER: m->top = m->top < at->operand; break;
        case LESS_EQUAL_NUMBER: m->top = m->top <= at->operand; break;
        case GREATER_NUMBER: m->top = m->top > at->operand; break;
        case GREATER_EQUAL_NUMBER: m->top = m->top >= at->operand; break;
        case JUMP_IF_FALSE: next = branch(m, at, !m->top); break;
        case JUMP_IF_TRUE: next = branch(m, at, m->top); break;
        case JUMP_IMPLIED: {
            bool implied = !m->top;
            m->top = 1;
            next = branch(m, at, implied);
            break;
        }
        case JUMP_UNLESS: next = choose(m, at); break;
        case JUMP: next = m->program + at->target; break;
        case PUSH_VARIABLE:
            push(m, variable(e, (uint32_t)at->operand));
            if (__builtin_expect(e->failure != NULL, 0))
                return at;
            break;
        case ADD_VARIABLE:
            if (__builtin_add_overflow(m->top, variable(e, (uint32_t)at->operand), &m->top) && !e->failure)
                e->failure = too_large;
            if (__builtin_expect(e->failure != NULL, 0))
                return at;
            break;
        default:
            next = step(m, e, at);
            if (__builtin_expect(e->failure != NULL, 0))
                return at;
        }
        at = next;
    }
    return at;
}

int64_t code_value(const struct node *node, struct evaluation *e)
{
    const struct expression_code *code = node->code;
    /* as deep as the expression is nested, which its parser limits */
    int64_t *stack = alloca(((size_t)code->stack + 1) * sizeof *stack);
    struct machine m = {.program = code->program.item, .below = stack, .enabled_count = UINT32_MAX};
    e->failure = NULL;
    const struct expression_instruction *at = run(&m, e, m.program + node->first, m.program + node->end);
    if (!e->failure)
        return m.top;
    e->failed_at = code->origin.item[at - m.program];
    return 0;
}
