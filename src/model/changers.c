/* SPDX-License-Identifier: Apache-2.0 */
/* Which actions may change a variable. */
#include "model/derived.h"

#include "base/limits.h"

#include <string.h>

struct changing {
    struct derived *d;
    const struct model *m;
    struct lists_builder changers;
    struct portolan_lists writers; /* cell -> actions */
    struct portolan_lists lines;   /* process -> its variables VARIABLE_LINE */
    struct portolan_lists of;      /* process -> its actions */
    struct portolan_lists reads;   /* condition -> the variables it reads */
    struct walk walk;
};

static void add_all(struct changing *c, uint32_t variable, const struct portolan_lists *from, uint32_t list)
{
    for_list (action, *from, list)
        lists_add(&c->changers, variable, *action);
}

static bool list_writers(struct changing *c)
{
    const struct model *m = c->m;
    struct lists_builder writers = {0};
    for (uint32_t t = 0; t < m->actions.count; t++) {
        const struct action_summary *summary = &c->d->summaries[t];
        const struct action *a = &m->actions.item[t];
        for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++)
            if (is_change(&c->d->accesses.item[k]))
                lists_add(&writers, c->d->accesses.item[k].cell, t);
        if (a->process == MODEL_NONE)
            continue;
        const struct process *p = &m->processes.item[a->process];
        lists_add(&writers, p->location_cell, t);
        for_list (location, c->d->targets, t)
            if (m->locations.item[*location].dead != MODEL_NONE)
                for_list (cell, c->d->dead_cells, m->locations.item[*location].dead)
                    lists_add(&writers, *cell, t);
        const uint16_t *written = c->d->registers.item + summary->first_register;
        for (uint32_t k = 0; k < summary->writes; k++) /* registers are cells while a process rests */
            if (written[k] < p->registers)
                lists_add(&writers, p->first_register + written[k], t);
        for_list (location, c->d->targets, t) /* what is not live there is 0 */
            for (uint32_t k = m->locations.item[*location].live; k < p->registers; k++)
                lists_add(&writers, p->first_register + k, t);
    }
    return lists_finish(&writers, (uint32_t)m->cells.count, &c->writers);
}

static bool is_in_scope(const struct variable *v, const struct location *l)
{
    return v->from <= l->place && l->place < v->to;
}

/* Has the variable, because of the place, another value at one location than at the other? */
static bool differs(const struct model *m, const struct variable *v, uint32_t before, uint32_t after)
{
    if (v->kind == VARIABLE_REGISTER)
        return is_in_scope(v, &m->locations.item[before]) != is_in_scope(v, &m->locations.item[after]);
    uint32_t first = m->processes.item[v->process].first_location;
    return m->table.item[v->what + before - first] != m->table.item[v->what + after - first];
}

static void add_movers(struct changing *c, uint32_t variable, const struct variable *v)
{
    const struct model *m = c->m;
    for_list (t, c->of, v->process) {
        const struct action *a = &m->actions.item[*t];
        const struct edge *edge = m->edges.item + a->first_edge;
        bool moves = false;
        for (uint32_t k = 0; k < a->edges && a->edges > 1 && !moves; k++) {
            uint32_t at;
            for (walk_begin(&c->walk, edge[k].code); walk_next(&c->walk, &at);)
                moves |=
                    m->code.item[at].code == CODE_REST && differs(m, v, edge[k].from, (uint32_t)m->code.item[at].c);
        }
        if (a->edges == 1)
            for_list (location, c->d->targets, *t)
                moves |= differs(m, v, edge->from, *location);
        if (moves)
            lists_add(&c->changers, variable, *t);
    }
}

/* The variable that says whether the process is at the line, MODEL_NONE when nobody asks. */
static uint32_t line_variable(const struct changing *c, uint32_t process, unsigned line)
{
    const uint32_t *first = c->lines.item + c->lines.offset[process],
                   *end = c->lines.item + c->lines.offset[process + 1];
    while (first < end) { /* they come by increasing line */
        const uint32_t *middle = first + (end - first) / 2;
        if (c->m->variables.item[*middle].what == line)
            return *middle;
        if (c->m->variables.item[*middle].what < line)
            first = middle + 1;
        else
            end = middle;
    }
    return MODEL_NONE;
}

static void add_line(struct changing *c, uint32_t process, uint32_t location, uint32_t action)
{
    uint32_t variable = line_variable(c, process, c->m->locations.item[location].line);
    if (variable != MODEL_NONE)
        lists_add(&c->changers, variable, action);
}

/* A step moves its own process, and brings another to its first step when it starts it. */
static void add_lines(struct changing *c)
{
    const struct model *m = c->m;
    for (uint32_t t = 0; t < m->actions.count; t++) {
        const struct action *a = &m->actions.item[t];
        for (uint32_t k = 0; k < a->edges && a->process != MODEL_NONE; k++)
            add_line(c, a->process, m->edges.item[a->first_edge + k].from, t);
        for_list (location, c->d->targets, t)
            add_line(c, a->process, *location, t);
    }
    for (uint32_t p = 0; p < m->processes.count; p++) {
        const struct process *process = &m->processes.item[p];
        for (uint32_t l = process->first_location; l < process->first_location + process->locations; l++)
            if (m->locations.item[l].is_unborn && process->life != MODEL_NONE)
                for_list (t, c->writers, process->life)
                    add_line(c, p, l, *t);
    }
}

/* Others that store where the process is. */
static void add_others(struct changing *c, uint32_t variable, uint32_t process)
{
    for_list (t, c->writers, c->m->processes.item[process].location_cell)
        if (c->m->actions.item[*t].process != process)
            lists_add(&c->changers, variable, *t);
}

/* Those of v become changers of a variable, which is v or reads it. */
static void list_changers(struct changing *c, uint32_t variable, const struct variable *v)
{
    const struct model *m = c->m;
    switch (v->kind) {
    case VARIABLE_CELL: add_all(c, variable, &c->writers, v->what); break;
    case VARIABLE_WAITERS:
        for (uint32_t p = 0; p < m->processes.count; p++)
            add_all(c, variable, &c->writers, v->what + p);
        break;
    case VARIABLE_REGISTER:
        if (v->what < m->processes.item[v->process].registers) /* else it lives nowhere, and has no cell */
            add_all(c, variable, &c->writers, m->processes.item[v->process].first_register + v->what);
        add_movers(c, variable, v);
        add_others(c, variable, v->process);
        break;
    case VARIABLE_TABLE:
        add_movers(c, variable, v);
        add_others(c, variable, v->process);
        break;
    case VARIABLE_CONDITION:
        for_list (read, c->reads, v - m->variables.item)
            list_changers(c, variable, &m->variables.item[*read]);
        break;
    case VARIABLE_FAILED:
        for (uint32_t t = 0; t < m->actions.count; t++)
            if (c->d->summaries[t].may_fail)
                lists_add(&c->changers, variable, t);
        for (uint32_t p = 0; p < m->processes.count; p++)
            add_others(c, variable, p);
        break;
    case VARIABLE_LINE: add_others(c, variable, v->process); break;
    case VARIABLE_NUMBER: break;
    }
}

bool derive_changers(struct derived *d)
{
    struct changing c = {.d = d, .m = d->model};
    struct lists_builder lines = {0}, of = {0};
    uint32_t processes = (uint32_t)c.m->processes.count, variables = (uint32_t)c.m->variables.count;
    for (uint32_t k = 0; k < variables; k++)
        if (c.m->variables.item[k].kind == VARIABLE_LINE)
            lists_add(&lines, c.m->variables.item[k].process, k);
    for (uint32_t t = 0; t < c.m->actions.count; t++)
        if (c.m->actions.item[t].process != MODEL_NONE)
            lists_add(&of, c.m->actions.item[t].process, t);
    bool fine = lists_finish(&lines, processes, &c.lines);
    fine = lists_finish(&d->model->reads, variables, &c.reads) && fine;
    fine = lists_finish(&of, processes, &c.of) && fine && walk_make(&c.walk, c.m) && list_writers(&c);
    for (uint32_t k = 0; fine && k < variables; k++) {
        list_changers(&c, k, &c.m->variables.item[k]);
        fine = !limits_reached();
    }
    if (fine)
        add_lines(&c);
    fine = lists_finish(&c.changers, variables, &d->changers) && fine && !c.walk.failed;
    walk_clear(&c.walk);
    lists_clear(&c.writers);
    lists_clear(&c.lines);
    lists_clear(&c.of);
    lists_clear(&c.reads);
    return fine;
}
