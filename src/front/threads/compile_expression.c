/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: from left to right, each shared access a step of its own.  Registers are given out and back like a
 * stack, so those that outlive a step come first; constants are folded, so that the number of a thread picks its
 * elements before the program runs.
 */
#include "front/threads/compile.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static bool calculate(enum operation operation, int32_t a, int32_t b, int32_t *result)
{
    const struct integer_type type = INTEGER_32;
    int64_t wide;
    if (arithmetic(operation, &type, a, b, &wide) != ARITHMETIC_FITS)
        return false;
    *result = (int32_t)wide;
    return true;
}

/* Gives back the slots above `top`, and takes one. */
static int32_t result_slot(struct compiler *c, const struct node *node, uint32_t top)
{
    c->top = top;
    return new_slots(c, &node->at, 1);
}

/* The same for the result of the last instruction. */
static struct operand result_of_last(struct compiler *c, const struct node *node, uint32_t top)
{
    int32_t result = result_slot(c, node, top);
    if (!c->status)
        c->model->code.item[c->model->code.count - 1].dst = result;
    return slot(result);
}

/* --------------------------------------------------------------------- names */

static const char *kind_word(enum symbol_kind kind)
{
    static const char *const words[] = {
        [NAMES_CONSTANT] = "a constant",   [NAMES_SHARED] = "a variable", [NAMES_LOCK] = "a lock",
        [NAMES_CONDITION] = "a condition", [NAMES_LOCAL] = "a variable",  [NAMES_FUNCTION] = "a function",
        [NAMES_THREAD] = "a thread"};
    return words[kind];
}

static void unknown_name(struct compiler *c, const struct node *node)
{
    struct nearest nearest = nearest_to(node->name);
    for (size_t i = 0; i < c->names.count; i++)
        if (i < c->globals || i >= c->visible)
            nearest_offer(&nearest, c->names.item[i].name);
    bool fresh = !c->status;
    compile_fail(c, &node->at, "'%.60s' is not declared", node->name);
    if (fresh && nearest.best)
        compile_hint(c, "did you mean %.60s?", nearest.best);
}

static struct name *known_name(struct compiler *c, const struct node *node)
{
    struct name *name = find_name(c, node->name);
    if (!name)
        unknown_name(c, node);
    else
        name->used = true;
    return name;
}

/* The index of a name, checked against its length. */
static struct operand compile_index(struct compiler *c, const struct node *node, const struct name *name)
{
    uint32_t length = name->length;
    bool is_array = name->is_array;
    if (node->kind == NODE_NAME) {
        if (is_array)
            compile_fail(c, &node->at, "'%.60s' is an array of %u: which element?", node->name, length);
        return number(0);
    }
    if (!is_array && !(c->syntax->expansion && name->kind != NAMES_CONSTANT)) {
        compile_fail(c, &node->at, "'%.60s' is not an array", node->name);
        return number(0);
    }
    struct operand index = compile_expression(c, node->a);
    if (index.is_number) {
        if (index.value < 0 || (uint32_t)index.value >= length) {
            compile_fail(c, &node->a->at, "index %d is out of bounds: '%.60s' has %u element%s", index.value,
                         node->name, length, length == 1 ? "" : "s");
            compile_hint(c, "the first element has index 0");
        }
        return c->status ? number(0) : index;
    }
    char reason[160];
    snprintf(reason, sizeof reason, "the index of '%.60s' is out of bounds: it has %u element%s", node->name, length,
             length == 1 ? "" : "s");
    int32_t label = failure_label(c, &node->at, reason);
    struct instruction *check = emit(c, CODE_CHECK_INDEX);
    set_a(check, index);
    check->b = (int32_t)length;
    check->d = label;
    return index;
}

const struct name *compile_target(struct compiler *c, const struct node *node, enum symbol_kind wanted,
                                  struct operand *index)
{
    *index = number(0);
    if (node->kind != NODE_NAME && node->kind != NODE_INDEX) {
        compile_fail(c, &node->at, "%s is needed here, not an expression", kind_word(wanted));
        return NULL;
    }
    const struct name *name = known_name(c, node);
    if (!name)
        return NULL;
    if (name->kind != wanted) {
        compile_fail(c, &node->at, "'%.60s' is %s%s, %s is needed here", node->name,
                     name->kind == NAMES_LOCAL ? "a local variable" : kind_word(name->kind), "",
                     wanted == NAMES_SHARED ? "a shared variable" : kind_word(wanted));
        return NULL;
    }
    struct name copy = *name; /* the names may move while the index is compiled */
    *index = compile_index(c, node, &copy);
    return c->status ? NULL : find_name(c, node->name);
}

const struct name *compile_variable(struct compiler *c, const struct node *node, struct operand *index)
{
    *index = number(0);
    if (node->kind != NODE_NAME && node->kind != NODE_INDEX) {
        compile_fail(c, &node->at, "only a variable can be assigned");
        return NULL;
    }
    const struct name *name = find_name(c, node->name);
    if (name && name->kind == NAMES_LOCAL && !name->read_only)
        return compile_target(c, node, NAMES_LOCAL, index);
    if (name && name->kind == NAMES_CONSTANT) {
        compile_fail(c, &node->at, "'%.60s' is constant and cannot be assigned", node->name);
        return NULL;
    }
    if (name && name->read_only) {
        compile_fail(c, &node->at, "'%.60s' is a loop counter and cannot be assigned", node->name);
        return NULL;
    }
    if (name && name->kind != NAMES_SHARED) {
        compile_fail(c, &node->at, "'%.60s' is %s and cannot be assigned", node->name, kind_word(name->kind));
        if (name->kind == NAMES_LOCK)
            compile_hint(c, "use lock(%.60s) and unlock(%.60s)", node->name, node->name);
        return NULL;
    }
    return compile_target(c, node, NAMES_SHARED, index);
}

/* A step of its own that waits for one place says so by a test. */
static void add_test(struct compiler *c, const struct instruction *i)
{
    if (c->atomic || c->discarding || c->status)
        return;
    if (i->code == CODE_LOCK)
        model_test(c->model, (uint32_t)i->c, 0, 0);
    else if (i->code == CODE_WAKE)
        model_test(c->model, (uint32_t)i->c, 2, INT32_MAX); /* its cell is known at the end */
}

void set_place(struct compiler *c, struct instruction *i, const struct name *name, struct operand index)
{
    i->c = name->base;
    i->length = index.is_number ? 1 : name->length;
    if (index.is_number) {
        i->c += index.value;
        index.value = 0;
        add_test(c, i);
    }
    set_b(i, index);
    if (name->is_atomic)
        i->flags |= SYNCHRONISES;
}

/* -------------------------------------------------------------------- values */

struct operand compile_load(struct compiler *c, const struct node *node, const struct name *name, struct operand index,
                            uint32_t top)
{
    bool is_local = name->kind == NAMES_LOCAL;
    if (is_local && index.is_number)
        return slot(name->base + index.value);
    struct instruction *load = is_local ? emit(c, CODE_REGISTER_LOAD) : emit_shared(c, CODE_LOAD, "read", node);
    if (is_local) {
        load->c = name->base;
        load->length = name->length;
        set_a(load, index);
    } else {
        set_place(c, load, name, index);
    }
    return result_of_last(c, node, top);
}

static struct operand compile_read(struct compiler *c, const struct node *node)
{
    const struct name *name = known_name(c, node);
    uint32_t top = c->top;
    struct operand index;
    if (!name)
        return number(0);
    if (name->kind == NAMES_CONSTANT && node->kind == NODE_NAME)
        return number(name->base);
    if (name->kind != NAMES_LOCAL && name->kind != NAMES_SHARED) {
        compile_fail(c, &node->at, "'%.60s' is %s and has no value", node->name, kind_word(name->kind));
        if (name->kind == NAMES_FUNCTION)
            compile_hint(c, "a call has parentheses: %.60s(...)", node->name);
        return number(0);
    }
    name = compile_target(c, node, name->kind, &index);
    return name ? compile_load(c, node, name, index, top) : number(0);
}

static bool can_fail(enum operation operation, struct operand b)
{
    switch (operation) {
    case OPERATION_ADD:
    case OPERATION_SUBTRACT:
    case OPERATION_MULTIPLY:
    case OPERATION_SHIFT_LEFT: return true;
    case OPERATION_SHIFT_RIGHT: return !b.is_number || b.value < 0 || b.value > 31;
    case OPERATION_DIVIDE:
    case OPERATION_REMAINDER: return !b.is_number || b.value == 0 || b.value == -1;
    default: return false;
    }
}

struct operand calculate_values(struct compiler *c, const struct node *node, enum operation operation, struct operand a,
                                struct operand b, uint32_t top)
{
    int32_t folded;
    if (a.is_number && b.is_number && calculate(operation, a.value, b.value, &folded))
        return number(folded);
    bool divides = operation == OPERATION_DIVIDE || operation == OPERATION_REMAINDER;
    const char *reason = divides ? "division by zero" : "the result does not fit into 32 bits";
    int32_t label = can_fail(operation, b) ? failure_label(c, &node->at, reason) : -1;
    int32_t result = result_slot(c, node, top);
    struct instruction *i = emit(c, CODE_CALCULATE);
    i->operation = (uint8_t)operation;
    i->dst = result;
    set_a(i, a);
    set_b(i, b);
    i->d = label;
    return slot(result);
}

static struct operand compile_unary(struct compiler *c, const struct node *node)
{
    uint32_t top = c->top;
    struct operand a = compile_expression(c, node->a);
    switch (node->operation) {
    case OPERATION_NEGATE: return calculate_values(c, node, OPERATION_SUBTRACT, number(0), a, top);
    case OPERATION_NOT: return calculate_values(c, node, OPERATION_EQUAL, a, number(0), top);
    default: return calculate_values(c, node, OPERATION_BIT_XOR, a, number(-1), top);
    }
}

bool is_constant(struct compiler *c, const struct node *node)
{
    if (!node || node->kind == NODE_INTEGER)
        return true;
    if (node->kind == NODE_NAME) {
        const struct name *name = find_name(c, node->name);
        return name && name->kind == NAMES_CONSTANT;
    }
    if (node->kind == NODE_BINARY && (node->operation == OPERATION_AND || node->operation == OPERATION_OR) &&
        is_constant(c, node->a) && (compile_constant(c, node->a) != 0) == (node->operation == OPERATION_OR))
        return true; /* the left side decides */
    return (node->kind == NODE_UNARY || node->kind == NODE_BINARY || node->kind == NODE_CONDITIONAL) &&
           is_constant(c, node->a) && is_constant(c, node->b) && is_constant(c, node->c);
}

/* The truth of a condition as 0 or 1. */
static struct operand compile_truth(struct compiler *c, const struct node *node)
{
    uint32_t top = c->top;
    if (is_constant(c, node->a)) { /* the left side decides whether the right one counts */
        bool left = compile_constant(c, node->a) != 0;
        if (left == (node->operation == OPERATION_OR))
            return number(left);
        return calculate_values(c, node, OPERATION_NOT_EQUAL, compile_expression(c, node->b), number(0), top);
    }
    int32_t is_false = new_label(c), end = new_label(c);
    branch(c, node, is_false, false);
    int32_t result = result_slot(c, node, top);
    emit_move(c, result, number(1));
    emit_jump(c, end);
    place_label(c, is_false);
    emit_move(c, result, number(0));
    place_label(c, end);
    return slot(result);
}

static struct operand compile_choice(struct compiler *c, const struct node *node)
{
    uint32_t top = c->top;
    if (is_constant(c, node->a))
        return compile_expression(c, compile_constant(c, node->a) ? node->b : node->c);
    int32_t otherwise = new_label(c), end = new_label(c);
    branch(c, node->a, otherwise, false);
    struct operand value = compile_expression(c, node->b);
    int32_t result = result_slot(c, node, top);
    emit_move(c, result, value);
    emit_jump(c, end);
    place_label(c, otherwise);
    c->top = top;
    value = compile_expression(c, node->c);
    result = result_slot(c, node, top);
    emit_move(c, result, value);
    place_label(c, end);
    return slot(result);
}

static struct operand compile_binary(struct compiler *c, const struct node *node)
{
    if (node->operation == OPERATION_AND || node->operation == OPERATION_OR)
        return compile_truth(c, node);
    uint32_t top = c->top;
    struct operand a = compile_expression(c, node->a), b = compile_expression(c, node->b);
    return calculate_values(c, node, node->operation, a, b, top);
}

/* --------------------------------------------------------------------- calls */

static uint32_t length_of(const struct node *list)
{
    uint32_t length = 0;
    for (; list; list = list->next)
        length++;
    return length;
}

static bool check_arguments(struct compiler *c, const struct node *node, const struct declaration *called)
{
    enum { MOST_PARAMETERS = 100 };
    uint32_t given = length_of(node->a), wanted = length_of(called->parameters);
    if (wanted > MOST_PARAMETERS)
        compile_fail(c, &called->at, "more than %d parameters", MOST_PARAMETERS);
    if (given != wanted)
        compile_fail(c, &node->at, "'%.60s' takes %u argument%s, not %u", node->name, wanted, wanted == 1 ? "" : "s",
                     given);
    return !c->status;
}

/* The arguments in slots one behind the other. */
static int32_t compile_arguments(struct compiler *c, const struct node *list)
{
    int32_t first = (int32_t)c->top;
    for (; list && !c->status; list = list->next) {
        uint32_t top = c->top;
        struct operand value = compile_expression(c, list);
        int32_t argument = result_slot(c, list, top);
        emit_move(c, argument, value);
    }
    return first;
}

static void compile_inlined(struct compiler *c, const struct node *node, const struct declaration *function,
                            int32_t result)
{
    int32_t parameter_slot = compile_arguments(c, node->a);
    struct call call = {.outer = c->call, .function = function, .result = result, .end = new_label(c)};
    struct loop *loop = c->loop;
    size_t visible = c->visible, names = c->names.count;
    const struct node *text = c->text;
    c->visible = names;
    c->call = &call;
    c->loop = NULL;
    c->text = NULL;
    for (const struct node *p = function->parameters; p; p = p->next) {
        struct name name = {.kind = NAMES_LOCAL, .name = p->name, .type = p->type, .length = 1};
        name.base = parameter_slot++;
        declare_name(c, name, &p->at);
    }
    compile_statement(c, function->body);
    place_label(c, call.end);
    c->names.count = names;
    c->visible = visible;
    c->call = call.outer;
    c->loop = loop;
    c->text = text;
}

static struct operand compile_call(struct compiler *c, const struct node *node)
{
    const struct name *name = known_name(c, node);
    if (!name)
        return number(0);
    if (name->kind != NAMES_FUNCTION) {
        compile_fail(c, &node->at, "'%.60s' is %s, not a function", node->name, kind_word(name->kind));
        if (name->kind == NAMES_THREAD)
            compile_hint(c, "spawn %.60s(...) starts a thread", node->name);
        return number(0);
    }
    const struct declaration *function = name->declaration;
    for (const struct call *call = c->call; call; call = call->outer)
        if (call->function == function) {
            compile_fail(c, &node->at, "'%.60s' calls itself: functions are not recursive", node->name);
            compile_hint(c, "a loop does the same");
        }
    if (!check_arguments(c, node, function))
        return number(0);
    uint32_t top = c->top;
    int32_t result = new_slots(c, &node->at, 1);
    emit_move(c, result, number(0));
    compile_inlined(c, node, function, result);
    c->top = top + 1;
    return slot(result);
}

static struct operand compile_spawn(struct compiler *c, const struct node *node)
{
    const struct name *name = known_name(c, node);
    if (!name)
        return number(0);
    const struct declaration *thread = name->declaration;
    if (name->kind != NAMES_THREAD) {
        compile_fail(c, &node->at, "'%.60s' is %s, not a thread", node->name, kind_word(name->kind));
        return number(0);
    }
    if (thread->single || thread->last) {
        compile_fail(c, &node->at, "thread '%.60s' starts by itself", node->name);
        compile_hint(c, "declare it as: thread %.60s() { ... }", node->name);
        return number(0);
    }
    if (!check_arguments(c, node, thread))
        return number(0);
    uint32_t top = c->top, children;
    int32_t first = compile_arguments(c, node->a);
    uint32_t child = new_children(c, thread, &node->at, &children);
    int32_t label = failure_label(c, &node->at, "more threads are started here than the 16 that are possible");
    struct instruction *spawn = emit_shared(c, CODE_SPAWN, "", node);
    spawn->a = first;
    spawn->b = (int32_t)children;
    spawn->c = (int32_t)child;
    spawn->d = label;
    spawn->length = length_of(node->a);
    return result_of_last(c, node, top);
}

/* -------------------------------------------------- read-modify-write, trylock */

static struct operand compile_atomic_access(struct compiler *c, const struct node *node, enum code code)
{
    uint32_t top = c->top;
    struct operand index, a = number(0), d = number(0);
    const struct name *name = compile_target(c, node->a, code == CODE_TRYLOCK ? NAMES_LOCK : NAMES_SHARED, &index);
    if (!name)
        return number(0);
    struct name target = *name;
    if (node->b)
        a = compile_expression(c, node->b);
    if (node->c)
        d = compile_expression(c, node->c);
    int32_t label = code == CODE_FETCH_ADD ? failure_label(c, &node->at, "the result does not fit into 32 bits") : -1;
    struct instruction *i = emit_shared(c, code, "", node);
    set_place(c, i, &target, index);
    set_a(i, a);
    i->flags |= SYNCHRONISES;
    if (code == CODE_CAS)
        set_d(i, d);
    else
        i->d = label;
    return result_of_last(c, node, top);
}

struct operand compile_expression(struct compiler *c, const struct node *node)
{
    if (c->status)
        return number(0);
    switch (node->kind) {
    case NODE_INTEGER: return number((int32_t)node->value);
    case NODE_NAME:
    case NODE_INDEX: return compile_read(c, node);
    case NODE_UNARY: return compile_unary(c, node);
    case NODE_BINARY: return compile_binary(c, node);
    case NODE_CONDITIONAL: return compile_choice(c, node);
    case NODE_CALL: return compile_call(c, node);
    case NODE_CAS: return compile_atomic_access(c, node, CODE_CAS);
    case NODE_FETCH_ADD: return compile_atomic_access(c, node, CODE_FETCH_ADD);
    case NODE_TRYLOCK: return compile_atomic_access(c, node, CODE_TRYLOCK);
    case NODE_SPAWN: return compile_spawn(c, node);
    default: break;
    }
    return number(0);
}

int32_t compile_constant(struct compiler *c, const struct node *node)
{
    struct discard discard = discard_begin(c);
    struct operand value = compile_expression(c, node);
    discard_end(c, &discard);
    if (!value.is_number)
        compile_fail(c, &node->at, "this must be constant");
    return value.is_number ? value.value : 0;
}

/* ------------------------------------------------------------------ branches */

void jump_unless(struct compiler *c, enum operation operation, struct operand a, struct operand b, int32_t label)
{
    int32_t folded;
    if (a.is_number && b.is_number && calculate(operation, a.value, b.value, &folded)) {
        if (!folded)
            emit_jump(c, label);
        return;
    }
    struct instruction *i = emit(c, CODE_JUMP_NOT);
    i->operation = (uint8_t)operation;
    i->c = label;
    set_a(i, a);
    set_b(i, b);
}

void branch(struct compiler *c, const struct node *node, int32_t label, bool when)
{
    uint32_t top = c->top;
    if (c->status)
        return;
    if (node->kind == NODE_STEP) {
        compile_printed_condition(c, node, label, when);
    } else if (node->kind == NODE_UNARY && node->operation == OPERATION_NOT) {
        branch(c, node->a, label, !when);
    } else if (is_constant(c, node)) {
        if ((compile_constant(c, node) != 0) == when)
            emit_jump(c, label);
    } else if (node->kind == NODE_BINARY && (node->operation == OPERATION_AND || node->operation == OPERATION_OR)) {
        if (when == (node->operation == OPERATION_OR)) { /* either of the two jumps */
            branch(c, node->a, label, when);
            branch(c, node->b, label, when);
        } else {
            int32_t past = new_label(c);
            branch(c, node->a, past, !when);
            branch(c, node->b, label, when);
            place_label(c, past);
        }
    } else if (node->kind == NODE_BINARY && node->operation >= OPERATION_EQUAL) {
        struct operand a = compile_expression(c, node->a), b = compile_expression(c, node->b);
        jump_unless(c, when ? opposite(node->operation) : node->operation, a, b, label);
    } else {
        struct operand value = compile_expression(c, node);
        jump_unless(c, when ? OPERATION_EQUAL : OPERATION_NOT_EQUAL, value, number(0), label);
    }
    c->top = top;
}
