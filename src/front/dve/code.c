/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and assignments as code of the model: numbers have 32 bits and wrap round; and, or stop early. */
#include "front/dve/lowering.h"

struct instruction *emit_code(struct lowering *l, enum code code)
{
    static struct instruction none; /* where memory has run out nothing is read any more */
    struct instruction i = {.code = (uint8_t)code, .type = l->numbers, .length = 1, .d = -1, .flags = SYNCHRONISES};
    model_emit(l->m, i);
    return l->m->failed ? &none : &l->m->code.item[l->m->code.count - 1];
}

void code_a(struct instruction *i, struct operand operand)
{
    i->a = operand.value;
    if (operand.is_number)
        i->flags |= A_IS_NUMBER;
}

static void code_b(struct instruction *i, struct operand operand)
{
    i->b = operand.value;
    if (operand.is_number)
        i->flags |= B_IS_NUMBER;
}

static struct operand number(int64_t value)
{
    return (struct operand){true, (int32_t)value};
}

static struct operand new_register(struct lowering *l)
{
    struct operand result = {false, (int32_t)l->top++};
    if (l->top > l->most)
        l->most = l->top;
    return result;
}

/* One of enum failure, or FAILURES and the variable whose index is out of bounds. */
static int32_t failure(struct lowering *l, uint32_t kind)
{
    l->may_fail = true;
    return (int32_t)(l->failures[l->acting] + kind);
}

/* ------------------------------------------------------------------------- elements */

/* Fills the place of an element: its index has been checked. */
static void set_place(struct lowering *l, struct instruction *i, const struct node *node, struct operand index)
{
    const struct dve_variable *v = &l->syntax->variables.item[node->type];
    i->c = (int32_t)v->cell;
    i->length = v->length;
    if (index.is_number) {
        i->c += index.value;
        i->length = 1;
        index.value = 0;
    }
    code_b(i, index);
}

static struct operand code_index(struct lowering *l, const struct node *node)
{
    if (!node->a)
        return number(0);
    struct operand index = emit_value(l, node->a);
    if (!index.is_number) {
        struct instruction *check = emit_code(l, CODE_CHECK_INDEX);
        code_a(check, index);
        check->b = (int32_t)l->syntax->variables.item[node->type].length;
        check->flags |= B_IS_NUMBER;
        check->d = failure(l, FAILURES + node->type);
    }
    return index;
}

static struct operand code_element(struct lowering *l, const struct node *node)
{
    uint32_t top = l->top;
    struct operand index = code_index(l, node);
    l->top = top;
    struct operand result = new_register(l);
    struct instruction *load = emit_code(l, CODE_LOAD);
    set_place(l, load, node, index);
    load->dst = result.value;
    return result;
}

/* ------------------------------------------------------------------------ operations */

static int32_t failure_of(struct lowering *l, enum operation operation)
{
    switch (operation) {
    case OPERATION_DIVIDE:
    case OPERATION_REMAINDER: return failure(l, FAILURE_DIVISION);
    case OPERATION_SHIFT_LEFT:
    case OPERATION_SHIFT_RIGHT: return failure(l, FAILURE_SHIFT);
    default: return -1;
    }
}

static struct operand code_calculate(struct lowering *l, const struct node *node)
{
    uint32_t top = l->top;
    struct operand a = node->kind == NODE_BINARY ? emit_value(l, node->a) : number(0);
    struct operand b = emit_value(l, node->kind == NODE_BINARY ? node->b : node->a);
    l->top = top;
    struct operand result = new_register(l);
    struct instruction *i = emit_code(l, CODE_CALCULATE);
    i->operation = (uint8_t)node->operation;
    code_a(i, a);
    code_b(i, b);
    i->dst = result.value;
    i->d = failure_of(l, node->operation);
    return result;
}

static bool is_truth(const struct node *node)
{
    return node->kind == NODE_AT || ((node->kind == NODE_BINARY || node->kind == NODE_UNARY) &&
                                     (is_logical(node->operation) || node->operation == OPERATION_NOT));
}

/* 1 or 0 */
static struct operand code_truth(struct lowering *l, const struct node *node)
{
    struct patches ends = {0};
    struct operand result = new_register(l);
    struct instruction *i = emit_code(l, CODE_MOVE);
    i->dst = result.value;
    code_a(i, number(0));
    emit_jump_if(l, node, false, &ends);
    i = emit_code(l, CODE_MOVE);
    i->dst = result.value;
    code_a(i, number(1));
    emit_target(l, &ends);
    return result;
}

struct operand emit_value(struct lowering *l, const struct node *node)
{
    if (node->kind == NODE_NUMBER)
        return number(node->value);
    if (node->kind == NODE_ELEMENT)
        return code_element(l, node);
    return is_truth(node) ? code_truth(l, node) : code_calculate(l, node);
}

/* ------------------------------------------------------------------------- conditions */

static void add_jump(struct lowering *l, struct patches *patches)
{
    uint32_t at = (uint32_t)l->m->code.count - 1;
    if (!l->m->failed)
        l->m->failed |= !vector_push(&patches->at, at);
}

void emit_target(struct lowering *l, struct patches *patches)
{
    for (size_t i = 0; i < patches->at.count && !l->m->failed; i++)
        l->m->code.item[patches->at.item[i]].c = (int32_t)l->m->code.count;
    free(patches->at.item);
    *patches = (struct patches){0};
}

/* Jumps when a operation b is `sense`. */
static void jump_compared(struct lowering *l, struct operand a, enum operation operation, struct operand b, bool sense,
                          struct patches *patches)
{
    struct instruction *i = emit_code(l, CODE_JUMP_NOT);
    i->operation = (uint8_t)(sense ? opposite(operation) : operation);
    code_a(i, a);
    code_b(i, b);
    add_jump(l, patches);
}

/* Is the process there? */
static void jump_at(struct lowering *l, const struct node *node, bool sense, struct patches *patches)
{
    uint32_t top = l->top;
    struct operand where = new_register(l);
    struct instruction *load = emit_code(l, CODE_LOAD);
    uint32_t process = l->syntax->processes.item[node->value].model_process;
    load->c = (int32_t)l->m->processes.item[process].location_cell;
    load->flags |= B_IS_NUMBER;
    load->dst = where.value;
    l->top = top;
    jump_compared(l, where, OPERATION_EQUAL, number(node->domain.low), sense, patches);
}

/* a or b is `decided` as soon as one of them is that; and, imply likewise. */
static void jump_logical(struct lowering *l, const struct node *node, bool decided, bool a_decides, bool sense,
                         struct patches *patches)
{
    if (sense == decided) {
        emit_jump_if(l, node->a, a_decides, patches);
        emit_jump_if(l, node->b, decided, patches);
        return;
    }
    struct patches skips = {0};
    emit_jump_if(l, node->a, a_decides, &skips);
    emit_jump_if(l, node->b, sense, patches);
    emit_target(l, &skips);
}

void emit_jump_if(struct lowering *l, const struct node *node, bool sense, struct patches *patches)
{
    uint32_t top = l->top;
    if (node->kind == NODE_AT) {
        jump_at(l, node, sense, patches);
    } else if (node->kind == NODE_UNARY && node->operation == OPERATION_NOT) {
        emit_jump_if(l, node->a, !sense, patches);
    } else if (node->kind == NODE_BINARY && node->operation == OPERATION_AND) {
        jump_logical(l, node, false, false, sense, patches);
    } else if (node->kind == NODE_BINARY && node->operation == OPERATION_OR) {
        jump_logical(l, node, true, true, sense, patches);
    } else if (node->kind == NODE_BINARY && node->operation == OPERATION_IMPLIES) {
        jump_logical(l, node, true, false, sense, patches);
    } else if (node->kind == NODE_BINARY && compares(node->operation)) {
        struct operand a = emit_value(l, node->a), b = emit_value(l, node->b);
        jump_compared(l, a, node->operation, b, sense, patches);
    } else {
        jump_compared(l, emit_value(l, node), OPERATION_NOT_EQUAL, number(0), sense, patches);
    }
    l->top = top;
}

void emit_require(struct lowering *l, const struct node *condition)
{
    uint32_t top = l->top;
    struct instruction *i;
    if (condition->kind == NODE_BINARY && compares(condition->operation)) {
        struct operand holds = code_calculate(l, condition);
        i = emit_code(l, CODE_REQUIRE);
        code_a(i, holds);
    } else {
        struct operand holds = emit_value(l, condition);
        i = emit_code(l, CODE_REQUIRE);
        code_a(i, holds);
    }
    l->top = top;
}

/* ------------------------------------------------------------------------ assignments */

/* Is every value of the node one of the type? */
static bool fits(const struct lowering *l, const struct node *node, const struct integer_type *type)
{
    if (node->kind == NODE_NUMBER)
        return type_has(type, node->value);
    if (node->kind == NODE_ELEMENT) {
        struct integer_type source = dve_type(l->syntax->variables.item[node->type].is_int);
        return source.low >= type->low && source.high <= type->high;
    }
    return is_truth(node) || (node->kind == NODE_BINARY && compares(node->operation));
}

void emit_assign(struct lowering *l, const struct node *variable, struct operand value, const struct node *from)
{
    uint32_t top = l->top;
    struct integer_type type = dve_type(l->syntax->variables.item[variable->type].is_int);
    struct operand index = code_index(l, variable);
    if (!from || !fits(l, from, &type)) {
        struct operand converted = new_register(l);
        struct instruction *convert = emit_code(l, CODE_CONVERT);
        convert->type = model_type(l->m, type);
        convert->dst = converted.value;
        code_a(convert, value);
        value = converted;
    }
    struct instruction *store = emit_code(l, CODE_STORE);
    set_place(l, store, variable, index);
    code_a(store, value);
    l->top = top;
}

bool dve_may_fail(const struct syntax *syntax, const struct node *node)
{
    if (!node)
        return false;
    bool fails = node->kind == NODE_ELEMENT && node->a && node->a->kind != NODE_NUMBER;
    if (node->kind == NODE_BINARY)
        switch (node->operation) {
        case OPERATION_DIVIDE:
        case OPERATION_REMAINDER: fails = node->b->kind != NODE_NUMBER || node->b->value == 0; break;
        case OPERATION_SHIFT_LEFT:
        case OPERATION_SHIFT_RIGHT: fails = true; break;
        default: break;
        }
    return fails || dve_may_fail(syntax, node->a) || dve_may_fail(syntax, node->b);
}
