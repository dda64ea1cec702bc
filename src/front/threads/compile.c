/* SPDX-License-Identifier: Apache-2.0 */
/* Globals, agents, labels and failures; the rest of the compiler is in compile_expression.c and compile_statement.c. */
#include "front/threads/compile.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "front/threads/repetition.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_CODE = 1 << 17,
    MOST_AGENTS = 1000,
    MOST_CHILDREN = 16, /* of one spawn in one agent */
    SHOWN_TEXT = 48     /* of a step, in its name */
};

/* ------------------------------------------------------------------- errors */

void compile_fail(struct compiler *c, const struct position *at, const char *format, ...)
{
    char message[256];
    va_list arguments;
    if (c->status)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    c->status = lexer_fail(&c->syntax->lexer, at, c->error, "%s", message);
}

void compile_hint(struct compiler *c, const char *format, ...)
{
    char text[200];
    va_list arguments;
    if (c->status != PORTOLAN_BAD_INPUT || (c->error && c->error->hint[0]))
        return; /* the first error has its hint */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hint(c->error, "%s", text);
}

void compile_memory(struct compiler *c)
{
    if (!c->status)
        c->status = fail_memory(c->error);
}

unsigned line_of(const struct compiler *c, const struct position *at)
{
    return c->syntax->expansion ? expansion_line(c->syntax->expansion, at) : at->line;
}

/* --------------------------------------------------------------------- code */

struct instruction *emit(struct compiler *c, enum code code)
{
    struct model *m = c->model;
    struct instruction instruction = {.code = (uint8_t)code, .d = -1};
    if (c->atomic && c->synchronising)
        instruction.flags = SYNCHRONISES;
    if (m->code.count >= MOST_CODE) {
        compile_fail(c, &c->syntax->lexer.token.at, "the program is too large (more than %d instructions)", MOST_CODE);
        compile_hint(c, "every thread and every call of a function has code of its own");
    }
    if (c->status || !vector_push(&m->code, instruction)) {
        compile_memory(c);
        c->spare = instruction;
        return &c->spare;
    }
    return &m->code.item[m->code.count - 1];
}

/* The text as it was written, on one line and cut to a reasonable length. */
static void plain_text(const struct node *node, char *out, size_t size)
{
    size_t used = 0;
    bool space = false;
    for (size_t i = 0; i < node->length && used + 1 < size; i++) {
        char ch = node->start[i];
        if (strchr(" \t\r\n", ch)) {
            space = used > 0;
            continue;
        }
        if (used >= SHOWN_TEXT) {
            used += (size_t)snprintf(out + used, size - used, "...");
            break;
        }
        if (space)
            out[used++] = ' ';
        space = false;
        out[used++] = (unsigned char)ch < ' ' || ch == 0x7f ? '?' : ch;
    }
    out[used < size ? used : size - 1] = '\0';
}

static const char *agent_name(const struct compiler *c)
{
    return c->model->processes.item[c->agent].name;
}

/* "reader[1]:12 read x" */
static const char *step_name(struct compiler *c, unsigned line, const char *verb, const struct node *text)
{
    char words[128], shown[SHOWN_TEXT + 8] = "";
    const char *agent = agent_name(c);
    if (text)
        plain_text(text, shown, sizeof shown);
    snprintf(words, sizeof words, ":%u %s%s%s", line, verb, *verb && *shown ? " " : "", shown);
    char *name = arena_get(&c->model->arena, strlen(agent) + strlen(words) + 1);
    if (name)
        strcat(strcpy(name, agent), words);
    return name;
}

void begin_step(struct compiler *c, const char *verb, const struct node *text)
{
    struct model *m = c->model;
    if (c->atomic)
        return;
    if (c->text) {
        text = c->text;
        verb = "";
    }
    emit(c, CODE_REST)->c = (int32_t)m->locations.count;
    if (c->discarding || c->status)
        return;
    unsigned line = text ? line_of(c, &text->at) : c->agents.item[c->agent].thread->at.line;
    struct location location = {.process = c->agent, .live = c->top, .line = line, .dead = MODEL_NONE};
    location.place = (uint32_t)m->code.count - 1;
    struct action action = {.process = c->agent, .line = line, .common = MODEL_NONE};
    action.name = step_name(c, line, verb, text);
    model_action(m, action);
    model_edge(m, model_location(m, location), (uint32_t)m->code.count);
    if (!action.name || m->failed)
        compile_memory(c);
}

struct instruction *emit_shared(struct compiler *c, enum code code, const char *verb, const struct node *text)
{
    begin_step(c, verb, text);
    return emit(c, code);
}

static void set_operand(struct instruction *i, int32_t *field, unsigned flag, struct operand operand)
{
    *field = operand.value;
    if (operand.is_number)
        i->flags |= (uint8_t)flag;
}

void set_a(struct instruction *i, struct operand operand)
{
    set_operand(i, &i->a, A_IS_NUMBER, operand);
}

void set_b(struct instruction *i, struct operand operand)
{
    set_operand(i, &i->b, B_IS_NUMBER, operand);
}

void set_d(struct instruction *i, struct operand operand)
{
    set_operand(i, &i->d, D_IS_NUMBER, operand);
}

int32_t new_label(struct compiler *c)
{
    if (!vector_push(&c->labels, -1))
        compile_memory(c);
    return (int32_t)c->labels.count - 1;
}

void place_label(struct compiler *c, int32_t label)
{
    if (!c->status)
        c->labels.item[label] = (int32_t)c->model->code.count;
    c->last_label = c->model->code.count;
}

void emit_jump(struct compiler *c, int32_t label)
{
    emit(c, CODE_JUMP)->c = label;
}

/* What was just calculated for nothing but this move goes to its place at once. */
static bool retarget(struct compiler *c, int32_t from, int32_t to)
{
    struct model *m = c->model;
    if (c->status || from < (int32_t)c->temporaries || m->code.count == 0 || c->last_label == m->code.count)
        return false;
    struct instruction *last = &m->code.item[m->code.count - 1];
    bool writes = last->code == CODE_TRUTH || last->code == CODE_CALCULATE || last->code == CODE_REGISTER_LOAD ||
                  last->code == CODE_LOAD;
    if (!writes || last->dst != from)
        return false;
    last->dst = to;
    return true;
}

void emit_move(struct compiler *c, int32_t to, struct operand value)
{
    if (!value.is_number && (value.value == to || retarget(c, value.value, to)))
        return;
    struct instruction *i = emit(c, CODE_MOVE);
    i->dst = to;
    set_a(i, value);
}

int32_t failure_label(struct compiler *c, const struct position *at, const char *reason)
{
    unsigned line = line_of(c, at);
    for (size_t i = 0; i < c->failing.count; i++)
        if (c->failing.item[i].line == line && strcmp(c->failing.item[i].reason, reason) == 0)
            return c->failing.item[i].label;
    struct pending_failure pending = {.label = new_label(c), .line = line, .reason = model_copy(c->model, reason)};
    pending.scope = (uint32_t)c->model->code.count;
    if (!pending.reason || !vector_push(&c->failing, pending))
        compile_memory(c);
    return pending.label;
}

int32_t new_slots(struct compiler *c, const struct position *at, uint32_t count)
{
    int32_t slot = (int32_t)c->top;
    if (count > MOST_CELLS || c->top + count > MOST_CELLS) {
        compile_fail(c, at, "the local variables need more than %d cells", MOST_CELLS);
        return slot;
    }
    c->top += count;
    if (c->top > c->most)
        c->most = c->top;
    return slot;
}

struct discard discard_begin(struct compiler *c)
{
    const struct model *m = c->model;
    c->discarding++;
    return (struct discard){m->code.count, c->failing.count, m->variables.count, c->top};
}

void discard_end(struct compiler *c, const struct discard *discard)
{
    c->discarding--;
    c->model->code.count = discard->code;
    c->failing.count = discard->failing;
    c->model->variables.count = discard->variables;
    c->top = discard->top;
}

/* -------------------------------------------------------------------- names */

struct name *find_name(struct compiler *c, const char *name)
{
    for (size_t i = c->names.count; i > c->visible; i--)
        if (strcmp(c->names.item[i - 1].name, name) == 0)
            return &c->names.item[i - 1];
    for (size_t i = 0; i < c->globals; i++)
        if (strcmp(c->names.item[i].name, name) == 0)
            return &c->names.item[i];
    return NULL;
}

struct name *declare_name(struct compiler *c, struct name name, const struct position *at)
{
    name.line = line_of(c, at);
    if (!vector_push(&c->names, name)) {
        compile_memory(c);
        return NULL;
    }
    return &c->names.item[c->names.count - 1];
}

/* ------------------------------------------------------------------- globals */

/* How many elements a declaration has. */
static uint32_t size_of(struct compiler *c, const struct declaration *d)
{
    if (!d->size)
        return 1;
    int32_t size = compile_constant(c, d->size);
    if (size < 1 || size > MOST_CELLS)
        compile_fail(c, &d->size->at, "an array has from 1 to %d elements, not %d", MOST_CELLS, size);
    return c->status ? 1 : (uint32_t)size;
}

static const char *element_name(struct compiler *c, const struct declaration *d, uint32_t index)
{
    char text[300];
    if (d->is_array)
        snprintf(text, sizeof text, "%.256s[%u]", d->name, index);
    else
        snprintf(text, sizeof text, "%.256s", d->name);
    char *name = arena_copy(&c->model->arena, text, strlen(text));
    if (!name)
        compile_memory(c);
    return name;
}

void add_variable(struct compiler *c, struct variable variable)
{
    if (!variable.name || !vector_push(&c->model->variables, variable))
        compile_memory(c);
}

/* Variables and locks: cells with their initial values and names. */
static void declare_cells(struct compiler *c, const struct declaration *d, struct name *name)
{
    struct model *m = c->model;
    const struct node *value = d->kind == DECLARED_VARIABLE ? d->values : NULL;
    uint32_t first = (uint32_t)m->cells.count;
    name->base = (int32_t)first;
    if (first + name->length > MOST_CELLS)
        compile_fail(c, &d->at, "the shared variables need more than %d cells", MOST_CELLS);
    for (uint32_t i = 0; i < name->length && !c->status; i++) {
        int32_t initial = value ? compile_constant(c, value) : 0;
        struct variable variable = {.name = element_name(c, d, i), .kind = VARIABLE_CELL, .what = first + i};
        struct cell cell = {.values = {INT32_MIN, INT32_MAX}, .owner = MODEL_NONE, .alike = first, .widens = true};
        add_variable(c, variable);
        if (c->status)
            return;
        cell.initial = d->type == TYPE_BOOL ? initial != 0 : initial;
        cell.object = model_object(m, variable.name);
        model_cells(m, cell, 1);
        value = value ? value->next : NULL;
    }
    if (value)
        compile_fail(c, &value->at, "'%.60s' has %u element%s, this value is one too many", d->name, name->length,
                     name->length == 1 ? "" : "s");
}

static void declare_conditions(struct compiler *c, const struct declaration *d, struct name *name)
{
    name->base = (int32_t)c->conditions;
    for (uint32_t i = 0; i < name->length && !c->status; i++) {
        struct variable variable = {
            .name = element_name(c, d, i), .kind = VARIABLE_WAITERS, .what = c->conditions++}; /* its cells follow */
        add_variable(c, variable);
    }
    if (c->conditions > MOST_AGENTS)
        compile_fail(c, &d->at, "there are more than %d condition variables", MOST_AGENTS);
}

static void declare_global(struct compiler *c, const struct declaration *d)
{
    static const enum symbol_kind kinds[] = {
        [DECLARED_CONSTANT] = NAMES_CONSTANT,   [DECLARED_VARIABLE] = NAMES_SHARED,   [DECLARED_LOCK] = NAMES_LOCK,
        [DECLARED_CONDITION] = NAMES_CONDITION, [DECLARED_FUNCTION] = NAMES_FUNCTION, [DECLARED_THREAD] = NAMES_THREAD};
    const struct name *known = find_name(c, d->name);
    if (d->kind == DECLARED_THREAD && c->syntax->expansion)
        return; /* processes of the document have no names */
    if (known) {
        compile_fail(c, &d->at, "'%.60s' is declared twice", d->name);
        compile_hint(c, "the first time on line %u", known->line);
        return;
    }
    struct name name = {.kind = kinds[d->kind], .name = d->name, .declaration = d, .type = d->type, .length = 1};
    name.is_array = d->is_array;
    name.is_atomic = d->is_atomic;
    if (d->kind == DECLARED_CONSTANT)
        name.base = compile_constant(c, d->values);
    else
        name.length = size_of(c, d);
    if (d->is_local)
        name.kind = NAMES_LOCAL; /* every agent gives it slots */
    else if (d->kind == DECLARED_VARIABLE || d->kind == DECLARED_LOCK)
        declare_cells(c, d, &name);
    else if (d->kind == DECLARED_CONDITION)
        declare_conditions(c, d, &name);
    declare_name(c, name, &d->at);
    c->globals = c->visible = c->names.count;
}

/* -------------------------------------------------------------------- agents */

static void add_agent(struct compiler *c, const struct declaration *thread, const struct position *at, uint32_t parent,
                      int32_t number, bool numbered)
{
    char text[300];
    if (numbered)
        snprintf(text, sizeof text, "%.256s[%d]", thread->name, number);
    else
        snprintf(text, sizeof text, "%.256s", thread->name);
    struct agent agent = {.thread = thread, .parent = parent, .number = number};
    if (c->agents.count >= MOST_AGENTS) {
        compile_fail(c, at, "there are more than %d threads", MOST_AGENTS);
        return;
    }
    uint32_t process = model_process(c->model, text);
    if (c->model->failed || !vector_push(&c->agents, agent)) {
        compile_memory(c);
        return;
    }
    c->model->processes.item[process].values = (struct range){INT32_MIN, INT32_MAX};
}

static void add_instances(struct compiler *c, const struct declaration *d)
{
    if (d->single)
        add_agent(c, d, &d->at, MODEL_NONE, 0, false);
    if (!d->last)
        return;
    int32_t first = d->first ? compile_constant(c, d->first) : 0, last = compile_constant(c, d->last);
    if (!d->first && last-- < 1)
        compile_fail(c, &d->last->at, "a thread has at least one instance");
    for (int64_t number = first; number <= last && !c->status; number++)
        add_agent(c, d, &d->at, MODEL_NONE, (int32_t)number, true);
}

uint32_t new_children(struct compiler *c, const struct declaration *thread, const struct position *at, uint32_t *count)
{
    uint32_t first = (uint32_t)c->agents.count;
    int32_t number = 0;
    *count = c->copies;
    if (c->copies > MOST_CHILDREN) {
        compile_fail(c, at, "this may start %u threads, more than %d", c->copies, MOST_CHILDREN);
        compile_hint(c, "declare them as instances: thread %.60s(id) * %u", thread->name, c->copies);
    }
    if (c->discarding)
        return first;
    for (uint32_t a = c->agent; a != MODEL_NONE && !c->status; a = c->agents.item[a].parent)
        if (c->agents.item[a].thread == thread) {
            compile_fail(c, at, "thread '%.60s' would start itself endlessly", thread->name);
            compile_hint(c, "every thread a program can have must be known before it runs");
        }
    for (uint32_t i = first; i > 0; i--)
        number += c->agents.item[i - 1].thread == thread;
    for (uint32_t i = 0; i < *count && !c->status; i++)
        add_agent(c, thread, at, c->agent, number++, true);
    return first;
}

/* The document's local variables: registers from the start, which last to the end. */
static void declare_printed_locals(struct compiler *c)
{
    for (size_t i = 0; i < c->globals && !c->status; i++) {
        struct name *name = &c->names.item[i];
        if (name->kind != NAMES_LOCAL)
            continue;
        name->base = new_slots(c, &name->declaration->at, name->length);
        const struct node *value = name->declaration->values;
        for (uint32_t k = 0; k < name->length && !c->status; k++) {
            emit_move(c, name->base + (int32_t)k, number(value ? compile_constant(c, value) : 0));
            value = value ? value->next : NULL;
        }
        name_local(c, name->name, name->base, name->length, name->is_array);
    }
}

/* Parameters: the number of an instance is a constant, what spawn gives is in the first registers. */
static void declare_parameters(struct compiler *c, const struct declaration *thread)
{
    for (const struct node *node = thread->parameters; node; node = node->next) {
        struct name name = {.name = node->name, .type = node->type, .length = 1};
        if (thread->last) {
            name.kind = NAMES_CONSTANT;
            name.base = c->agents.item[c->agent].number;
        } else {
            name.kind = NAMES_LOCAL;
            name.base = new_slots(c, &node->at, 1);
            name_local(c, node->name, name.base, 1, false);
        }
        declare_name(c, name, &node->at);
    }
}

static void resolve(struct compiler *c, int32_t *target)
{
    *target = c->labels.item[*target];
}

static void resolve_labels(struct compiler *c, size_t from)
{
    for (size_t at = from; at < c->model->code.count && !c->status; at++) {
        struct instruction *i = &c->model->code.item[at];
        if (has_jump(i))
            resolve(c, &i->c);
        if (has_failure_jump(i))
            resolve(c, &i->d);
    }
}

/* Can control come from `at` to `wanted` without a step? */
static bool runs_to(const struct model *m, uint32_t at, uint32_t wanted, uint32_t *seen, uint32_t entry)
{
    VECTOR(uint32_t) open = {0};
    bool found = !vector_push(&open, at);
    while (open.count && !found) {
        at = open.item[--open.count];
        const struct instruction *i = &m->code.item[at];
        found = at == wanted;
        if (found || seen[at - entry] == wanted)
            continue;
        seen[at - entry] = wanted;
        if (has_jump(i))
            found |= !vector_push(&open, (uint32_t)i->c);
        if (goes_on(i))
            found |= !vector_push(&open, at + 1);
    }
    free(open.item);
    return found;
}

/* A loop with a step on every way round cannot run away. */
static void relax_loops(struct compiler *c, uint32_t entry)
{
    struct model *m = c->model;
    size_t length = m->code.count - entry;
    uint32_t *seen = calloc(length + 1, sizeof *seen); /* by the last jump that was followed; none is at 0 */
    for (uint32_t at = entry; seen && at < m->code.count && !c->status; at++) {
        struct instruction *i = &m->code.item[at];
        if (i->code != CODE_JUMP_BACK)
            continue;
        if (!runs_to(m, (uint32_t)i->c, at, seen, entry)) {
            i->code = CODE_JUMP;
            i->d = -1;
        }
    }
    if (!seen)
        compile_memory(c);
    free(seen);
}

/* A jump to a jump goes where that one goes; a jump to where the agent rests ends there at once. */
static void shorten_jumps(struct compiler *c, uint32_t entry)
{
    struct instruction *code = c->model->code.item;
    for (size_t at = entry; at < c->model->code.count && !c->status; at++) {
        struct instruction *i = &code[at];
        for (int k = 0; has_jump(i) && code[i->c].code == CODE_JUMP && k < 100; k++) /* a jump may lead to itself */
            i->c = code[i->c].c;
        if (i->code == CODE_JUMP && code[i->c].code == CODE_REST)
            *i = code[i->c];
    }
}

/* A process rests forever: ended, or failed. */
static void emit_end(struct compiler *c, struct location location)
{
    location.process = c->agent;
    location.dead = MODEL_NONE;
    emit(c, CODE_REST)->c = (int32_t)model_location(c->model, location);
    if (c->model->failed)
        compile_memory(c);
}

/* The registers up to the last variable there: what else a thread was calculating when it failed tells no states apart.
 */
static uint32_t registers_of_variables(const struct compiler *c, uint32_t place)
{
    uint32_t live = 0;
    for (size_t k = c->model->variables.count; k > 0; k--) {
        const struct variable *v = &c->model->variables.item[k - 1];
        if (v->kind != VARIABLE_REGISTER || v->process != c->agent)
            break;
        if (v->from <= place && place < v->to && v->what >= live)
            live = v->what + 1;
    }
    return live;
}

static void emit_failures(struct compiler *c)
{
    for (size_t k = 0; k < c->failing.count && !c->status; k++) {
        const struct pending_failure *pending = &c->failing.item[k];
        struct location failed = {.line = pending->line, .place = pending->scope, .failure = pending->reason};
        failed.live = registers_of_variables(c, pending->scope);
        place_label(c, pending->label);
        emit_end(c, failed);
    }
}

static void emit_ended(struct compiler *c)
{
    emit_end(c, (struct location){.place = (uint32_t)c->model->code.count, .is_end = true});
}

static void give_life(struct compiler *c)
{
    struct model *m = c->model;
    struct cell life = {.values = {UNBORN, ENDED}, .owner = MODEL_NONE};
    life.object = model_object(m, agent_name(c));
    life.alike = (uint32_t)m->cells.count;
    m->processes.item[c->agent].life = model_cells(m, life, 1);
}

/* An agent that is spawned begins when its cell says that it is born, and says there that it has ended. */
static void emit_begin(struct compiler *c)
{
    give_life(c);
    begin_step(c, "begins", NULL);
    if (c->status)
        return;
    model_test(c->model, c->model->processes.item[c->agent].life, BORN, BORN);
    c->model->locations.item[c->model->locations.count - 1].is_unborn = true;
}

static void emit_exit(struct compiler *c)
{
    struct instruction *i = emit_shared(c, CODE_STORE, "ends", NULL);
    i->flags |= SYNCHRONISES | A_IS_NUMBER | B_IS_NUMBER;
    i->c = (int32_t)c->model->processes.item[c->agent].life;
    i->a = ENDED;
    i->b = 0;
    if (!c->status)
        c->model->actions.item[c->model->actions.count - 1].is_block = true;
}

static void compile_agent(struct compiler *c, uint32_t agent)
{
    struct model *m = c->model;
    const struct declaration *thread = c->agents.item[agent].thread;
    uint32_t entry = (uint32_t)m->code.count;
    size_t variables = m->variables.count;
    bool spawned = c->agents.item[agent].parent != MODEL_NONE;
    c->agent = agent;
    c->names.count = c->visible = c->globals;
    c->labels.count = c->failing.count = 0;
    c->top = c->most = 0;
    c->copies = 1;
    c->endless = false;
    m->processes.item[agent].start = entry;
    struct call call = {.end = new_label(c)};
    c->call = &call;
    declare_parameters(c, thread);
    if (spawned)
        emit_begin(c);
    declare_printed_locals(c);
    compile_statement(c, thread->body);
    close_variables(c, variables);
    place_label(c, call.end);
    c->top = 0;
    if (spawned)
        emit_exit(c);
    emit_ended(c);
    emit_failures(c);
    resolve_labels(c, entry);
    relax_loops(c, entry);
    shorten_jumps(c, entry);
    m->processes.item[agent].most_registers = c->most;
    c->call = NULL;
}

/* Functions nobody calls and threads nobody starts are checked all the same. */
static void check_unused(struct compiler *c)
{
    for (size_t i = 0; i < c->globals && !c->status; i++) {
        const struct declaration *d = c->names.item[i].declaration;
        if (c->names.item[i].used || !d->body || d->single || d->last)
            continue;
        struct discard discard = discard_begin(c);
        struct call call = {.end = new_label(c), .function = d->kind == DECLARED_FUNCTION ? d : NULL};
        c->call = &call;
        c->copies = 1;
        for (const struct node *node = d->parameters; node; node = node->next) {
            struct name name = {.kind = NAMES_LOCAL, .name = node->name, .type = node->type, .length = 1};
            name.base = new_slots(c, &node->at, 1);
            declare_name(c, name, &node->at);
        }
        compile_statement(c, d->body);
        c->call = NULL;
        c->names.count = c->globals;
        discard_end(c, &discard);
    }
}

/* ---------------------------------------------------------------------- program */

static void compile_declarations(struct compiler *c)
{
    for (const struct declaration *d = c->syntax->declarations; d && !c->status; d = d->next)
        declare_global(c, d);
    for (const struct declaration *d = c->syntax->declarations; d && !c->status; d = d->next)
        if (d->kind == DECLARED_THREAD)
            add_instances(c, d);
    if (!c->status && c->agents.count == 0) {
        compile_fail(c, &c->syntax->lexer.token.at, "the program has no thread that starts by itself");
        compile_hint(c, "write thread NAME { ... } or thread NAME(id) * 3 { ... }");
    }
}

static void compile_all(struct compiler *c)
{
    compile_declarations(c);
    for (uint32_t agent = 0; agent < c->agents.count && !c->status; agent++)
        compile_agent(c, agent);
    if (!c->status)
        check_unused(c);
    if (!c->status)
        compile_end(c);
}

enum portolan_status compile_program(const struct syntax *syntax, struct model **model, struct portolan_error *error)
{
    struct compiler c = {.model = model_new("dl"), .syntax = syntax, .error = error, .copies = 1};
    *model = NULL;
    if (!c.model)
        return fail_memory(error);
    c.model->in_columns = true;
    model_type(c.model, INTEGER_32);
    compile_all(&c);
    if (c.model->failed)
        compile_memory(&c);
    free(c.names.item);
    free(c.labels.item);
    free(c.failing.item);
    free(c.agents.item);
    if (c.status)
        model_free(c.model);
    else
        *model = c.model;
    return c.status;
}
