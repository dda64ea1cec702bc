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
    MOST_CELLS = 1 << 16, /* of a state: it is copied on the stack */
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
    struct program *p = c->program;
    struct instruction instruction = {.code = (uint8_t)code, .d = -1};
    if (p->code.count >= MOST_CODE) {
        compile_fail(c, &c->syntax->lexer.token.at, "the program is too large (more than %d instructions)", MOST_CODE);
        compile_hint(c, "every thread and every call of a function has code of its own");
    }
    if (c->status || !vector_push(&p->code, instruction)) {
        compile_memory(c);
        c->spare = instruction;
        return &c->spare;
    }
    return &p->code.item[p->code.count - 1];
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

/* "reader[1]:12 read x" */
static const char *step_name(struct compiler *c, unsigned line, const char *verb, const struct node *text)
{
    char words[128], shown[SHOWN_TEXT + 8] = "";
    struct program *p = c->program;
    const struct agent *agent = &p->agents.item[c->agent];
    if (text)
        plain_text(text, shown, sizeof shown);
    snprintf(words, sizeof words, ":%u %s%s%s", line, verb, *verb && *shown ? " " : "", shown);
    char *name = arena_get(&p->arena, strlen(agent->name) + strlen(words) + 1);
    if (name)
        strcat(strcpy(name, agent->name), words);
    return name;
}

struct instruction *emit_shared(struct compiler *c, enum code code, const char *verb, const struct node *text)
{
    struct instruction *i = emit(c, code);
    struct program *p = c->program;
    if (c->atomic)
        return i;
    i->flags = IS_STEP;
    i->live = c->top;
    if (c->discarding || c->status)
        return i;
    if (c->text) {
        text = c->text;
        verb = "";
    }
    unsigned line = text ? line_of(c, &text->at) : p->agents.item[c->agent].thread->at.line;
    struct point point = {.agent = c->agent, .at = (uint32_t)p->code.count - 1, .line = line};
    point.name = step_name(c, line, verb, text);
    i->point = (uint32_t)p->points.count;
    if (!point.name || !vector_push(&p->points, point))
        compile_memory(c);
    return i;
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
        c->labels.item[label] = (int32_t)c->program->code.count;
}

void emit_jump(struct compiler *c, int32_t label)
{
    emit(c, CODE_JUMP)->c = label;
}

void emit_move(struct compiler *c, int32_t slot, struct operand value)
{
    if (!value.is_number && value.value == slot)
        return;
    struct instruction *i = emit(c, CODE_MOVE);
    i->dst = slot;
    set_a(i, value);
}

int32_t failure_label(struct compiler *c, const struct position *at, const char *reason)
{
    unsigned line = line_of(c, at);
    for (size_t i = 0; i < c->failing.count; i++)
        if (c->failing.item[i].line == line && strcmp(c->failing.item[i].reason, reason) == 0)
            return c->failing.item[i].label;
    struct pending_failure pending = {.label = new_label(c), .line = line, .reason = reason};
    pending.scope = (uint32_t)c->program->code.count;
    if (!vector_push(&c->failing, pending))
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
    const struct program *p = c->program;
    c->discarding++;
    return (struct discard){p->code.count, p->points.count, c->failing.count, p->variables.count, c->top};
}

void discard_end(struct compiler *c, const struct discard *discard)
{
    struct program *p = c->program;
    c->discarding--;
    p->code.count = discard->code;
    p->points.count = discard->points;
    c->failing.count = discard->failing;
    p->variables.count = discard->variables;
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
    char *name = arena_copy(&c->program->arena, text, strlen(text));
    if (!name)
        compile_memory(c);
    return name;
}

static void add_variable(struct compiler *c, struct variable variable)
{
    if (!variable.name || !vector_push(&c->program->variables, variable))
        compile_memory(c);
}

/* Variables and locks: cells with their initial values and names. */
static void declare_cells(struct compiler *c, const struct declaration *d, struct name *name)
{
    struct program *p = c->program;
    const struct node *value = d->kind == DECLARED_VARIABLE ? d->values : NULL;
    name->base = (int32_t)p->initial_cells.count;
    if (p->initial_cells.count + name->length > MOST_CELLS)
        compile_fail(c, &d->at, "the shared variables need more than %d cells", MOST_CELLS);
    for (uint32_t i = 0; i < name->length && !c->status; i++) {
        int32_t initial = value ? compile_constant(c, value) : 0;
        struct variable variable = {.name = element_name(c, d, i), .kind = VARIABLE_CELL};
        variable.what = (uint32_t)p->initial_cells.count;
        add_variable(c, variable);
        if (!vector_push(&p->initial_cells, d->type == TYPE_BOOL ? initial != 0 : initial) ||
            !vector_push(&c->object_names, variable.name))
            compile_memory(c);
        value = value ? value->next : NULL;
    }
    if (value)
        compile_fail(c, &value->at, "'%.60s' has %u element%s, this value is one too many", d->name, name->length,
                     name->length == 1 ? "" : "s");
}

static void declare_conditions(struct compiler *c, const struct declaration *d, struct name *name)
{
    struct program *p = c->program;
    name->base = (int32_t)p->conditions;
    for (uint32_t i = 0; i < name->length && !c->status; i++) {
        struct variable variable = {.name = element_name(c, d, i), .kind = VARIABLE_CONDITION, .what = p->conditions++};
        add_variable(c, variable);
    }
    if (p->conditions > MOST_AGENTS)
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
    struct program *p = c->program;
    char text[300];
    if (numbered)
        snprintf(text, sizeof text, "%.256s[%d]", thread->name, number);
    else
        snprintf(text, sizeof text, "%.256s", thread->name);
    struct agent agent = {.thread = thread, .parent = parent, .number = number};
    agent.name = arena_copy(&p->arena, text, strlen(text));
    if (p->agents.count >= MOST_AGENTS)
        compile_fail(c, at, "there are more than %d threads", MOST_AGENTS);
    else if (!agent.name || !vector_push(&p->agents, agent))
        compile_memory(c);
}

static void add_instances(struct compiler *c, const struct declaration *d)
{
    if (d->single)
        add_agent(c, d, &d->at, UINT32_MAX, 0, false);
    if (!d->last)
        return;
    int32_t first = d->first ? compile_constant(c, d->first) : 0, last = compile_constant(c, d->last);
    if (!d->first && last-- < 1)
        compile_fail(c, &d->last->at, "a thread has at least one instance");
    for (int64_t number = first; number <= last && !c->status; number++)
        add_agent(c, d, &d->at, UINT32_MAX, (int32_t)number, true);
}

uint32_t new_children(struct compiler *c, const struct declaration *thread, const struct position *at, uint32_t *count)
{
    struct program *p = c->program;
    uint32_t first = (uint32_t)p->agents.count;
    int32_t number = 0;
    *count = c->copies;
    if (c->copies > MOST_CHILDREN) {
        compile_fail(c, at, "this may start %u threads, more than %d", c->copies, MOST_CHILDREN);
        compile_hint(c, "declare them as instances: thread %.60s(id) * %u", thread->name, c->copies);
    }
    if (c->discarding)
        return first;
    for (uint32_t a = c->agent; a != UINT32_MAX && !c->status; a = p->agents.item[a].parent)
        if (p->agents.item[a].thread == thread) {
            compile_fail(c, at, "thread '%.60s' would start itself again and again", thread->name);
            compile_hint(c, "every thread a program can have must be known before it runs");
        }
    for (uint32_t i = first; i > 0; i--)
        number += p->agents.item[i - 1].thread == thread;
    for (uint32_t i = 0; i < *count && !c->status; i++)
        add_agent(c, thread, at, c->agent, number++, true);
    return first;
}

/* The document's local variables: slots from the start, which last to the end. */
static void declare_printed_locals(struct compiler *c)
{
    for (size_t i = 0; i < c->globals && !c->status; i++) {
        struct name *name = &c->names.item[i];
        if (name->kind != NAMES_LOCAL)
            continue;
        name->base = new_slots(c, &name->declaration->at, name->length);
        const struct node *value = name->declaration->values;
        for (uint32_t k = 0; k < name->length && !c->status; k++) {
            struct operand initial = {.is_number = true, .value = value ? compile_constant(c, value) : 0};
            emit_move(c, name->base + (int32_t)k, initial);
            value = value ? value->next : NULL;
            char text[600];
            snprintf(text, sizeof text, "%s.%s", c->program->agents.item[c->agent].name,
                     element_name(c, name->declaration, k));
            struct variable variable = {.kind = VARIABLE_SLOT, .agent = c->agent, .what = (uint32_t)name->base + k};
            variable.from = (uint32_t)c->program->code.count;
            variable.to = UINT32_MAX;
            variable.name = arena_copy(&c->program->arena, text, strlen(text));
            add_variable(c, variable);
        }
    }
}

/* Parameters: the number of an instance is a constant, what spawn gives is in the first slots. */
static void declare_parameters(struct compiler *c, const struct declaration *thread)
{
    const struct agent *agent = &c->program->agents.item[c->agent];
    for (const struct node *node = thread->parameters; node; node = node->next) {
        struct name name = {.name = node->name, .type = node->type, .length = 1};
        if (thread->last) {
            name.kind = NAMES_CONSTANT;
            name.base = agent->number;
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
    for (size_t at = from; at < c->program->code.count && !c->status; at++) {
        struct instruction *i = &c->program->code.item[at];
        if (i->code >= CODE_JUMP && i->code <= CODE_JUMP_NOT)
            resolve(c, &i->c);
        if (i->code != CODE_CAS && i->d >= 0)
            resolve(c, &i->d);
    }
}

/* Can control come from `at` to `wanted` without a step? */
static bool runs_to(const struct program *p, uint32_t at, uint32_t wanted, uint32_t *seen, uint32_t entry)
{
    VECTOR(uint32_t) open = {0};
    bool found = !vector_push(&open, at);
    while (open.count && !found) {
        at = open.item[--open.count];
        const struct instruction *i = &p->code.item[at];
        found = at == wanted;
        if (found || seen[at - entry] == wanted || i->flags & IS_STEP || i->code <= CODE_FAIL)
            continue;
        seen[at - entry] = wanted;
        bool jumps = i->code >= CODE_JUMP && i->code <= CODE_JUMP_NOT;
        if (jumps)
            found |= !vector_push(&open, (uint32_t)i->c);
        if (i->code != CODE_JUMP && i->code != CODE_JUMP_BACK)
            found |= !vector_push(&open, at + 1);
    }
    free(open.item);
    return found;
}

/* A loop with a step on every way round cannot run away. */
static void relax_loops(struct compiler *c, uint32_t entry)
{
    struct program *p = c->program;
    size_t length = p->code.count - entry;
    uint32_t *seen = calloc(length + 1, sizeof *seen); /* by the last jump that was followed; none is at 0 */
    for (uint32_t at = entry; seen && at < p->code.count && !c->status; at++) {
        struct instruction *i = &p->code.item[at];
        if (i->code != CODE_JUMP_BACK)
            continue;
        if (!runs_to(p, (uint32_t)i->c, at, seen, entry)) {
            i->code = CODE_JUMP;
            i->d = -1;
        }
    }
    if (!seen)
        compile_memory(c);
    free(seen);
}

static void emit_failures(struct compiler *c)
{
    struct program *p = c->program;
    for (size_t k = 0; k < c->failing.count && !c->status; k++) {
        struct failure failure = {.agent = c->agent, .line = c->failing.item[k].line};
        failure.reason = c->failing.item[k].reason;
        failure.scope = c->failing.item[k].scope;
        place_label(c, c->failing.item[k].label);
        emit(c, CODE_FAIL)->c = (int32_t)p->failures.count;
        if (!vector_push(&p->failures, failure))
            compile_memory(c);
    }
}

static void compile_agent(struct compiler *c, uint32_t agent)
{
    struct program *p = c->program;
    const struct declaration *thread = p->agents.item[agent].thread;
    uint32_t entry = (uint32_t)p->code.count;
    size_t variables = p->variables.count;
    bool spawned = p->agents.item[agent].parent != UINT32_MAX;
    c->agent = agent;
    c->names.count = c->visible = c->globals;
    c->labels.count = c->failing.count = 0;
    c->top = c->most = 1;
    c->copies = 1;
    c->endless = false;
    p->agents.item[agent].entry = entry;
    p->agents.item[agent].first_point = (uint32_t)p->points.count;
    struct call call = {.end = new_label(c)};
    c->call = &call;
    declare_parameters(c, thread);
    if (spawned)
        emit_shared(c, CODE_BEGIN, "begins", NULL);
    declare_printed_locals(c);
    compile_body(c, thread->body);
    close_variables(c, variables);
    place_label(c, call.end);
    c->top = 1;
    if (spawned)
        emit_shared(c, CODE_EXIT, "ends", NULL);
    emit(c, CODE_END);
    emit_failures(c);
    resolve_labels(c, entry);
    relax_loops(c, entry);
    p->agents.item[agent].points = (uint32_t)p->points.count - p->agents.item[agent].first_point;
    p->agents.item[agent].slots = c->most;
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
        compile_body(c, d->body);
        c->call = NULL;
        c->names.count = c->globals;
        discard_end(c, &discard);
    }
}

/* -------------------------------------------------------------------- layout */

static void lay_out(struct compiler *c)
{
    struct program *p = c->program;
    uint64_t cells = p->shared;
    p->spawned = (uint32_t)p->agents.count - p->first_spawned;
    cells += p->spawned;
    p->condition_cells = (uint32_t)cells;
    cells += (uint64_t)p->conditions * p->agents.count;
    for (size_t i = 0; i < p->agents.count; i++) {
        p->agents.item[i].frame = (uint32_t)cells;
        cells += p->agents.item[i].slots;
    }
    p->cells = (uint32_t)((cells + 1) / 2 * 2); /* a multiple of 8 bytes */
    if (cells > MOST_CELLS)
        compile_fail(c, &c->syntax->lexer.token.at, "a state of this program needs more than %d cells", MOST_CELLS);
}

static void name_objects(struct compiler *c)
{
    struct program *p = c->program;
    uint32_t objects = program_objects(p);
    p->object_names = calloc((size_t)objects + 1, sizeof *p->object_names);
    if (!p->object_names) {
        compile_memory(c);
        return;
    }
    for (uint32_t i = 0; i < p->shared; i++)
        p->object_names[i] = c->object_names.item[i];
    for (uint32_t i = 0; i < p->spawned; i++)
        p->object_names[p->shared + i] = p->agents.item[p->first_spawned + i].name;
    for (size_t i = 0; i < p->variables.count; i++)
        if (p->variables.item[i].kind == VARIABLE_CONDITION)
            p->object_names[condition_object(p, p->variables.item[i].what)] = p->variables.item[i].name;
}

static int by_point_name(const void *left, const void *right)
{
    const struct point *const *a = left, *const *b = right;
    int order = strcmp((*a)->name, (*b)->name);
    return order ? order : (*a > *b) - (*a < *b);
}

/* Steps that read the same, on the same line, are numbered from the second on. */
static void tell_apart(struct compiler *c)
{
    struct program *p = c->program;
    struct point **sorted = calloc(p->points.count + 1, sizeof *sorted);
    if (!sorted) {
        compile_memory(c);
        return;
    }
    for (size_t i = 0; i < p->points.count; i++)
        sorted[i] = &p->points.item[i];
    qsort(sorted, p->points.count, sizeof *sorted, by_point_name);
    const char *name = "";
    unsigned same = 1;
    for (size_t i = 0; i < p->points.count && !c->status; i++) {
        same = strcmp(sorted[i]->name, name) == 0 ? same + 1 : 1;
        if (same == 1) {
            name = sorted[i]->name;
            continue;
        }
        size_t size = strlen(name) + 16;
        char *numbered = arena_get(&p->arena, size);
        if (!numbered) {
            compile_memory(c);
        } else {
            snprintf(numbered, size, "%s #%u", name, same);
            sorted[i]->name = numbered;
        }
    }
    free(sorted);
}

static void compile_all(struct compiler *c)
{
    struct program *p = c->program;
    for (const struct declaration *d = c->syntax->declarations; d && !c->status; d = d->next)
        declare_global(c, d);
    p->shared = (uint32_t)p->initial_cells.count;
    for (const struct declaration *d = c->syntax->declarations; d && !c->status; d = d->next)
        if (d->kind == DECLARED_THREAD)
            add_instances(c, d);
    if (!c->status && p->agents.count == 0) {
        compile_fail(c, &c->syntax->lexer.token.at, "the program has no thread that starts by itself");
        compile_hint(c, "write thread NAME { ... } or thread NAME(id) * 3 { ... }");
    }
    p->first_spawned = (uint32_t)p->agents.count;
    for (uint32_t agent = 0; agent < p->agents.count && !c->status; agent++)
        compile_agent(c, agent);
    if (!c->status)
        check_unused(c);
    if (!c->status)
        lay_out(c);
    if (!c->status)
        name_objects(c);
    if (!c->status)
        tell_apart(c);
}

enum portolan_status program_compile(struct program *program, const struct syntax *syntax, struct portolan_error *error)
{
    struct compiler c = {.program = program, .syntax = syntax, .error = error, .copies = 1};
    memset(program, 0, sizeof *program);
    compile_all(&c);
    free(c.names.item);
    free(c.labels.item);
    free(c.failing.item);
    free(c.object_names.item);
    if (c.status)
        program_clear(program);
    return c.status;
}

void program_clear(struct program *program)
{
    free(program->code.item);
    free(program->points.item);
    free(program->failures.item);
    free(program->agents.item);
    free(program->variables.item);
    free(program->initial_cells.item);
    free(program->object_names);
    arena_clear(&program->arena);
    memset(program, 0, sizeof *program);
}
