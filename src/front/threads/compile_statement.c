/* SPDX-License-Identifier: Apache-2.0 */
/* Statements. */
#include "front/threads/compile.h"

#include <stdio.h>
#include <string.h>

enum { CHILDREN_OF_LOOPS = 16 }; /* what a spawn in a loop of unknown length may start */

/* -------------------------------------------------------------- atomic steps */

void begin_atomic(struct compiler *c, const struct node *text, bool synchronising)
{
    if (c->atomic == 0) {
        begin_step(c, "", text);
        if (!c->discarding && !c->status)
            c->model->actions.item[c->model->actions.count - 1].is_block = true;
        c->synchronising = synchronising;
    }
    c->atomic++;
}

void end_atomic(struct compiler *c)
{
    c->atomic--;
}

static void compile_await(struct compiler *c, const struct node *node)
{
    begin_atomic(c, node, true);
    struct operand value = compile_expression(c, node->a);
    set_a(emit(c, CODE_REQUIRE), value);
    end_atomic(c);
}

static void compile_atomic(struct compiler *c, const struct node *node)
{
    begin_atomic(c, node, true);
    compile_statement(c, node->a);
    end_atomic(c);
}

/* ------------------------------------------------------ steps of the document */

static unsigned count_shared(struct compiler *c, const struct node *node)
{
    if (!node)
        return 0;
    unsigned count = count_shared(c, node->a) + count_shared(c, node->b) + count_shared(c, node->c);
    if (node->kind == NODE_NAME || node->kind == NODE_INDEX) {
        const struct name *name = find_name(c, node->name);
        count += name && name->kind == NAMES_SHARED;
    }
    return count;
}

/* With one shared access it is a step anyway; with none or several it becomes one. */
static void compile_printed_statement(struct compiler *c, const struct node *step)
{
    if (count_shared(c, step->a) == 1) {
        c->text = step;
        compile_statement(c, step->a);
        c->text = NULL;
        return;
    }
    begin_atomic(c, step, false);
    compile_statement(c, step->a);
    end_atomic(c);
}

void compile_printed_condition(struct compiler *c, const struct node *step, int32_t label, bool when)
{
    if (count_shared(c, step->a) == 1) {
        c->text = step;
        branch(c, step->a, label, when);
        c->text = NULL;
        return;
    }
    begin_atomic(c, step, false);
    struct operand value = compile_expression(c, step->a);
    end_atomic(c);
    jump_unless(c, when ? OPERATION_EQUAL : OPERATION_NOT_EQUAL, value, number(0), label);
}

/* ---------------------------------------------------------------- assignments */

/* A value for a variable: booleans are 0 or 1. */
static struct operand as_type(struct compiler *c, const struct node *node, struct operand value, enum type type)
{
    if (type != TYPE_BOOL)
        return value;
    if (value.is_number)
        return number(value.value != 0);
    struct operand truth = slot(new_slots(c, &node->at, 1));
    struct instruction *i = emit(c, CODE_TRUTH);
    i->dst = truth.value;
    set_a(i, value);
    return truth;
}

static void store(struct compiler *c, const struct node *node, const struct name *name, struct operand index,
                  struct operand value)
{
    value = as_type(c, node, value, name->type);
    if (name->kind == NAMES_LOCAL && index.is_number) {
        emit_move(c, name->base + index.value, value);
        return;
    }
    struct instruction *i;
    if (name->kind == NAMES_LOCAL) {
        i = emit(c, CODE_REGISTER_STORE);
        i->c = name->base;
        i->length = name->length;
        set_b(i, index);
    } else {
        i = emit_shared(c, CODE_STORE, "", node);
        set_place(c, i, name, index);
    }
    set_a(i, value);
}

static void compile_assignment(struct compiler *c, const struct node *node)
{
    struct operand index;
    const struct name *found = compile_variable(c, node->a, &index);
    if (!found)
        return;
    struct name name = *found;
    struct operand value = compile_expression(c, node->b);
    store(c, node, &name, index, value);
}

/* x += e: the value of x is read first, in a step of its own. */
static void compile_update(struct compiler *c, const struct node *node)
{
    struct operand index;
    const struct name *found = compile_variable(c, node->a, &index);
    if (!found)
        return;
    struct name name = *found;
    struct operand old = compile_load(c, node->a, &name, index, c->top), by = compile_expression(c, node->b);
    struct operand sum = calculate_values(c, node, node->operation, old, by, c->top);
    store(c, node, &name, index, sum);
}

/* ---------------------------------------------------------------- declarations */

void name_local(struct compiler *c, const char *name, int32_t base, uint32_t length, bool is_array)
{
    struct model *m = c->model;
    if (c->discarding || c->status || c->call->function)
        return;
    unsigned before = 0;
    char text[700], index[16] = "";
    size_t start = strlen(m->processes.item[c->agent].name) + 1, written = strlen(name);
    for (size_t k = m->variables.count; k > 0; k--) {
        const struct variable *v = &m->variables.item[k - 1];
        if (v->kind != VARIABLE_REGISTER || v->process != c->agent)
            break;
        const char *rest = v->name + start + written, *element = strchr(v->name + start, '[');
        before += strncmp(v->name + start, name, written) == 0 && (!*rest || strchr("[#", *rest)) &&
                  (!element || strcmp(element, "[0]") == 0);
    }
    for (uint32_t k = 0; k < length; k++) {
        if (is_array)
            snprintf(index, sizeof index, "[%u]", k);
        if (before)
            snprintf(text, sizeof text, "%s.%.256s#%u%s", m->processes.item[c->agent].name, name, before + 1, index);
        else
            snprintf(text, sizeof text, "%s.%.256s%s", m->processes.item[c->agent].name, name, index);
        struct variable variable = {.kind = VARIABLE_REGISTER, .process = c->agent, .what = (uint32_t)base + k};
        variable.from = (uint32_t)m->code.count;
        variable.to = UINT32_MAX;
        variable.name = arena_copy(&m->arena, text, strlen(text));
        if (!variable.name || !vector_push(&m->variables, variable))
            compile_memory(c);
    }
}

void close_variables(struct compiler *c, size_t from)
{
    struct model *m = c->model;
    for (size_t k = from; k < m->variables.count; k++)
        if (m->variables.item[k].to == UINT32_MAX)
            m->variables.item[k].to = (uint32_t)m->code.count;
}

static void declare_local(struct compiler *c, const struct node *node, struct name name, size_t scope)
{
    for (size_t i = scope; i < c->names.count; i++)
        if (strcmp(c->names.item[i].name, node->name) == 0) {
            compile_fail(c, &node->at, "'%.60s' is declared twice", node->name);
            compile_hint(c, "the first time on line %u", c->names.item[i].line);
        }
    declare_name(c, name, &node->at);
    name_local(c, node->name, name.base, name.length, name.is_array);
}

static void compile_declaration(struct compiler *c, const struct node *node, size_t scope)
{
    struct name name = {.kind = NAMES_LOCAL, .name = node->name, .type = node->type, .is_array = node->is_array};
    name.length = 1;
    uint32_t top = c->top;
    struct operand value = number(0);
    if (node->is_array) {
        int32_t size = compile_constant(c, node->a);
        if (size < 1 || size > 4096)
            compile_fail(c, &node->a->at, "a local array has from 1 to 4096 elements, not %d", size);
        name.length = c->status ? 1 : (uint32_t)size;
    } else if (node->b) {
        value = as_type(c, node, compile_expression(c, node->b), node->type);
    }
    c->top = top;
    name.base = new_slots(c, &node->at, name.length);
    if (node->is_array) {
        struct instruction *clear = emit(c, CODE_CLEAR);
        clear->dst = name.base;
        clear->c = (int32_t)name.length;
    } else {
        emit_move(c, name.base, value);
    }
    declare_local(c, node, name, scope);
}

/* ------------------------------------------------------------------- branches */

static void compile_if(struct compiler *c, const struct node *node)
{
    if (is_constant(c, node->a)) {
        bool truth = compile_constant(c, node->a) != 0;
        if (truth ? node->b : node->c)
            compile_statement(c, truth ? node->b : node->c);
        return;
    }
    int32_t otherwise = new_label(c), end = new_label(c);
    branch(c, node->a, otherwise, false);
    if (node->b)
        compile_statement(c, node->b);
    if (node->c)
        emit_jump(c, end);
    place_label(c, otherwise);
    if (node->c)
        compile_statement(c, node->c);
    place_label(c, end);
}

static void jump_back(struct compiler *c, const struct node *node, int32_t label)
{
    int32_t runaway = failure_label(c, &node->at, "the loop runs forever without a shared access");
    struct instruction *i = emit(c, CODE_JUMP_BACK);
    i->c = label;
    i->d = runaway;
}

static void compile_while(struct compiler *c, const struct node *node)
{
    struct loop loop = {.outer = c->loop, .end = new_label(c), .next = new_label(c)};
    int32_t start = new_label(c);
    uint32_t copies = c->copies;
    bool endless = c->endless;
    c->loop = &loop;
    c->copies = CHILDREN_OF_LOOPS;
    c->endless = true;
    place_label(c, start);
    branch(c, node->a, loop.end, false);
    compile_statement(c, node->b);
    place_label(c, loop.next);
    if (node->c)
        compile_statement(c, node->c);
    jump_back(c, node, start);
    place_label(c, loop.end);
    c->loop = loop.outer;
    c->copies = copies;
    c->endless = endless;
}

/* How often spawns in the body may run. */
static void multiply_copies(struct compiler *c, const struct node *node)
{
    if (c->endless)
        return;
    if (!is_constant(c, node->a) || !is_constant(c, node->b)) {
        c->copies = CHILDREN_OF_LOOPS;
        c->endless = true;
        return;
    }
    int64_t rounds = (int64_t)compile_constant(c, node->b) - compile_constant(c, node->a) + 1;
    uint64_t copies = rounds < 1 ? 1 : c->copies * (uint64_t)rounds;
    c->copies = copies < 1000000 ? (uint32_t)copies : 1000000;
}

static void compile_range(struct compiler *c, const struct node *node)
{
    struct loop loop = {.outer = c->loop, .end = new_label(c), .next = new_label(c)};
    int32_t start = new_label(c);
    size_t names = c->names.count, variables = c->model->variables.count;
    uint32_t copies = c->copies, top = c->top;
    bool endless = c->endless;
    struct name counter = {.kind = NAMES_LOCAL, .name = node->name, .type = TYPE_INT, .length = 1, .read_only = true};
    multiply_copies(c, node);
    struct operand value = compile_expression(c, node->a);
    c->top = top;
    counter.base = new_slots(c, &node->at, 1);
    emit_move(c, counter.base, value);
    struct operand i = slot(counter.base), last = compile_expression(c, node->b);
    if (!last.is_number) { /* the limit is that of the start */
        c->top = top + 1;
        int32_t limit = new_slots(c, &node->at, 1);
        emit_move(c, limit, last);
        last.value = limit;
    }
    declare_local(c, node, counter, names);
    c->loop = &loop;
    jump_unless(c, OPERATION_LESS_EQUAL, i, last, loop.end);
    place_label(c, start);
    compile_statement(c, node->c);
    place_label(c, loop.next);
    jump_unless(c, OPERATION_LESS, i, last, loop.end);
    struct instruction *add = emit(c, CODE_CALCULATE);
    add->operation = OPERATION_ADD;
    add->dst = counter.base;
    set_a(add, i);
    set_b(add, number(1));
    jump_back(c, node, start);
    place_label(c, loop.end);
    c->loop = loop.outer;
    c->copies = copies;
    c->endless = endless;
    c->names.count = names;
    close_variables(c, variables);
}

static void compile_leave(struct compiler *c, const struct node *node)
{
    if (!c->loop)
        compile_fail(c, &node->at, "this is not inside a loop");
    else
        emit_jump(c, node->kind == NODE_BREAK ? c->loop->end : c->loop->next);
}

static void compile_return(struct compiler *c, const struct node *node)
{
    const struct declaration *function = c->call->function;
    if (node->a && (!function || function->type == TYPE_VOID)) {
        compile_fail(c, &node->a->at, "%s gives no value", function ? "a void function" : "a thread");
    } else if (!node->a && function && function->type != TYPE_VOID) {
        compile_fail(c, &node->at, "'%.60s' must return a value", function->name);
    } else if (node->a) {
        struct operand value = as_type(c, node, compile_expression(c, node->a), function->type);
        emit_move(c, c->call->result, value);
    }
    emit_jump(c, c->call->end);
}

static void compile_assert(struct compiler *c, const struct node *node)
{
    branch(c, node->a, failure_label(c, &node->at, "the assertion does not hold"), false);
}

/* ------------------------------------------------------------- synchronisation */

static void compile_lock(struct compiler *c, const struct node *node)
{
    struct operand index;
    const struct name *name = compile_target(c, node->a, NAMES_LOCK, &index);
    if (!name)
        return;
    bool unlocks = node->kind == NODE_UNLOCK;
    int32_t label = unlocks ? failure_label(c, &node->at, "the lock is not held by this thread") : -1;
    struct instruction *i = emit_shared(c, unlocks ? CODE_UNLOCK : CODE_LOCK, "", node);
    set_place(c, i, name, index);
    i->flags |= SYNCHRONISES;
    i->d = label;
}

static void compile_signal(struct compiler *c, const struct node *node)
{
    struct operand index;
    const struct name *name = compile_target(c, node->a, NAMES_CONDITION, &index);
    if (name)
        set_place(c, emit_shared(c, node->kind == NODE_SIGNAL ? CODE_SIGNAL : CODE_BROADCAST, "", node), name, index);
}

/* Three steps: release and join the waiters; wake; take the lock again. */
static void compile_wait(struct compiler *c, const struct node *node)
{
    struct operand condition_index, lock_index;
    if (c->atomic) {
        compile_fail(c, &node->at, "wait cannot be part of an atomic step");
        compile_hint(c, "within atomic { } use await(...)");
        return;
    }
    const struct name *found = compile_target(c, node->a, NAMES_CONDITION, &condition_index);
    if (!found)
        return;
    struct name condition = *found;
    const struct name *lock = compile_target(c, node->b, NAMES_LOCK, &lock_index);
    if (!lock)
        return;
    int32_t label = failure_label(c, &node->at, "wait without holding the lock");
    struct instruction *i = emit_shared(c, CODE_WAIT, "", node);
    set_place(c, i, &condition, condition_index);
    i->dst = lock->base;
    i->locks = lock->length;
    i->d = label;
    if (lock_index.is_number) {
        i->dst += lock_index.value;
        i->locks = 1;
        set_a(i, number(0));
    } else {
        set_a(i, lock_index);
    }
    set_place(c, emit_shared(c, CODE_WAKE, "wake from", node), &condition, condition_index);
    i = emit_shared(c, CODE_LOCK, "lock again after", node);
    set_place(c, i, lock, lock_index);
    i->flags |= SYNCHRONISES;
}

static void compile_join(struct compiler *c, const struct node *node)
{
    struct operand thread = compile_expression(c, node->a);
    int32_t label = failure_label(c, &node->at, "there is no such thread to join");
    struct instruction *i = emit_shared(c, CODE_JOIN, "", node);
    set_a(i, thread);
    i->d = label;
}

/* ---------------------------------------------------------------------- lists */

/* In a scope of its own. */
static void compile_list(struct compiler *c, const struct node *list)
{
    size_t names = c->names.count, variables = c->model->variables.count;
    uint32_t top = c->top;
    for (; list && !c->status; list = list->next)
        if (list->kind == NODE_DECLARE)
            compile_declaration(c, list, names);
        else
            compile_statement(c, list);
    close_variables(c, variables);
    c->names.count = names;
    c->top = top;
}

void compile_statement(struct compiler *c, const struct node *node)
{
    uint32_t top = c->top, temporaries = c->temporaries;
    if (c->status)
        return;
    c->temporaries = top;
    switch (node->kind) {
    case NODE_BLOCK: compile_list(c, node->a); break;
    case NODE_ASSIGN: compile_assignment(c, node); break;
    case NODE_UPDATE: compile_update(c, node); break;
    case NODE_IF: compile_if(c, node); break;
    case NODE_WHILE: compile_while(c, node); break;
    case NODE_FOR_RANGE: compile_range(c, node); break;
    case NODE_BREAK:
    case NODE_CONTINUE: compile_leave(c, node); break;
    case NODE_RETURN: compile_return(c, node); break;
    case NODE_EXPRESSION: compile_expression(c, node->a); break;
    case NODE_LOCK:
    case NODE_UNLOCK: compile_lock(c, node); break;
    case NODE_WAIT: compile_wait(c, node); break;
    case NODE_SIGNAL:
    case NODE_BROADCAST: compile_signal(c, node); break;
    case NODE_AWAIT: compile_await(c, node); break;
    case NODE_ATOMIC: compile_atomic(c, node); break;
    case NODE_ASSERT: compile_assert(c, node); break;
    case NODE_JOIN: compile_join(c, node); break;
    case NODE_STEP: compile_printed_statement(c, node); break;
    case NODE_DECLARE: compile_list(c, node); break; /* alone: a scope of its own */
    default: break;
    }
    c->top = top;
    c->temporaries = temporaries;
}
