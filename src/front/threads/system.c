/* SPDX-License-Identifier: Apache-2.0 */
#include "front/threads/system.h"

#include "base/diagnostic.h"
#include "base/name_index.h"
#include "base/text_file.h"
#include "front/threads/machine.h"
#include "front/threads/relations.h"
#include "front/threads/repetition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thread_model {
    struct program program;
    struct thread_relations relations;
    struct portolan_rules rules;
    struct portolan_footprint footprint;
    struct name_index *actions, *variables;
    bool *varies; /* per action: what it touches depends on the values it finds */
    int32_t *initial;
    char *name;
};

static const struct portolan_stated_property assertions_hold = {
    .kind = PORTOLAN_INVARIANT, .text = "failed == 0", .name = "assertions hold", .lasting = true};

/* --------------------------------------------------------------------- states */

static void initial(const void *model, void *state)
{
    const struct thread_model *m = model;
    memcpy(state, m->initial, m->program.cells * sizeof *m->initial);
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    uint32_t count = 0;
    for (uint32_t agent = 0; agent < p->agents.count; agent++)
        if (machine_enabled(p, state, agent))
            out[count++] = machine_next(p, state, agent)->point;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    memcpy(successor, state, p->cells * sizeof(int32_t));
    machine_fire(p, successor, p->points.item[action].agent);
    return PORTOLAN_FIRED;
}

static bool is_final(const void *model, const void *state)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    for (uint32_t agent = 0; agent < p->agents.count; agent++)
        if (machine_next(p, state, agent))
            return false;
    return true;
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    const struct thread_model *m = model;
    const struct program *p = &m->program;
    uint32_t points = (uint32_t)p->points.count;
    const struct point *point = &p->points.item[guard < points ? guard : m->relations.waiting[guard - points]];
    bool there = ((const int32_t *)state)[p->agents.item[point->agent].frame] == (int32_t)point->at;
    return guard < points ? there : !there || machine_enabled(p, state, point->agent);
}

/* ------------------------------------------------------------------- footprint */

static bool next(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct thread_model *m = model;
    const struct program *p = &m->program;
    const struct instruction *i = machine_next(p, state, agent);
    if (!i)
        return false;
    step->action = i->point;
    step->varies = m->varies[i->point];
    machine_footprint(p, state, agent, step);
    return true;
}

/* The agent is as it is, all that is shared as it was. */
static bool next_as_if(const void *model, const void *state, uint32_t agent, const void *earlier,
                       struct portolan_step *step)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    const struct agent *self = &p->agents.item[agent];
    int32_t mixed[p->cells];
    memcpy(mixed, earlier, p->cells * sizeof *mixed);
    memcpy(mixed + self->frame, (const int32_t *)state + self->frame, self->slots * sizeof *mixed);
    return next(model, mixed, agent, step);
}

/* Does what an atomic step touches depend on what it reads?  Not if it runs straight through accesses to fixed places,
 * and waits or fails only after them all. */
static bool atomic_varies(const struct program *p, uint32_t at)
{
    bool may_stop = false;
    for (const struct instruction *i = &p->code.item[at + 1]; i->code != CODE_ATOMIC_END; i++) {
        switch (i->code) {
        case CODE_LOAD:
        case CODE_STORE:
            if (!(i->flags & B_IS_NUMBER) || may_stop)
                return true;
            break;
        case CODE_REQUIRE:
        case CODE_CALCULATE: may_stop = true; break;
        case CODE_MOVE:
        case CODE_TRUTH: break;
        default: return true;
        }
    }
    return false;
}

static bool find_varying(struct thread_model *m)
{
    const struct program *p = &m->program;
    m->varies = calloc(p->points.count + 1, sizeof *m->varies);
    for (size_t i = 0; m->varies && i < p->points.count; i++) {
        uint32_t at = p->points.item[i].at;
        switch (p->code.item[at].code) {
        case CODE_CAS:
        case CODE_TRYLOCK:
        case CODE_SIGNAL:
        case CODE_BROADCAST: m->varies[i] = true; break;
        case CODE_ATOMIC: m->varies[i] = atomic_varies(p, at); break;
        default: break;
        }
    }
    return m->varies;
}

static void agent_name(const void *model, uint32_t agent, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const struct thread_model *)model)->program.agents.item[agent].name);
}

static void object_name(const void *model, uint32_t object, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const struct thread_model *)model)->program.object_names[object]);
}

static void step_text(const void *model, const void *state, uint32_t agent, char *text, size_t size)
{
    machine_describe(&((const struct thread_model *)model)->program, state, agent, text, size);
}

static bool standing(const void *model, const void *state, uint32_t agent, char *text, size_t size)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    const struct instruction *i = &p->code.item[((const int32_t *)state)[p->agents.item[agent].frame]];
    if (i->code == CODE_FAIL) {
        const struct failure *failure = &p->failures.item[i->c];
        snprintf(text, size, "failed at line %u: %s", failure->line, failure->reason);
        return true;
    }
    if (!machine_next(p, state, agent) || machine_enabled(p, state, agent))
        return false;
    snprintf(text, size, "waits at line %u: ", p->points.item[i->point].line);
    size_t used = strlen(text);
    machine_describe(p, state, agent, text + used, size - used);
    char *again = strstr(text + used, " (waits)");
    if (again)
        *again = '\0';
    return true;
}

/* ----------------------------------------------------------------------- names */

static const char *action_name(const void *model, uint32_t action)
{
    return ((const struct thread_model *)model)->program.points.item[action].name;
}

/* A rule is a line; the text is that of the first step there, without the number of the thread. */
static uint32_t rule_of(const void *model, uint32_t action)
{
    return ((const struct thread_model *)model)->program.points.item[action].line;
}

static bool rule_text(const void *model, uint32_t line, char *text, size_t size)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    size_t i = 0;
    while (i < p->points.count && p->points.item[i].line != line)
        i++;
    if (i == p->points.count)
        return false;
    const char *name = p->points.item[i].name, *colon = strchr(name, ':');
    snprintf(text, size, "%.*s%s", (int)strcspn(name, "[:"), name, colon ? colon : "");
    return true;
}

static const char *variable_name(const void *model, uint32_t variable)
{
    return ((const struct thread_model *)model)->program.variables.item[variable].name;
}

static int64_t count_failed(const struct program *p, const int32_t *state)
{
    int64_t count = 0;
    for (size_t agent = 0; agent < p->agents.count; agent++)
        count += p->code.item[state[p->agents.item[agent].frame]].code == CODE_FAIL;
    return count;
}

static bool is_at(const struct program *p, const int32_t *state, uint32_t agent, uint32_t line)
{
    const struct instruction *i = &p->code.item[state[p->agents.item[agent].frame]];
    if (i->code == CODE_FAIL)
        return p->failures.item[i->c].line == line;
    i = machine_next(p, state, agent);
    return i && p->points.item[i->point].line == line;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct program *p = &((const struct thread_model *)model)->program;
    const struct variable *v = &p->variables.item[variable];
    const int32_t *cells = state;
    int64_t waiters = 0;
    switch (v->kind) {
    case VARIABLE_CELL: return cells[v->what];
    case VARIABLE_SLOT:
        return is_in_scope(p, v, (uint32_t)cells[p->agents.item[v->agent].frame])
                   ? cells[p->agents.item[v->agent].frame + v->what]
                   : 0;
    case VARIABLE_FAILED: return count_failed(p, cells);
    case VARIABLE_LOCATION: return is_at(p, cells, v->agent, v->what);
    case VARIABLE_CONDITION:
        for (uint32_t agent = 0; agent < p->agents.count; agent++)
            waiters += cells[waiting_cell(p, v->what, agent)] > 0;
        return waiters;
    }
    return 0;
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    const struct thread_model *m = model;
    return name_index_find(m->actions, m->program.points.count, name, action);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct thread_model *m = model;
    return name_index_find(m->variables, m->program.variables.count, name, variable);
}

static bool make_indexes(struct thread_model *m)
{
    const struct program *p = &m->program;
    m->actions = calloc(p->points.count + 1, sizeof *m->actions);
    m->variables = calloc(p->variables.count + 1, sizeof *m->variables);
    if (!m->actions || !m->variables)
        return false;
    for (uint32_t i = 0; i < p->points.count; i++)
        m->actions[i] = (struct name_index){p->points.item[i].name, i};
    for (uint32_t i = 0; i < p->variables.count; i++)
        m->variables[i] = (struct name_index){p->variables.item[i].name, i};
    name_index_sort(m->actions, p->points.count);
    name_index_sort(m->variables, p->variables.count);
    return true;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* reader[1]@12 for every line at which a thread can be; they are found but not listed. */
static bool add_locations(struct program *p)
{
    VECTOR(uint64_t) places = {0}; /* agent << 32 | line */
    bool fine = true;
    for (size_t i = 0; i < p->points.count && fine; i++)
        fine = vector_push(&places, (uint64_t)p->points.item[i].agent << 32 | p->points.item[i].line);
    for (size_t i = 0; i < p->failures.count && fine; i++)
        fine = vector_push(&places, (uint64_t)p->failures.item[i].agent << 32 | p->failures.item[i].line);
    if (places.count)
        qsort(places.item, places.count, sizeof *places.item, by_number);
    for (size_t i = 0; i < places.count && fine; i++) {
        if (i && places.item[i] == places.item[i - 1])
            continue;
        struct variable variable = {.kind = VARIABLE_LOCATION, .what = (uint32_t)places.item[i]};
        struct agent *agent = &p->agents.item[variable.agent = (uint32_t)(places.item[i] >> 32)];
        char text[320];
        snprintf(text, sizeof text, "%s@%u", agent->name, variable.what);
        if (agent->locations++ == 0)
            agent->first_location = (uint32_t)p->variables.count;
        variable.name = arena_copy(&p->arena, text, strlen(text));
        fine = variable.name && vector_push(&p->variables, variable);
    }
    free(places.item);
    return fine;
}

static bool add_variables(struct program *p, uint32_t *listed)
{
    struct variable failed = {.name = "failed", .kind = VARIABLE_FAILED};
    bool fine = vector_push(&p->variables, failed);
    *listed = (uint32_t)p->variables.count;
    return fine && add_locations(p);
}

/* ---------------------------------------------------------------------- making */

static void destroy(void *model)
{
    struct thread_model *m = model;
    thread_relations_clear(&m->relations);
    program_clear(&m->program);
    free(m->actions);
    free(m->variables);
    free(m->initial);
    free(m->varies);
    free(m->name);
    free(m);
}

static uint32_t last_line(const struct program *p)
{
    uint32_t last = 0;
    for (size_t i = 0; i < p->points.count; i++)
        last = p->points.item[i].line > last ? p->points.item[i].line : last;
    return last;
}

static void fill_system(struct portolan_system *system, struct thread_model *m, uint32_t listed)
{
    const struct program *p = &m->program;
    m->footprint = (struct portolan_footprint){.agents = (uint32_t)p->agents.count,
                                               .objects = program_objects(p),
                                               .most_accesses = p->most_accesses,
                                               .next = next,
                                               .next_as_if = next_as_if,
                                               .agent_name = agent_name,
                                               .object_name = object_name,
                                               .step_text = step_text,
                                               .standing = standing,
                                               .in_columns = true};
    m->relations.view.holds = holds;
    m->rules = (struct portolan_rules){
        .noun = "line", .done = "reached", .count = last_line(p) + 1, .rule_of = rule_of, .text = rule_text};
    *system = (struct portolan_system){.model = m,
                                       .name = m->name,
                                       .format = "dl",
                                       .state_bytes = p->cells * sizeof(int32_t),
                                       .key_bytes = p->cells * sizeof(int32_t),
                                       .actions = (uint32_t)p->points.count,
                                       .initial = initial,
                                       .enabled = enabled,
                                       .fire = fire,
                                       .action_name = action_name,
                                       .find_action = find_action,
                                       .variables = listed,
                                       .unlisted = (uint32_t)p->variables.count - listed,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .value = value,
                                       .changers = m->relations.changers,
                                       .is_final = is_final,
                                       .stated = &assertions_hold,
                                       .stated_count = m->relations.can_fail,
                                       .relations = m->relations.too_large ? NULL : &m->relations.view,
                                       .footprint = &m->footprint,
                                       .rules = &m->rules,
                                       .destroy = destroy};
}

static enum portolan_status make_system(const struct syntax *syntax, const char *file, struct portolan_system **result,
                                        struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct thread_model *m = calloc(1, sizeof *m);
    uint32_t listed = 0;
    if (!system || !m) {
        free(system);
        free(m);
        return fail_memory(error);
    }
    enum portolan_status status = program_compile(&m->program, syntax, error);
    const char *slash = strrchr(file, '/');
    m->name = strdup(syntax->name ? syntax->name : slash ? slash + 1 : file);
    if (!status &&
        (!m->name || !add_variables(&m->program, &listed) || !thread_relations_make(&m->relations, &m->program) ||
         !make_indexes(m) || !find_varying(m) || !(m->initial = calloc(m->program.cells, sizeof *m->initial))))
        status = fail_memory(error);
    if (status) {
        destroy(m);
        free(system);
        return status;
    }
    machine_initial(&m->program, m->initial);
    fill_system(system, m, listed);
    *result = system;
    return PORTOLAN_OK;
}

/* A program whose first token is < is one of the document. */
static enum portolan_status looks_printed(const char *file, const char *text, size_t length, bool *printed,
                                          struct portolan_error *error)
{
    struct lexer lexer;
    lexer_init(&lexer, &program_rules, file, text, length);
    enum portolan_status status = lexer_next(&lexer, error);
    *printed = lexer.token.kind == TOKEN_OPERATOR && lexer.token.start[0] == '<';
    lexer_clear(&lexer);
    return status;
}

static enum portolan_status read_and_make(struct syntax *syntax, const char *file, const char *text, size_t length,
                                          struct portolan_system **system, struct portolan_error *error)
{
    struct parser parser = {.syntax = syntax, .lexer = &syntax->lexer, .error = error, .end = &syntax->declarations};
    lexer_init(&syntax->lexer, syntax->expansion ? &printed_rules : &program_rules, file, text, length);
    enum portolan_status status = lexer_next(&syntax->lexer, error);
    if (!status)
        status = syntax->expansion ? parse_printed_program(&parser) : parse_program(&parser);
    if (!status)
        status = make_system(syntax, file, system, error);
    lexer_clear(&syntax->lexer);
    arena_clear(&syntax->arena);
    return status;
}

enum portolan_status threads_open_text(const char *file, const char *text, size_t length,
                                       struct portolan_system **system, struct portolan_error *error)
{
    struct syntax syntax = {0};
    struct expansion expansion;
    bool printed = false;
    *system = NULL;
    enum portolan_status status = looks_printed(file, text, length, &printed, error);
    if (status || !printed)
        return status ? status : read_and_make(&syntax, file, text, length, system, error);
    status = expansion_new(&expansion, file, text, length, error);
    if (status)
        return status;
    syntax.expansion = &expansion;
    status = read_and_make(&syntax, file, expansion.text.item, expansion.text.count, system, error);
    if (status)
        expansion_relocate(&expansion, error);
    expansion_clear(&expansion);
    return status;
}

enum portolan_status threads_open(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    *system = NULL;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status == PORTOLAN_OK)
        status = threads_open_text(path, text, length, system, error);
    free(text);
    return status;
}
