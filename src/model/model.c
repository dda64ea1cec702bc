/* SPDX-License-Identifier: Apache-2.0 */
/* Making models. */
#include "model/model.h"

#include "base/text_file.h"

#include <string.h>

struct model *model_new(const char *format)
{
    struct model *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->format = format;
    m->priorities = MODEL_NONE;
    /* Places in these lists are pointed to, also in empty ones. */
    m->failed = !vector_reserve(&m->tests, 1) || !vector_reserve(&m->edges, 1) || !vector_reserve(&m->code, 1) ||
                !vector_reserve(&m->locations, 1) || !vector_reserve(&m->table, 1);
    return m;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    if (m->extras.free)
        m->extras.free(m->extras.language);
    free(m->types.item);
    free(m->cells.item);
    free(m->objects.item);
    free(m->processes.item);
    free(m->locations.item);
    free(m->code.item);
    free(m->actions.item);
    free(m->tests.item);
    free(m->edges.item);
    free(m->variables.item);
    free(m->table.item);
    free(m->dead_builder.pairs.item);
    free(m->reads.pairs.item);
    free(m->dead_sets.item);
    free(m->stated.item);
    lists_clear(&m->stops);
    foreign_free(m->foreign);
    arena_clear(&m->arena);
    free(m);
}

/* Appends, or remembers that memory ran out; the number of what was appended. */
#define append(m, vector, value) ((m)->failed |= !vector_push(&(m)->vector, value), last_of((m)->vector.count))

static uint32_t last_of(size_t count)
{
    return count ? (uint32_t)count - 1 : 0;
}

const char *model_copy(struct model *m, const char *text)
{
    const char *copy = arena_copy(&m->arena, text, strlen(text));
    m->failed |= !copy;
    return copy ? copy : "";
}

void model_name_after(struct model *m, const char *path, const char *ending)
{
    size_t length;
    const char *start = file_stem(path, ending, &length);
    m->name = arena_copy(&m->arena, start, length);
    m->failed |= !m->name;
}

uint8_t model_type(struct model *m, struct integer_type type)
{
    for (size_t i = 0; i < m->types.count; i++) {
        const struct integer_type *t = &m->types.item[i];
        if (t->low == type.low && t->high == type.high && t->bits == type.bits && t->wraps == type.wraps)
            return (uint8_t)i;
    }
    m->failed |= m->types.count > UINT8_MAX;
    return (uint8_t)append(m, types, type);
}

uint32_t model_object(struct model *m, const char *name)
{
    const char *copy = model_copy(m, name);
    return append(m, objects, copy);
}

uint32_t model_cells(struct model *m, struct cell cell, uint32_t count)
{
    uint32_t first = (uint32_t)m->cells.count;
    for (uint32_t i = 0; i < count && !m->failed; i++)
        append(m, cells, cell);
    return first;
}

uint32_t model_process(struct model *m, const char *name)
{
    uint32_t number = (uint32_t)m->processes.count;
    struct cell location = {.object = MODEL_NONE, .alike = MODEL_NONE, .owner = number};
    struct process process = {.name = model_copy(m, name), .start = MODEL_NONE, .life = MODEL_NONE};
    process.values = (struct range){INT64_MIN, INT64_MAX};
    process.location_cell = model_cells(m, location, 1);
    return append(m, processes, process);
}

uint32_t model_location(struct model *m, struct location location)
{
    return append(m, locations, location);
}

uint32_t model_action(struct model *m, struct action action)
{
    action.first_test = (uint32_t)m->tests.count;
    action.first_edge = (uint32_t)m->edges.count;
    action.tests = action.edges = 0;
    return append(m, actions, action);
}

void model_test(struct model *m, uint32_t cell, int64_t low, int64_t high)
{
    append(m, tests, ((struct test){.cell = cell, .values = {low, high}}));
    if (!m->failed)
        m->actions.item[m->actions.count - 1].tests++;
}

void model_edge(struct model *m, uint32_t from, uint32_t code)
{
    append(m, edges, ((struct edge){from, code}));
    if (!m->failed)
        m->actions.item[m->actions.count - 1].edges++;
}

uint32_t model_emit(struct model *m, struct instruction instruction)
{
    return append(m, code, instruction);
}

uint32_t model_variable(struct model *m, struct variable variable)
{
    return append(m, variables, variable);
}

uint32_t model_dead_set(struct model *m, uint32_t process)
{
    return append(m, dead_sets, process);
}

void model_dead_cell(struct model *m, uint32_t set, uint32_t cell)
{
    lists_add(&m->dead_builder, set, cell);
}
