/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling.  && and || jump over their right operand when the left one decides.  No step recurses, so the length of
 * an expression is not limited by the C stack.
 */
#include "expression/code.h"

#include "expression/instructions.h"

#include <stdlib.h>

struct visit {
    struct node *node;
    unsigned stage; /* children that are done */
    uint32_t jump;  /* the jump over the next one, or where a loop begins */
};

struct maker {
    struct expression_code *code;
    VECTOR(struct visit) open;
    uint32_t depth; /* values on the stack here */
    bool fuse, failed;
};

static uint32_t here(const struct maker *m)
{
    return (uint32_t)m->code->program.count;
}

/* The instruction leaves `change` values more on the stack. */
static uint32_t emit(struct maker *m, const struct node *node, struct expression_instruction instruction, int change)
{
    m->depth += (uint32_t)change;
    if (m->depth > m->code->stack)
        m->code->stack = m->depth;
    if (!vector_push(&m->code->program, instruction) || !vector_push(&m->code->origin, node))
        m->failed = true;
    return here(m) - 1;
}

static void patch(struct maker *m, uint32_t jump)
{
    if (!m->failed)
        m->code->program.item[jump].target = here(m);
}

static void emit_leaf(struct maker *m, const struct node *node)
{
    static const uint16_t codes[NODE_OWN] = {[NODE_NUMBER] = PUSH_NUMBER,
                                             [NODE_VARIABLE] = PUSH_VARIABLE,
                                             [NODE_FIREABLE] = PUSH_FIREABLE,
                                             [NODE_DEADLOCK] = PUSH_DEADLOCK,
                                             [NODE_SLOT] = PUSH_SLOT,
                                             [NODE_CELL] = LOAD,
                                             [NODE_MEMBER] = LOAD,
                                             [NODE_IN] = CONTAINS,
                                             [NODE_SIZE] = SIZE};
    struct expression_instruction instruction = {.code = codes[node->kind], .operand = node->value};
    if (instruction.code >= LOAD)
        instruction.node = node;
    int indexes = (node->a != NULL) + (node->b != NULL);
    emit(m, node, instruction, 1 - indexes);
}

/* Merges the operation with the push just emitted for its right operand; false when it cannot. */
static bool merge(struct maker *m, const struct node *node)
{
    if (!m->fuse || m->failed)
        return false;
    struct expression_instruction *last = &m->code->program.item[here(m) - 1];
    bool adds = node->operation == OPERATION_ADD && node->b->kind == NODE_VARIABLE && node->gives.integer.bits == 64;
    if (!adds && !(compares(node->operation) && node->b->kind == NODE_NUMBER))
        return false;
    last->code = adds ? ADD_VARIABLE : (uint16_t)(EQUAL_NUMBER + (node->operation - OPERATION_EQUAL));
    m->code->origin.item[here(m) - 1] = node;
    m->depth--;
    return true;
}

static void emit_operation(struct maker *m, const struct node *node)
{
    struct expression_instruction instruction = {
        .code = CALCULATE, .operation = (uint16_t)node->operation, .node = node};
    if (node->kind == NODE_UNARY)
        instruction.code = node->operation == OPERATION_NOT ? INVERT : CALCULATE_ONE;
    else if (merge(m, node))
        return;
    else if (compares(node->operation) || node->operation == OPERATION_IFF)
        instruction.code = COMPARE;
    if (node->operation == OPERATION_IFF)
        instruction.operation = OPERATION_EQUAL;
    emit(m, node, instruction, node->kind == NODE_UNARY ? 0 : -1);
}

static uint16_t jump_code(enum operation operation)
{
    return operation == OPERATION_AND ? JUMP_IF_FALSE : operation == OPERATION_OR ? JUMP_IF_TRUE : JUMP_IMPLIED;
}

/* Between or after the children of && || -> ? : */
static void emit_branch(struct maker *m, struct visit *visit)
{
    const struct node *node = visit->node;
    bool chooses = node->kind == NODE_CONDITIONAL;
    if (visit->stage == 1) {
        uint16_t code = chooses ? JUMP_UNLESS : jump_code(node->operation);
        visit->jump = emit(m, node, (struct expression_instruction){.code = code}, -1);
        return;
    }
    uint32_t end = visit->jump;
    if (chooses && visit->stage == 2)
        visit->jump = emit(m, node, (struct expression_instruction){.code = JUMP}, -1);
    patch(m, end);
}

/* Before and after the body of a quantifier or an aggregate; what they keep on the stack is below its value. */
static void emit_loop(struct maker *m, struct visit *visit)
{
    const struct node *node = visit->node;
    bool quantifies = node->kind == NODE_QUANTIFIER;
    int kept = quantifies ? 1 : 3;
    unsigned children = node->b ? 2 : 1;
    if (visit->stage == 0) {
        emit(m, node, (struct expression_instruction){.code = quantifies ? BEGIN_VALUES : BEGIN_MESSAGES, .node = node},
             kept);
        visit->jump = here(m);
    } else if (visit->stage == children) {
        struct expression_instruction next = {
            .code = quantifies ? NEXT_VALUE : NEXT_MESSAGE, .target = visit->jump, .node = node};
        emit(m, node, next, 1 - kept - (int)children);
    }
}

/* What comes before child `stage`, or after the last one. */
static void emit_stage(struct maker *m, struct visit *visit, bool last)
{
    struct node *node = visit->node;
    bool binary = node->kind == NODE_BINARY;
    if (visit->stage == 0) {
        node->code = m->code;
        node->first = here(m);
    }
    if (node->kind == NODE_QUANTIFIER || node->kind == NODE_AGGREGATE)
        emit_loop(m, visit);
    else if (node->kind == NODE_CONDITIONAL ||
             (binary && is_logical(node->operation) && node->operation != OPERATION_IFF))
        visit->stage ? emit_branch(m, visit) : (void)0;
    else if (last)
        binary || node->kind == NODE_UNARY ? emit_operation(m, node) : emit_leaf(m, node);
    if (last)
        node->end = here(m);
}

/* A jump to a jump on the same value goes straight to the end of the chain. */
static void thread_jumps(struct expression_code *code)
{
    struct expression_instruction *program = code->program.item;
    for (size_t i = code->program.count; i-- > 0;)
        if (program[i].code == JUMP_IF_FALSE || program[i].code == JUMP_IF_TRUE) {
            const struct expression_instruction *there = &program[program[i].target];
            if (program[i].target < code->program.count && there->code == program[i].code)
                program[i].target = there->target;
        }
}

bool code_make(struct expression_code *code, struct node *tree, bool fuse)
{
    struct maker m = {.code = code, .fuse = fuse};
    m.failed = !vector_push(&m.open, (struct visit){.node = tree});
    while (m.open.count && !m.failed) {
        struct visit *visit = &m.open.item[m.open.count - 1];
        struct node *children[] = {visit->node->a, visit->node->b, visit->node->c, NULL};
        struct node *child = children[visit->stage];
        emit_stage(&m, visit, !child);
        visit->stage++;
        if (!child)
            m.open.count--;
        else if (!vector_push(&m.open, (struct visit){.node = child}))
            m.failed = true;
    }
    free(m.open.item);
    if (!m.failed)
        thread_jumps(code);
    return !m.failed;
}

void code_clear(struct expression_code *code)
{
    free(code->program.item);
    free(code->origin.item);
    *code = (struct expression_code){0};
}
