/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling and evaluating expressions.  The program is postfix code for a
 * stack machine that keeps the top of its stack in a variable; && and || jump
 * over their right operand when the left one decides.  No step recurses, so
 * the length of an expression is not limited by the C stack.
 */
#include "property/expression.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

/* Instructions beyond the operations of the nodes. */
enum {
    PUSH_CONSTANT = EXPRESSION_CONSTANT,
    PUSH_VARIABLE = EXPRESSION_VARIABLE,
    PUSH_FIREABLE = EXPRESSION_FIREABLE,
    PUSH_DEADLOCK = EXPRESSION_DEADLOCK,
    ADD_VARIABLE = EXPRESSION_OR + 1,
    EQUAL_CONSTANT, /* in the order of the comparisons */
    NOT_EQUAL_CONSTANT,
    LESS_CONSTANT,
    GREATER_EQUAL_CONSTANT,
    GREATER_CONSTANT,
    LESS_EQUAL_CONSTANT,
    JUMP_IF_FALSE, /* keeps the false value when it jumps, drops the true one when not */
    JUMP_IF_TRUE,
    END
};

struct instruction {
    uint32_t code;
    uint32_t target; /* of a jump */
    int64_t operand;
};

struct expression {
    struct expression_node *nodes;
    size_t count;
    VECTOR(struct instruction) program;
    int64_t *stack;    /* scratch: as deep as the program needs */
    uint32_t *enabled; /* scratch: room for all actions; NULL when nothing is asked to be fireable */
    bool mentions_deadlock, only_in_deadlocks, only_fails_in_deadlocks;
};

/* -------------------------------------------------------------- arithmetic */

/* Each gives false where there is no result. */

static inline bool divide(int64_t left, int64_t right, int64_t *result)
{
    if (right == 0)
        return false;
    if (right == -1) /* INT64_MIN / -1 traps */
        return !__builtin_sub_overflow(0, left, result);
    *result = left / right;
    return true;
}

static inline bool take_remainder(int64_t left, int64_t right, int64_t *result)
{
    if (right == 0)
        return false;
    *result = right == -1 ? 0 : left % right;
    return true;
}

bool expression_apply(enum expression_operation operation, int64_t left, int64_t right, int64_t *result)
{
    switch (operation) {
    case EXPRESSION_ADD: return !__builtin_add_overflow(left, right, result);
    case EXPRESSION_SUBTRACT: return !__builtin_sub_overflow(left, right, result);
    case EXPRESSION_MULTIPLY: return !__builtin_mul_overflow(left, right, result);
    case EXPRESSION_DIVIDE: return divide(left, right, result);
    case EXPRESSION_REMAINDER: return take_remainder(left, right, result);
    case EXPRESSION_EQUAL:
    case EXPRESSION_IFF: *result = left == right; break;
    case EXPRESSION_NOT_EQUAL: *result = left != right; break;
    case EXPRESSION_LESS: *result = left < right; break;
    case EXPRESSION_GREATER_EQUAL: *result = left >= right; break;
    case EXPRESSION_GREATER: *result = left > right; break;
    case EXPRESSION_LESS_EQUAL: *result = left <= right; break;
    case EXPRESSION_AND: *result = left && right; break;
    case EXPRESSION_OR: *result = left || right; break;
    default: *result = 0; break;
    }
    return true;
}

bool expression_may_fail(enum expression_operation operation)
{
    return operation == EXPRESSION_NEGATE || (operation >= EXPRESSION_ADD && operation <= EXPRESSION_REMAINDER);
}

/* -------------------------------------------------------------- evaluation */

/* Tells whether an action is enabled; asks the system for its enabled actions at most once per evaluation. */
static bool is_fireable(const struct portolan_system *system, const void *state, uint32_t action, uint32_t *enabled,
                        uint32_t *enabled_count)
{
    const struct portolan_relations *relations = system->relations;
    if (relations) {
        const struct portolan_lists *guards = &relations->guards_of;
        for (uint32_t i = guards->offset[action]; i < guards->offset[action + 1]; i++)
            if (!relations->holds(system->model, state, guards->item[i]))
                return false;
        return true;
    }
    if (!has_fixed_actions(system))
        return is_found_enabled(system, state, action);
    if (*enabled_count == UINT32_MAX)
        *enabled_count = system->enabled(system->model, state, enabled);
    for (uint32_t i = 0; i < *enabled_count; i++)
        if (enabled[i] == action)
            return true;
    return false;
}

enum expression_value expression_value(const struct expression *expression, const struct portolan_system *system,
                                       const void *state, bool is_deadlock)
{
    const struct instruction *program = expression->program.item;
    int64_t *below = expression->stack; /* where the next value under the top goes */
    int64_t top = 0;
    uint32_t enabled_count = UINT32_MAX;
    for (const struct instruction *at = program;; at++) {
        switch (at->code) {
        case PUSH_CONSTANT:
            *below++ = top;
            top = at->operand;
            break;
        case PUSH_VARIABLE:
            *below++ = top;
            top = system->value(system->model, state, (uint32_t)at->operand);
            break;
        case PUSH_FIREABLE:
            *below++ = top;
            top = is_fireable(system, state, (uint32_t)at->operand, expression->enabled, &enabled_count);
            break;
        case PUSH_DEADLOCK:
            *below++ = top;
            top = is_deadlock;
            break;
        case JUMP_IF_FALSE:
            if (!top)
                at = program + at->target - 1;
            else
                top = *--below;
            break;
        case JUMP_IF_TRUE:
            if (top)
                at = program + at->target - 1;
            else
                top = *--below;
            break;
        case END: return top ? EXPRESSION_TRUE : EXPRESSION_FALSE;
        case ADD_VARIABLE:
            if (__builtin_add_overflow(top, system->value(system->model, state, (uint32_t)at->operand), &top))
                return EXPRESSION_NO_VALUE;
            break;
        case EQUAL_CONSTANT: top = top == at->operand; break;
        case NOT_EQUAL_CONSTANT: top = top != at->operand; break;
        case LESS_CONSTANT: top = top < at->operand; break;
        case GREATER_EQUAL_CONSTANT: top = top >= at->operand; break;
        case GREATER_CONSTANT: top = top > at->operand; break;
        case LESS_EQUAL_CONSTANT: top = top <= at->operand; break;
        case EXPRESSION_NEGATE:
            if (__builtin_sub_overflow(0, top, &top))
                return EXPRESSION_NO_VALUE;
            break;
        case EXPRESSION_NOT: top = !top; break;
        case EXPRESSION_ADD:
        case EXPRESSION_SUBTRACT:
        case EXPRESSION_MULTIPLY:
        case EXPRESSION_DIVIDE:
        case EXPRESSION_REMAINDER:
            below--;
            if (!expression_apply((enum expression_operation)at->code, *below, top, &top))
                return EXPRESSION_NO_VALUE;
            break;
        case EXPRESSION_EQUAL:
        case EXPRESSION_IFF: top = *--below == top; break;
        case EXPRESSION_NOT_EQUAL: top = *--below != top; break;
        case EXPRESSION_LESS: top = *--below < top; break;
        case EXPRESSION_GREATER_EQUAL: top = *--below >= top; break;
        case EXPRESSION_GREATER: top = *--below > top; break;
        case EXPRESSION_LESS_EQUAL: top = *--below <= top; break;
        }
    }
}

/* --------------------------------------------------------------- compiling */

static uint32_t left_child(const struct expression_node *nodes, uint32_t node)
{
    return node - 1 - nodes[node - 1].size;
}

static bool is_short_circuit(enum expression_operation operation)
{
    return operation == EXPRESSION_AND || operation == EXPRESSION_OR;
}

/* Merges the node with the push just emitted for its right operand; false when it cannot. */
static bool merge_with_operand(struct expression *expression, enum expression_operation operation)
{
    if (operation < EXPRESSION_ADD || !expression->program.count)
        return false;
    struct instruction *last = &expression->program.item[expression->program.count - 1];
    if (operation == EXPRESSION_ADD && last->code == PUSH_VARIABLE) {
        last->code = ADD_VARIABLE;
        return true;
    }
    if (operation >= EXPRESSION_EQUAL && operation <= EXPRESSION_LESS_EQUAL && last->code == PUSH_CONSTANT) {
        last->code = EQUAL_CONSTANT + (operation - EXPRESSION_EQUAL);
        return true;
    }
    return false;
}

/*
 * Emits the nodes in their order; after the left operand of && and || a jump past the right one.
 * jump_for[n] is the short-circuit node whose left operand is n (0 when there is none: node 0 is a leaf), and
 * jump_at[n] the place of the jump that belongs to the short-circuit node n.
 */
static bool emit(struct expression *expression, uint32_t *jump_for, uint32_t *jump_at)
{
    const struct expression_node *nodes = expression->nodes;
    for (uint32_t n = 0; n < expression->count; n++)
        if (is_short_circuit(nodes[n].operation))
            jump_for[left_child(nodes, n)] = n;
    for (uint32_t n = 0; n < expression->count; n++) {
        struct instruction instruction = {.code = nodes[n].operation, .operand = nodes[n].operand};
        if (is_short_circuit(nodes[n].operation))
            expression->program.item[jump_at[n]].target = (uint32_t)expression->program.count;
        else if (!merge_with_operand(expression, nodes[n].operation) && !vector_push(&expression->program, instruction))
            return false;
        uint32_t parent = jump_for[n];
        if (!parent)
            continue;
        jump_at[parent] = (uint32_t)expression->program.count;
        instruction.code = nodes[parent].operation == EXPRESSION_AND ? JUMP_IF_FALSE : JUMP_IF_TRUE;
        if (!vector_push(&expression->program, instruction))
            return false;
    }
    return vector_push(&expression->program, (struct instruction){.code = END});
}

/* A jump to a jump on the same value goes straight to the end of the chain. */
static void thread_jumps(struct expression *expression)
{
    struct instruction *program = expression->program.item;
    for (size_t i = expression->program.count; i-- > 0;)
        if (program[i].code == JUMP_IF_FALSE || program[i].code == JUMP_IF_TRUE) {
            const struct instruction *there = &program[program[i].target];
            if (there->code == program[i].code)
                program[i].target = there->target;
        }
}

/* The most values the program has on its stack at once. */
static size_t stack_depth(const struct expression *expression)
{
    size_t depth = 0, deepest = 1;
    for (size_t i = 0; i < expression->program.count; i++) {
        uint32_t code = expression->program.item[i].code;
        if (code <= PUSH_DEADLOCK)
            depth++;
        else if ((code >= EXPRESSION_ADD && code <= EXPRESSION_IFF) || code == JUMP_IF_FALSE || code == JUMP_IF_TRUE)
            depth--;
        if (depth > deepest)
            deepest = depth;
    }
    return deepest;
}

/* ------------------------------------------------------- deadlock analyses */

/* Three-valued truth, ordered so that "and" is the minimum and "or" the maximum. */
enum truth { FALSE, UNKNOWN, TRUE };

static enum truth truth_of(const struct expression_node *nodes, uint32_t n, const uint8_t *truth)
{
    enum truth last = n ? truth[n - 1] : UNKNOWN;
    enum truth first = nodes[n].operation >= EXPRESSION_ADD ? truth[left_child(nodes, n)] : UNKNOWN;
    switch (nodes[n].operation) {
    case EXPRESSION_CONSTANT: return nodes[n].operand ? TRUE : FALSE;
    case EXPRESSION_DEADLOCK: return FALSE;
    case EXPRESSION_NOT: return TRUE - last;
    case EXPRESSION_AND: return first < last ? first : last;
    case EXPRESSION_OR: return first > last ? first : last;
    case EXPRESSION_IFF:
        if (first == UNKNOWN || last == UNKNOWN)
            return UNKNOWN;
        return first == last ? TRUE : FALSE;
    default: return UNKNOWN;
    }
}

/* May the node have no value while deadlock is false?  What && and || need not look at does not count. */
static bool fails_of(const struct expression_node *nodes, uint32_t n, const uint8_t *truth, const bool *fails)
{
    enum expression_operation operation = nodes[n].operation;
    if (operation < EXPRESSION_NEGATE)
        return false;
    if (operation < EXPRESSION_ADD)
        return fails[n - 1] || expression_may_fail(operation);
    uint32_t left = left_child(nodes, n);
    bool decided =
        (operation == EXPRESSION_AND && truth[left] == FALSE) || (operation == EXPRESSION_OR && truth[left] == TRUE);
    return fails[left] || (fails[n - 1] && !decided) || expression_may_fail(operation);
}

/* What is left to know of the expression once deadlock is false. */
static void analyse_deadlock(struct expression *expression, uint8_t *truth, bool *fails)
{
    for (uint32_t n = 0; n < expression->count; n++) {
        truth[n] = (uint8_t)truth_of(expression->nodes, n, truth);
        fails[n] = fails_of(expression->nodes, n, truth, fails);
        expression->mentions_deadlock |= expression->nodes[n].operation == EXPRESSION_DEADLOCK;
    }
    uint32_t last = (uint32_t)expression->count - 1;
    expression->only_in_deadlocks = truth[last] == FALSE;
    expression->only_fails_in_deadlocks = truth[last] == TRUE && !fails[last];
}

static bool mentions(const struct expression *expression, enum expression_operation operation)
{
    for (size_t n = 0; n < expression->count; n++)
        if (expression->nodes[n].operation == operation)
            return true;
    return false;
}

static bool prepare(struct expression *expression, const struct portolan_system *system)
{
    uint32_t *jump_for = calloc(expression->count, sizeof *jump_for);
    uint32_t *jump_at = calloc(expression->count, sizeof *jump_at);
    uint8_t *truth = calloc(expression->count, sizeof *truth);
    bool *fails = calloc(expression->count, sizeof *fails);
    bool done = jump_for && jump_at && truth && fails && emit(expression, jump_for, jump_at);
    if (done) {
        thread_jumps(expression);
        analyse_deadlock(expression, truth, fails);
        expression->stack = calloc(stack_depth(expression), sizeof *expression->stack);
        if (mentions(expression, EXPRESSION_FIREABLE))
            expression->enabled = calloc((size_t)fixed_actions(system) + 1, sizeof *expression->enabled);
        done = expression->stack && (expression->enabled || !mentions(expression, EXPRESSION_FIREABLE));
    }
    free(jump_for);
    free(jump_at);
    free(truth);
    free(fails);
    return done;
}

enum portolan_status expression_compile(const struct portolan_system *system, struct expression_node *nodes,
                                        size_t count, struct expression **out, struct portolan_error *error)
{
    *out = NULL;
    struct expression *expression = calloc(1, sizeof *expression);
    if (!expression) {
        free(nodes);
        return fail_memory(error);
    }
    expression->nodes = nodes;
    expression->count = count;
    if (!prepare(expression, system)) {
        expression_free(expression);
        return fail_memory(error);
    }
    *out = expression;
    return PORTOLAN_OK;
}

void expression_free(struct expression *expression)
{
    if (!expression)
        return;
    free(expression->nodes);
    free(expression->program.item);
    free(expression->stack);
    free(expression->enabled);
    free(expression);
}

/* -------------------------------------------------------------- visibility */

static void mark_all(const struct portolan_system *system, bool *visible)
{
    for (uint32_t action = 0; action < fixed_actions(system); action++)
        visible[action] = true;
}

static void mark_list(const struct portolan_lists *lists, uint32_t list, bool *visible)
{
    for (uint32_t i = lists->offset[list]; i < lists->offset[list + 1]; i++)
        visible[lists->item[i]] = true;
}

/* Whatever may change one of the guards of the action may change whether it is fireable. */
static void mark_fireable(const struct portolan_relations *relations, uint32_t action, bool *visible)
{
    for (uint32_t i = relations->guards_of.offset[action]; i < relations->guards_of.offset[action + 1]; i++) {
        mark_list(&relations->enablers, relations->guards_of.item[i], visible);
        mark_list(&relations->disablers, relations->guards_of.item[i], visible);
    }
}

void expression_mark_visible(const struct expression *expression, const struct portolan_system *system, bool *visible)
{
    if ((mentions(expression, EXPRESSION_VARIABLE) && !system->changers.offset) ||
        (mentions(expression, EXPRESSION_FIREABLE) && !system->relations)) {
        mark_all(system, visible);
        return;
    }
    for (size_t n = 0; n < expression->count; n++) {
        const struct expression_node *node = &expression->nodes[n];
        if (node->operation == EXPRESSION_VARIABLE)
            mark_list(&system->changers, (uint32_t)node->operand, visible);
        else if (node->operation == EXPRESSION_FIREABLE)
            mark_fireable(system->relations, (uint32_t)node->operand, visible);
    }
}

bool expression_mentions_deadlock(const struct expression *expression)
{
    return expression->mentions_deadlock;
}

bool expression_only_in_deadlocks(const struct expression *expression)
{
    return expression->only_in_deadlocks;
}

bool expression_only_fails_in_deadlocks(const struct expression *expression)
{
    return expression->only_fails_in_deadlocks;
}
