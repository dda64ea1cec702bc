/* SPDX-License-Identifier: Apache-2.0 */
/* Names, values of variables, and what a step does, in words. */
#include "model/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------- names */

const char *action_name(const void *model, uint32_t action)
{
    return ((const struct instance *)model)->model->actions.item[action].name;
}

const char *variable_name(const void *model, uint32_t variable)
{
    return ((const struct instance *)model)->model->variables.item[variable].name;
}

bool find_action(const void *model, const char *name, uint32_t *action)
{
    const struct instance *in = model;
    return name_index_find(in->derived->action_names, in->model->actions.count, name, action);
}

bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct instance *in = model;
    return name_index_find(in->derived->variable_names, in->model->variables.count, name, variable);
}

bool derive_names(struct derived *d)
{
    const struct model *m = d->model;
    d->action_names = calloc(m->actions.count + 1, sizeof *d->action_names);
    d->variable_names = calloc(m->variables.count + 1, sizeof *d->variable_names);
    if (!d->action_names || !d->variable_names)
        return false;
    for (uint32_t i = 0; i < m->actions.count; i++)
        d->action_names[i] = (struct name_index){m->actions.item[i].name, i};
    for (uint32_t i = 0; i < m->variables.count; i++)
        d->variable_names[i] = (struct name_index){m->variables.item[i].name, i};
    name_index_sort(d->action_names, m->actions.count);
    name_index_sort(d->variable_names, m->variables.count);
    return true;
}

/* ------------------------------------------------------------------------- values */

static int64_t count_failed(const struct instance *in, const uint64_t *state)
{
    int64_t count = 0;
    for (uint32_t p = 0; p < in->model->processes.count; p++)
        count += in->model->locations.item[location_of(in, state, p)].failure != NULL;
    return count;
}

bool failure(const void *model, const void *state, char *text, size_t size)
{
    const struct instance *in = model;
    for (uint32_t p = 0; p < in->model->processes.count; p++) {
        const char *why = in->model->locations.item[location_of(in, state, p)].failure;
        if (why) {
            snprintf(text, size, "%s failed: %s", in->model->processes.item[p].name, why);
            return true;
        }
    }
    return false;
}

static bool is_at(const struct instance *in, const uint64_t *state, uint32_t process, unsigned line)
{
    const struct location *l = &in->model->locations.item[location_of(in, state, process)];
    return l->line == line && !(l->is_unborn && !machine_next(in, state, process));
}

static int64_t register_value(const struct instance *in, const uint64_t *state, const struct variable *v)
{
    const struct process *p = &in->model->processes.item[v->process];
    const struct location *l = &in->model->locations.item[location_of(in, state, v->process)];
    return v->from <= l->place && l->place < v->to && v->what < p->registers
               ? cell_value(in, state, p->first_register + v->what)
               : 0;
}

int64_t variable_value(const void *model, const void *state, uint32_t variable)
{
    const struct instance *in = model;
    const struct variable *v = &in->model->variables.item[variable];
    int64_t waiters = 0;
    switch (v->kind) {
    case VARIABLE_CELL: return cell_value(in, state, v->what);
    case VARIABLE_REGISTER: return register_value(in, state, v);
    case VARIABLE_FAILED: return count_failed(in, state);
    case VARIABLE_LINE: return is_at(in, state, v->process, v->what);
    case VARIABLE_TABLE:
        return in->model->table
            .item[v->what + location_of(in, state, v->process) - in->model->processes.item[v->process].first_location];
    case VARIABLE_NUMBER: return in->model->table.item[v->what];
    case VARIABLE_CONDITION: return in->model->extras.value(model, state, variable);
    case VARIABLE_WAITERS:
        for (uint32_t p = 0; p < in->model->processes.count; p++)
            waiters += cell_value(in, state, v->what + p) > 0;
        return waiters;
    }
    return 0;
}

/* -------------------------------------------------------------------------- steps */

static void describe(const struct instance *in, const uint64_t *state, const struct departure *departure, char *text,
                     size_t size)
{
    const struct instruction *i = &in->model->code.item[departure->code];
    const char *name = in->model->actions.item[departure->action].name;
    int64_t registers[in->derived->most_registers];
    const char *object = "?", *said = strchr(name, ' '); /* behind "thread:line" */
    int64_t value = 0;
    bool alone =
        in->derived->summaries[departure->action].is_single && !in->model->actions.item[departure->action].is_block;
    load_registers(in, state, departure->action, registers);
    if (alone && i->code <= CODE_TRYLOCK) {
        uint32_t cell = place_of(i, registers);
        value = cell_value(in, state, cell);
        if (in->model->cells.item[cell].object != MODEL_NONE)
            object = in->model->objects.item[in->model->cells.item[cell].object];
    }
    long long a = alone ? operand_a(i, registers) : 0, now = value;
    switch (alone ? i->code : CODE_REST) {
    case CODE_LOAD: snprintf(text, size, "read %s = %lld", object, now); break;
    case CODE_STORE: snprintf(text, size, "%s = %lld", object, a); break;
    case CODE_CAS:
        snprintf(text, size, "cas(%s, %lld, %lld) (%s: it is %lld)", object, a, (long long)operand_d(i, registers),
                 value == a ? "true" : "false", now);
        break;
    case CODE_FETCH_ADD: snprintf(text, size, "fetch_add(%s, %lld) = %lld", object, a, now); break;
    case CODE_LOCK: snprintf(text, size, "lock(%s)%s", object, value ? " (waits)" : ""); break;
    case CODE_UNLOCK: snprintf(text, size, "unlock(%s)", object); break;
    case CODE_TRYLOCK: snprintf(text, size, "trylock(%s) (%s)", object, value ? "false" : "true"); break;
    default:
        snprintf(text, size, "%s%s", said ? said + 1 : name,
                 machine_is_enabled(in, state, departure->action) ? "" : " (waits)");
        break;
    }
}

void step_text(const void *model, const void *state, uint32_t agent, char *text, size_t size)
{
    const struct departure *departure = machine_next(model, state, agent);
    if (departure)
        describe(model, state, departure, text, size);
    else if (size)
        *text = '\0';
}

bool standing(const void *model, const void *state, uint32_t agent, char *text, size_t size)
{
    const struct instance *in = model;
    const struct location *l = &in->model->locations.item[location_of(in, state, agent)];
    if (l->failure) {
        char place[40] = "";
        if (l->line)
            snprintf(place, sizeof place, " at line %u", l->line);
        snprintf(text, size, "failed%s: %s", place, l->failure);
        return true;
    }
    const struct departure *departure = machine_next(in, state, agent);
    if (!departure || machine_is_enabled(in, state, departure->action))
        return false;
    snprintf(text, size, l->line ? "waits at line %u: " : "waits: ", l->line);
    size_t used = strlen(text);
    describe(in, state, departure, text + used, size - used);
    char *again = strstr(text + used, " (waits)");
    if (again)
        *again = '\0';
    return strcmp(text + used, "-end-") != 0; /* Promela: it has nothing to do but to end, after those it has started */
}

/* ----------------------------------------------------------------------- columns */

static uint32_t column_of(const void *model, uint32_t action)
{
    return ((const struct instance *)model)->model->actions.item[action].process;
}

static void column_name(const void *model, uint32_t process, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const struct instance *)model)->model->processes.item[process].name);
}

/* Actions are named "P[0] 5: x = 1". */
static void column_text(const void *model, uint32_t action, char *text, size_t size)
{
    const char *name = action_name(model, action), *space = strchr(name, ' ');
    snprintf(text, size, "%s", space ? space + 1 : name);
}

static bool column_standing(const void *model, const void *state, uint32_t process, char *text, size_t size)
{
    const struct instance *in = model;
    const struct location *l = &in->model->locations.item[location_of(in, state, process)];
    if (l->failure)
        snprintf(text, size, "failed: %s", l->failure);
    else if (l->is_end || l->is_unborn || model_process_is_enabled(model, state, process))
        return false;
    else
        snprintf(text, size, "waits at line %u", l->line);
    return true;
}

const struct portolan_columns *derive_columns(struct derived *d)
{
    d->columns = (struct portolan_columns){.size = sizeof d->columns,
                                           .processes = (uint32_t)d->model->processes.count,
                                           .process_of = column_of,
                                           .process_name = column_name,
                                           .text = column_text,
                                           .standing = column_standing};
    return d->model->in_columns ? &d->columns : NULL;
}

bool place(const void *model, const void *state, uint32_t agent, char *text, size_t size)
{
    const struct instance *in = model;
    const struct location *l = &in->model->locations.item[location_of(in, state, agent)];
    bool goes_on = machine_next(in, state, agent);
    if (l->failure)
        snprintf(text, size, "failed");
    else if (l->is_unborn && !goes_on)
        return false;
    else if (l->is_end || !goes_on || !l->line)
        snprintf(text, size, "ended");
    else
        snprintf(text, size, "line %u", l->line);
    return true;
}

/* ------------------------------------------------------------------------ guards */

static const char *name_of_cell(const struct model *m, uint32_t cell)
{
    for (size_t v = 0; v < m->variables.count; v++)
        if (m->variables.item[v].kind == VARIABLE_CELL && m->variables.item[v].what == cell)
            return m->variables.item[v].name;
    return NULL;
}

static void test_text(const struct model *m, const struct test *test, char *text, size_t size)
{
    const char *name = name_of_cell(m, test->cell);
    const struct range *of_cell = &m->cells.item[test->cell].values, *wanted = &test->values;
    if (!name)
        snprintf(text, size, "what it tests");
    else if (wanted->low == wanted->high)
        snprintf(text, size, "%s = %" PRId64, name, wanted->low);
    else if (wanted->high >= of_cell->high)
        snprintf(text, size, "%s >= %" PRId64, name, wanted->low);
    else if (wanted->low <= of_cell->low)
        snprintf(text, size, "%s <= %" PRId64, name, wanted->high);
    else
        snprintf(text, size, "%" PRId64 " <= %s <= %" PRId64, wanted->low, name, wanted->high);
}

void guard_text(const void *model, uint32_t guard, char *text, size_t size)
{
    const struct derived *d = ((const struct instance *)model)->derived;
    const struct model *m = d->model;
    if (guard < d->location_guards) {
        uint32_t location = d->guard_locations.item[d->guard_locations.offset[guard]];
        const char *name = m->processes.item[m->locations.item[location].process].name;
        snprintf(text, size, "where %s is", name ? name : "the process");
    } else if ((guard -= d->location_guards) < d->test_guards) {
        test_text(m, &m->tests.item[d->guard_tests[guard]], text, size);
    } else if (d->has_fallbacks && guard >= d->test_guards + d->trial_guards) {
        snprintf(text, size, "that nothing else can happen");
    } else {
        snprintf(text, size, "what its code waits for");
    }
}
