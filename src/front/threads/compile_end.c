/* SPDX-License-Identifier: Apache-2.0 */
/* What is known when all agents are compiled: condition variables, the size of a state, names of steps and lines. */
#include "front/threads/compile.h"

#include <stdio.h>
#include <string.h>

static void check_size(struct compiler *c)
{
    uint64_t cells = c->model->cells.count;
    for (size_t i = 0; i < c->model->processes.count; i++)
        cells += c->model->processes.item[i].most_registers;
    if (cells > MOST_CELLS)
        compile_fail(c, &c->syntax->lexer.token.at, "a state of this program needs more than %d cells", MOST_CELLS);
}

/* A condition variable has a cell for each agent: how many there are is known at the end. */
static void place_conditions(struct compiler *c)
{
    struct model *m = c->model;
    uint32_t first = (uint32_t)m->cells.count, agents = (uint32_t)m->processes.count;
    for (size_t i = 0; i < m->variables.count; i++) {
        struct variable *v = &m->variables.item[i];
        if (v->kind != VARIABLE_WAITERS)
            continue;
        struct cell cell = {.values = {0, INT32_MAX}, .owner = MODEL_NONE, .widens = true};
        cell.object = model_object(m, v->name);
        v->what = cell.alike = model_cells(m, cell, agents);
    }
    for (size_t i = 0; i < m->code.count; i++)
        if (m->code.item[i].code >= CODE_WAIT && m->code.item[i].code <= CODE_BROADCAST)
            m->code.item[i].c = (int32_t)(first + (uint32_t)m->code.item[i].c * agents);
    for (size_t t = 0; t < m->actions.count; t++) {
        const struct action *a = &m->actions.item[t];
        const struct instruction *i = &m->code.item[m->edges.item[a->first_edge].code];
        if (i->code == CODE_WAKE && a->tests)
            m->tests.item[a->first_test].cell = (uint32_t)i->c + a->process;
    }
}

static int by_action_name(const void *left, const void *right)
{
    const struct action *const *a = left, *const *b = right;
    int order = strcmp((*a)->name, (*b)->name);
    return order ? order : (*a > *b) - (*a < *b);
}

/* Steps that read the same, on the same line, are numbered from the second on. */
static void tell_apart(struct compiler *c)
{
    struct model *m = c->model;
    struct action **sorted = calloc(m->actions.count + 1, sizeof *sorted);
    if (!sorted) {
        compile_memory(c);
        return;
    }
    for (size_t i = 0; i < m->actions.count; i++)
        sorted[i] = &m->actions.item[i];
    qsort(sorted, m->actions.count, sizeof *sorted, by_action_name);
    const char *name = "";
    unsigned same = 1;
    for (size_t i = 0; i < m->actions.count && !c->status; i++) {
        same = strcmp(sorted[i]->name, name) == 0 ? same + 1 : 1;
        if (same == 1) {
            name = sorted[i]->name;
            continue;
        }
        size_t size = strlen(name) + 16;
        char *numbered = arena_get(&m->arena, size);
        if (!numbered) {
            compile_memory(c);
        } else {
            snprintf(numbered, size, "%s #%u", name, same);
            sorted[i]->name = numbered;
        }
    }
    free(sorted);
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* reader[1]@12 for every line at which a thread can be; they are found but not listed. */
static void name_lines(struct compiler *c)
{
    struct model *m = c->model;
    VECTOR(uint64_t) places = {0}; /* agent << 32 | line */
    for (size_t i = 0; i < m->locations.count && !c->status; i++)
        if (!m->locations.item[i].is_end &&
            !vector_push(&places, (uint64_t)m->locations.item[i].process << 32 | m->locations.item[i].line))
            compile_memory(c);
    if (places.count)
        qsort(places.item, places.count, sizeof *places.item, by_number);
    for (size_t i = 0; i < places.count && !c->status; i++) {
        if (i && places.item[i] == places.item[i - 1])
            continue;
        struct variable variable = {.kind = VARIABLE_LINE, .what = (uint32_t)places.item[i]};
        char text[320];
        variable.process = (uint32_t)(places.item[i] >> 32);
        snprintf(text, sizeof text, "%s@%u", m->processes.item[variable.process].name, variable.what);
        variable.name = arena_copy(&m->arena, text, strlen(text));
        add_variable(c, variable);
    }
    free(places.item);
}

void compile_end(struct compiler *c)
{
    place_conditions(c);
    check_size(c);
    if (!c->status)
        tell_apart(c);
    add_variable(c, (struct variable){.name = "failed", .kind = VARIABLE_FAILED});
    c->model->listed = (uint32_t)c->model->variables.count;
    if (!c->status)
        name_lines(c);
}
