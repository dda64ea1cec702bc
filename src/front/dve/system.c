/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a DVE model: read, resolve, lower. */
#include "base/diagnostic.h"
#include "front/dve/dve.h"
#include "front/dve/variables.h"

#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------- cells */

static void make_variable(struct lowering *l, struct dve_variable *v)
{
    struct integer_type type = dve_type(v->is_int);
    const struct node *value = v->values;
    struct cell cell = {.values = {type.low, type.high}, .alike = (uint32_t)l->m->cells.count, .owner = MODEL_NONE};
    cell.widens = true;
    v->cell = (uint32_t)l->m->cells.count;
    for (uint32_t i = 0; i < v->length && !l->m->failed; i++) {
        cell.initial = value ? value->value : 0;
        value = value ? value->next : NULL;
        cell.object = model_object(l->m, v->name);
        model_cells(l->m, cell, 1);
    }
}

/* A run of cells for each field, all of one object: who sends or receives touches them all. */
static void make_channel(struct lowering *l, struct dve_channel *c)
{
    if (!c->capacity)
        return;
    uint32_t object = model_object(l->m, c->name);
    for (size_t i = 0; i < c->are_int.count && !l->m->failed; i++) {
        struct integer_type type = dve_type(c->are_int.item[i]);
        struct cell cell = {.values = {0, type.high - type.low + 1},
                            .object = object,
                            .alike = (uint32_t)l->m->cells.count,
                            .owner = MODEL_NONE,
                            .widens = true};
        l->m->failed |= !vector_push(&c->first_cells, (uint32_t)l->m->cells.count);
        model_cells(l->m, cell, c->capacity);
    }
}

static void make_failure(struct lowering *l, const struct dve_process *p, const char *reason)
{
    struct location failed = {.process = p->model_process, .failure = reason, .dead = MODEL_NONE};
    uint32_t location = model_location(l->m, failed);
    emit_code(l, CODE_REST)->c = (int32_t)location;
}

static const char *index_reason(struct lowering *l, const struct dve_variable *v)
{
    char reason[160];
    snprintf(reason, sizeof reason, "the index of '%.60s' is out of bounds: it has %u element%s", v->name, v->length,
             v->length == 1 ? "" : "s");
    return model_copy(l->m, reason);
}

static void make_process(struct lowering *l, struct dve_process *p)
{
    static const char *const reasons[] = {
        [FAILURE_DIVISION] = "division by zero", [FAILURE_SHIFT] = "a shift by a negative number or too many bits"};
    uint32_t number = (uint32_t)(p - l->syntax->processes.item), first = (uint32_t)l->m->locations.count;
    p->model_process = model_process(l->m, p->name);
    l->first_location[number] = first;
    for (size_t i = 0; i < p->states.count; i++)
        model_location(l->m, (struct location){.process = p->model_process, .dead = MODEL_NONE});
    l->failures[number] = (uint32_t)l->m->code.count;
    for (int i = 0; i < FAILURES; i++)
        make_failure(l, p, reasons[i]);
    for (size_t i = 0; i < l->syntax->variables.count; i++)
        make_failure(l, p, index_reason(l, &l->syntax->variables.item[i]));
    uint32_t start = (uint32_t)l->m->code.count;
    emit_code(l, CODE_REST)->c = (int32_t)(first + p->initial);
    if (!l->m->failed)
        l->m->processes.item[p->model_process].start = start;
}

/* Counts the processes that are in committed states, if there are such states. */
static void make_committed(struct lowering *l)
{
    int64_t initially = 0, most = 0;
    l->committed = MODEL_NONE;
    for (size_t p = 0; p < l->syntax->processes.count; p++) {
        const struct dve_process *process = &l->syntax->processes.item[p];
        bool has = false;
        for (size_t i = 0; i < process->states.count; i++)
            has |= process->states.item[i].is_committed;
        most += has && p != l->syntax->property;
        initially += p != l->syntax->property && process->states.item[process->initial].is_committed;
    }
    if (most == 0)
        return;
    struct cell cell = {.values = {0, most}, .initial = initially, .owner = MODEL_NONE, .alike = MODEL_NONE};
    cell.object = model_object(l->m, "committed");
    l->committed = model_cells(l->m, cell, 1);
}

static bool make_cells(struct lowering *l)
{
    struct syntax *s = l->syntax;
    l->numbers = model_type(l->m, DVE_NUMBERS);
    for (size_t i = 0; i < s->variables.count; i++)
        make_variable(l, &s->variables.item[i]);
    for (size_t i = 0; i < s->channels.count; i++)
        make_channel(l, &s->channels.item[i]);
    for (size_t i = 0; i < s->processes.count && !l->m->failed; i++)
        if (i != s->property)
            make_process(l, &s->processes.item[i]);
    make_committed(l);
    return !l->m->failed;
}

/* ---------------------------------------------------------------------------- opening */

static bool lower(struct lowering *l)
{
    struct dve_language *d = l->m->extras.language;
    size_t processes = l->syntax->processes.count + 1;
    l->first_location = calloc(processes, sizeof *l->first_location);
    l->failures = calloc(processes, sizeof *l->failures);
    l->process_variable = calloc(processes, sizeof *l->process_variable);
    d->enumerations = calloc(processes, sizeof *d->enumerations);
    bool fine = l->first_location && l->failures && l->process_variable && d->enumerations && make_cells(l) &&
                (l->cell_variable = calloc(l->m->cells.count + 1, sizeof *l->cell_variable)) && dve_lower_actions(l) &&
                dve_lower_variables(l);
    for (size_t i = 0; i < l->m->processes.count; i++)
        l->m->processes.item[i].most_registers = l->most;
    free(l->first_location);
    free(l->failures);
    free(l->process_variable);
    free(l->cell_variable);
    return fine;
}

static enum portolan_status read_model(struct syntax *syntax, const char *file, const char *text, size_t length,
                                       struct portolan_error *error)
{
    struct parser parser = {
        .language = &dve_language, .syntax = syntax, .lexer = &syntax->lexer, .arena = &syntax->arena, .error = error};
    lexer_init(&syntax->lexer, &dve_rules, file, text, length);
    parser.status = lexer_next(&syntax->lexer, error);
    if (!parser.status)
        dve_parse(&parser);
    if (!parser.status)
        dve_resolve(&parser);
    return parser.status;
}

enum portolan_status dve_open_text(const char *file, const char *text, size_t length, struct portolan_system **system,
                                   struct portolan_error *error)
{
    *system = NULL;
    struct dve_language *d = calloc(1, sizeof *d);
    struct model *m = model_new("dve");
    const char *copy = d && m ? arena_copy(&m->arena, text, length) : NULL; /* for errors while it is evaluated */
    if (!copy) {
        free(d);
        model_free(m);
        return fail_memory(error);
    }
    m->extras.language = d;
    m->extras.free = dve_language_free;
    model_name_after(m, file, ".dve");
    enum portolan_status status = read_model(&d->syntax, file, copy, length, error);
    struct lowering l = {.syntax = &d->syntax, .m = m};
    if (status == PORTOLAN_OK && !lower(&l))
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        return model_system(m, system, error);
    model_free(m);
    return status;
}
