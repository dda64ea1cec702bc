/* SPDX-License-Identifier: Apache-2.0 */
#include "report/columns.h"

#include "base/diagnostic.h"
#include "base/vector.h"
#include "system/stepper.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDEST_COLUMN = 40,
    WIDEST_TABLE = 76 /* beyond, one column for all and the agent's name before each step */
};

struct row {
    uint32_t agent;
    char text[WIDEST_COLUMN + 1];
    char printed[WIDEST_TABLE + 1]; /* by the step; may be empty */
};

struct table {
    struct portolan_system *system;
    VECTOR(struct row) rows;
    int *width; /* per agent; 0: it takes no part */
    struct portolan_step step;
    struct stepper stepper;
};

/* Of processes, where agents are not threads. */
static const struct portolan_columns *processes_of(const struct portolan_system *system)
{
    return has_columns(system) ? NULL : system->columns;
}

bool has_table(const struct portolan_system *system)
{
    return has_columns(system) || system->columns;
}

static uint32_t agents_of(const struct portolan_system *system)
{
    const struct portolan_columns *columns = processes_of(system);
    return columns ? columns->processes : system->footprint->agents;
}

bool has_columns(const struct portolan_system *system)
{
    return system->footprint && system->footprint->in_columns;
}

static bool table_make(struct table *t, struct portolan_system *system)
{
    size_t accesses = has_columns(system) ? system->footprint->most_accesses : 0;
    *t = (struct table){.system = system};
    t->width = calloc((size_t)agents_of(system) + 1, sizeof *t->width);
    t->step.accesses = calloc(accesses + 1, sizeof *t->step.accesses);
    return t->width && t->step.accesses && stepper_make(&t->stepper, system);
}

static void table_clear(struct table *t)
{
    free(t->rows.item);
    free(t->width);
    free(t->step.accesses);
    stepper_clear(&t->stepper);
}

static uint32_t agent_of(const struct portolan_system *system, const void *state, uint32_t action,
                         struct portolan_step *step)
{
    const struct portolan_footprint *view = system->footprint;
    if (processes_of(system))
        return system->columns->process_of(system->model, action);
    for (uint32_t agent = 0; agent < view->agents; agent++)
        if (view->next(system->model, state, agent, step) && step->action == action)
            return agent;
    return 0;
}

bool step_agent(const struct portolan_system *system, const void *state, uint32_t action, uint32_t *agent)
{
    struct portolan_step step = {.accesses =
                                     calloc((size_t)system->footprint->most_accesses + 1, sizeof *step.accesses)};
    if (step.accesses)
        *agent = agent_of(system, state, action, &step);
    bool fine = step.accesses;
    free(step.accesses);
    return fine;
}

static void widen(struct table *t, uint32_t agent, const char *text)
{
    int width = (int)strnlen(text, WIDEST_COLUMN);
    if (width > t->width[agent])
        t->width[agent] = width;
}

static enum portolan_status fill(struct table *t, const uint32_t *actions, size_t count, struct portolan_error *error)
{
    const struct portolan_footprint *view = t->system->footprint;
    const struct portolan_columns *columns = processes_of(t->system);
    for (size_t i = 0; i < count; i++) {
        struct row row = {.agent = agent_of(t->system, t->stepper.state, actions[i], &t->step)};
        if (columns)
            columns->text(t->system->model, actions[i], row.text, sizeof row.text);
        else
            view->step_text(t->system->model, t->stepper.state, row.agent, row.text, sizeof row.text);
        if (t->system->prints)
            t->system->prints(t->system->model, t->stepper.state, actions[i], row.printed, sizeof row.printed);
        if (!vector_push(&t->rows, row))
            return fail_memory(error);
        widen(t, row.agent, row.text);
        enum portolan_status status = stepper_fire(&t->stepper, actions[i], error);
        if (status != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}

static void name_agent(const struct table *t, uint32_t agent, char *text, size_t size)
{
    const struct portolan_columns *columns = processes_of(t->system);
    if (columns)
        columns->process_name(t->system->model, agent, text, size);
    else
        t->system->footprint->agent_name(t->system->model, agent, text, size);
}

/* Names are part of the columns; returns how wide the whole is. */
static int widen_by_names(struct table *t)
{
    int sum = 0;
    for (uint32_t agent = 0; agent < agents_of(t->system); agent++) {
        char name[WIDEST_COLUMN + 1];
        if (t->width[agent] == 0)
            continue;
        name_agent(t, agent, name, sizeof name);
        widen(t, agent, name);
        sum += t->width[agent] + 2;
    }
    return sum;
}

static void print_printed(const struct row *row, int step_width, FILE *out)
{
    if (row->printed[0])
        fprintf(out, "  %*s    prints: %s\n", step_width, "", row->printed);
}

static void print_table(const struct table *t, int step_width, size_t cycle_start, FILE *out)
{
    uint32_t agents = agents_of(t->system);
    fprintf(out, "  %*s", step_width, "");
    for (uint32_t agent = 0, left = 0; agent < agents; agent++) {
        char name[WIDEST_COLUMN + 1];
        if (t->width[agent] == 0)
            continue;
        name_agent(t, agent, name, sizeof name);
        fprintf(out, "%*s  %s", (int)left, "", name);
        left = (uint32_t)(t->width[agent] - (int)strlen(name));
    }
    fputc('\n', out);
    for (size_t i = 0; i < t->rows.count; i++) {
        int before = 0;
        if (i == cycle_start)
            fprintf(out, "  repeated forever:\n");
        for (uint32_t agent = 0; agent < t->rows.item[i].agent; agent++)
            before += t->width[agent] ? t->width[agent] + 2 : 0;
        fprintf(out, "  %*zu%*s  %s\n", step_width, i + 1, before, "", t->rows.item[i].text);
        print_printed(&t->rows.item[i], step_width, out);
    }
}

/* One column for all. */
static void print_list(const struct table *t, int step_width, size_t cycle_start, FILE *out)
{
    int widest = 0;
    char name[WIDEST_COLUMN + 1];
    for (size_t i = 0; i < t->rows.count; i++) {
        name_agent(t, t->rows.item[i].agent, name, sizeof name);
        widest = (int)strlen(name) > widest ? (int)strlen(name) : widest;
    }
    for (size_t i = 0; i < t->rows.count; i++) {
        name_agent(t, t->rows.item[i].agent, name, sizeof name);
        if (i == cycle_start)
            fprintf(out, "  repeated forever:\n");
        fprintf(out, "  %*zu  %-*s  %s\n", step_width, i + 1, widest, name, t->rows.item[i].text);
        print_printed(&t->rows.item[i], step_width, out);
    }
}

/* Variables that are not 0, and those who are stuck. */
static void print_end(const struct table *t, FILE *out)
{
    const struct portolan_system *system = t->system;
    bool some = false;
    for (uint32_t v = 0; v < system->variables && system->value; v++) {
        int64_t value = system->value(system->model, t->stepper.state, v);
        if (value == 0)
            continue;
        char text[100];
        snprintf(text, sizeof text, "%" PRId64, value);
        if (system->value_text)
            system->value_text(system->model, v, value, text, sizeof text);
        fprintf(out, "%s %s=%s", some ? "" : "  then", system->variable_name(system->model, v), text);
        some = true;
    }
    fprintf(out, some ? ", all else 0\n" : "  then every variable is 0\n");
    const struct portolan_columns *columns = processes_of(system);
    bool (*standing)(const void *, const void *, uint32_t, char *, size_t) =
        columns ? columns->standing : system->footprint->standing;
    for (uint32_t agent = 0; agent < agents_of(system) && standing; agent++) {
        char name[WIDEST_COLUMN + 1], why[200];
        if (!standing(system->model, t->stepper.state, agent, why, sizeof why))
            continue;
        name_agent(t, agent, name, sizeof name);
        fprintf(out, "  %s %s\n", name, why);
    }
}

enum portolan_status columns_print(struct portolan_system *system, const uint32_t *actions, size_t count,
                                   size_t cycle_start, FILE *out, struct portolan_error *error)
{
    struct table t;
    enum portolan_status status = table_make(&t, system) ? fill(&t, actions, count, error) : fail_memory(error);
    if (status == PORTOLAN_OK) {
        int step_width = snprintf(NULL, 0, "%zu", count);
        if (widen_by_names(&t) <= WIDEST_TABLE)
            print_table(&t, step_width, cycle_start, out);
        else
            print_list(&t, step_width, cycle_start, out);
        print_end(&t, out);
    }
    table_clear(&t);
    return status;
}

size_t count_switches(struct portolan_system *system, const uint32_t *actions, size_t count)
{
    struct table t;
    size_t switches = 0;
    if (table_make(&t, system) && fill(&t, actions, count, NULL) == PORTOLAN_OK)
        for (size_t i = 1; i < t.rows.count; i++)
            switches += t.rows.item[i].agent != t.rows.item[i - 1].agent;
    table_clear(&t);
    return switches;
}
