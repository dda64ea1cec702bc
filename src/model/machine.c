/* SPDX-License-Identifier: Apache-2.0 */
#include "model/machine.h"

/* -------------------------------------------------------------- rare instructions */

static bool run_wait(const struct run *r, const struct instruction *i, const struct instruction **next)
{
    uint32_t lock = (uint32_t)(i->dst + operand_a(i, r->registers));
    if (read_cell(r, lock) != (int64_t)r->process + 1) {
        *next = r->code + i->d;
        return true;
    }
    return put_cell(r, lock, 0) && put_cell(r, condition_of(r, i) + r->process, 1);
}

static bool run_signal(const struct run *r, const struct instruction *i)
{
    uint32_t condition = condition_of(r, i);
    struct waiters waiters = count_waiters(r, condition);
    return waiters.count <= waiters.permits ||
           issue(r, condition, i->code == CODE_SIGNAL ? 1 : waiters.count - waiters.permits);
}

static bool run_fetch_add(const struct run *r, const struct instruction *i, const struct instruction **next)
{
    uint32_t cell = place_of(i, r->registers);
    int64_t value = read_cell(r, cell), sum;
    if (arithmetic(OPERATION_ADD, &r->types[i->type], value, operand_a(i, r->registers), &sum)) {
        *next = r->code + i->d;
        return true;
    }
    r->registers[i->dst] = value;
    return put_cell(r, cell, sum);
}

static bool run_rare(const struct run *r, const struct instruction *i, const struct instruction **next)
{
    uint32_t cell;
    bool is_so, fits = true;
    switch (i->code) {
    case CODE_TRYLOCK:
        cell = place_of(i, r->registers);
        is_so = read_cell(r, cell) == 0;
        if (is_so)
            fits = put_cell(r, cell, (int64_t)r->process + 1);
        r->registers[i->dst] = is_so;
        return fits;
    case CODE_FETCH_ADD: return run_fetch_add(r, i, next);
    case CODE_WAIT: return run_wait(r, i, next);
    case CODE_WAKE: wake(r, condition_of(r, i)); return true;
    case CODE_SIGNAL:
    case CODE_BROADCAST: return run_signal(r, i);
    case CODE_SPAWN: return run_spawn(r, i, next);
    case CODE_JOIN:
        if (life_of(r, operand_a(i, r->registers)) == MODEL_NONE)
            *next = r->code + i->d;
        return true;
    case CODE_APPEND: put_in_queue(r, i, next, &fits); return fits;
    case CODE_TAKE: return take_from_queue(r, i);
    default: return true;
    }
}

bool machine_run_rare(const struct instance *in, uint64_t *state, int64_t *registers, uint32_t process,
                      const struct instruction *i, const struct instruction **next)
{
    struct run r = make_run(in, state, registers, process);
    return run_rare(&r, i, next);
}

/* ------------------------------------------------------------------------- firing */

uint32_t machine_code(const struct instance *in, const uint64_t *state, uint32_t action)
{
    const struct action *a = &in->model->actions.item[action];
    if (a->process == MODEL_NONE)
        return in->model->edges.item[a->first_edge].code;
    return edge_code(in->model, a, location_of(in, state, a->process));
}

/* Apart, so that what most actions do not have costs them nothing. */
static __attribute__((noinline)) enum outcome run_common(const struct instance *in, uint64_t *state, int64_t *registers,
                                                         const struct action_summary *s)
{
    struct run r = make_run(in, state, registers, s->process);
    uint32_t end;
    return run_code(&r, s->common, TO_FIRE, &end);
}

static enum portolan_fired does_not_fit(const struct instance *in)
{
    const struct range *values = &in->model->cells.item[misfit.field].values;
    bool is_value = values->low <= misfit.value && misfit.value <= values->high;
    return in->is_compact && is_value ? PORTOLAN_TOO_NARROW : PORTOLAN_TOO_LARGE;
}

/* Two words at a time, which may overlap. */
static inline void copy_words(uint64_t *to, const uint64_t *from, uint32_t words)
{
    enum { PAIR = 2, FEW = 4 };
    if (words > FEW) {
        memcpy(to, from, words * sizeof *to);
    } else if (words == 1) {
        *to = *from;
    } else {
        memcpy(to, from, PAIR * sizeof *to);
        memcpy(to + words - PAIR, from + words - PAIR, PAIR * sizeof *to);
    }
}

static inline __attribute__((always_inline)) enum portolan_fired
fire_with(const struct instance *in, const uint64_t *state, uint32_t action, uint64_t *successor, int64_t *registers)
{
    const struct derived *d = in->derived;
    const struct action_summary *s = &d->summaries[action];
    struct run r = make_run(in, successor, registers, s->process);
    uint32_t code = s->is_plain ? s->code : machine_code(in, state, action), end;
    uint32_t live = load_registers(in, state, action, registers);
    copy_words(successor, state, in->packed.layout.words);
    if (!s->is_plain && s->common != MODEL_NONE && run_common(in, successor, registers, s) != RAN)
        return does_not_fit(in);
    if (run_code(&r, code, TO_FIRE, &end) == RAN &&
        ((!s->is_plain && s->process == MODEL_NONE) || rest(&r, s, end, live, d->registers.item + s->first_register)))
        return PORTOLAN_FIRED;
    return does_not_fit(in);
}

static __attribute__((noinline)) enum portolan_fired fire_with_many(const struct instance *in, const uint64_t *state,
                                                                    uint32_t action, uint64_t *successor)
{
    int64_t registers[in->derived->most_registers];
    return fire_with(in, state, action, successor, registers);
}

enum portolan_fired machine_fire(const void *model, const void *state, uint32_t action, void *successor)
{
    enum { FEW_REGISTERS = 64 };
    const struct instance *in = model;
    int64_t registers[FEW_REGISTERS];
    if (in->derived->most_registers > FEW_REGISTERS)
        return fire_with_many(in, state, action, successor);
    return fire_with(in, state, action, successor, registers);
}

void machine_initial(const struct instance *widest, uint64_t *state)
{
    const struct model *m = widest->model;
    int64_t registers[widest->derived->most_registers];
    const uint16_t none = 0;
    memset(state, 0, (size_t)widest->packed.layout.words * 8);
    for (uint32_t i = 0; i < m->cells.count; i++)
        field_put(&widest->packed.layout.field[i], state, m->cells.item[i].initial);
    for (uint32_t p = 0; p < m->processes.count; p++) {
        const struct process *process = &m->processes.item[p];
        uint32_t end = process->first_location;
        struct run r = make_run(widest, state, registers, p);
        const struct action_summary whole = {0};
        memset(registers, 0, sizeof registers);
        if (process->start != MODEL_NONE)
            run_code(&r, process->start, TO_FIRE, &end);
        rest(&r, &whole, end, 0, &none);
        for (uint32_t k = 0; k < m->locations.item[end].live; k++)
            put_cell(&r, process->first_register + k, registers[k]);
    }
}

/* ----------------------------------------------------------------------- enabled */

/* What has written before it blocks is tried on a copy, in which everything fits. */
static bool try_on_copy(const struct instance *in, const uint64_t *state, uint32_t action, uint32_t code)
{
    const struct instance *widest = in->derived->widest;
    const struct action *a = &in->model->actions.item[action];
    uint64_t copy[widest->packed.layout.words];
    int64_t registers[in->derived->most_registers];
    uint32_t end;
    layout_convert(&in->packed.layout, state, &widest->packed.layout, copy);
    struct run r = make_run(widest, copy, registers, a->process);
    load_registers(widest, copy, action, registers);
    if (a->common != MODEL_NONE)
        run_common(widest, copy, registers, &in->derived->summaries[action]);
    return run_code(&r, code, TO_TRY, &end) != BLOCKED;
}

bool machine_can_go_on(const struct instance *in, const uint64_t *state, uint32_t action, uint32_t code)
{
    const struct model *m = in->model;
    const struct action *a = &m->actions.item[action];
    const struct action_summary *summary = &in->derived->summaries[action];
    if (!summary->may_block)
        return true;
    if (summary->writes_first || a->common != MODEL_NONE)
        return try_on_copy(in, state, action, code);
    int64_t registers[in->derived->most_registers];
    struct run r = make_run(in, (uint64_t *)state, registers, a->process);
    uint32_t end;
    load_registers(in, state, action, registers);
    return run_code(&r, code, TO_TRY, &end) != BLOCKED;
}

/* Whether the code of a departure does not block; most often it begins with a lock, whose cell tells. */
static inline bool can_depart(const struct instance *in, const uint64_t *state, const struct departure *d)
{
    if (!d->may_block)
        return true;
    if (d->lock == MODEL_NONE)
        return machine_can_go_on(in, state, d->action, d->code);
    const struct field *field = in->packed.layout.field + d->lock;
    if (d->lock_index != MODEL_NONE)
        field += cell_value(in, state, d->lock_index);
    return field_get(field, state) == 0;
}

bool machine_can_depart(const struct instance *in, const uint64_t *state, const struct departure *d)
{
    return can_depart(in, state, d);
}

static inline bool is_enabled(const struct instance *in, const uint64_t *state, const struct departure *d)
{
    return tests_hold(in, state, d->first_test, d->tests) && !(d->is_stop && in->without_stops) &&
           can_depart(in, state, d);
}

/* The same where fallbacks are not asked for. */
static inline bool is_enabled_first(const struct instance *in, const uint64_t *state, const struct departure *d)
{
    if (d->is_rare)
        return !d->is_fallback && is_enabled(in, state, d);
    return (!d->tests || tests_hold(in, state, d->first_test, d->tests)) && can_depart(in, state, d);
}

bool machine_is_enabled(const struct instance *in, const uint64_t *state, uint32_t action)
{
    const struct action *a = &in->model->actions.item[action];
    uint32_t code = machine_code(in, state, action);
    return code != MODEL_NONE && tests_hold(in, state, a->first_test, a->tests) &&
           !(in->without_stops && in->derived->is_stop[action]) && machine_can_go_on(in, state, action, code);
}

/* Where nothing else is enabled those that wait for that are. */
static uint32_t enabled_fallbacks(const struct instance *in, const uint64_t *state, uint32_t *out)
{
    const struct derived *d = in->derived;
    uint32_t count = 0;
    for (uint32_t p = 0; p < in->model->processes.count; p++) {
        uint32_t location = location_of(in, state, p);
        for (uint32_t k = d->first_departure[location]; k < d->first_departure[location + 1]; k++)
            if (d->departures[k].is_fallback && is_enabled(in, state, &d->departures[k]))
                out[count++] = d->departures[k].action;
    }
    return count;
}

bool model_process_is_enabled(const void *system_model, const void *state, uint32_t process)
{
    const struct instance *in = system_model;
    const struct derived *d = in->derived;
    for (uint32_t p = 0; p < in->model->processes.count; p++) {
        uint32_t location = location_of(in, state, p);
        for (uint32_t k = d->first_departure[location];
             k < d->first_departure[location + 1] && (process == MODEL_NONE || p == process); k++)
            if (is_enabled_first(in, state, &d->departures[k]))
                return true;
    }
    return false;
}

bool model_is_stuck(const void *system_model, const void *state)
{
    const struct instance *in = system_model;
    const struct derived *d = in->derived;
    if (model_process_is_enabled(system_model, state, MODEL_NONE))
        return false;
    for (uint32_t p = 0; p < in->model->processes.count && d->has_fallbacks; p++) {
        uint32_t location = location_of(in, state, p);
        for (uint32_t k = d->first_departure[location]; k < d->first_departure[location + 1]; k++)
            if (d->departures[k].is_fallback && is_enabled(in, state, &d->departures[k]))
                return false;
    }
    return true;
}

/* Of the actions in the list those of processes with the highest priority. */
static uint32_t keep_highest(const struct instance *in, const uint64_t *state, uint32_t *list, uint32_t count)
{
    const struct model *m = in->model;
    int64_t highest = INT64_MIN;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t priority = cell_value(in, state, m->priorities + m->actions.item[list[i]].process);
        if (priority > highest) {
            highest = priority;
            kept = 0;
        }
        if (priority == highest)
            list[kept++] = list[i];
    }
    return kept;
}

uint32_t machine_enabled(const void *model, const void *state, uint32_t *out)
{
    const struct instance *in = model;
    const struct derived *d = in->derived;
    const struct process *process = in->model->processes.item, *last = process + in->model->processes.count;
    const struct field *field = in->packed.layout.field;
    const struct departure *departures = d->departures;
    const uint32_t *first = d->first_departure;
    uint32_t count = 0;
    for (; process < last; process++) {
        uint32_t location = process->first_location + (uint32_t)field_get(&field[process->location_cell], state);
        const struct departure *departure = departures + first[location], *end = departures + first[location + 1];
        for (; departure < end; departure++)
            if (is_enabled_first(in, state, departure))
                out[count++] = departure->action;
    }
    for (uint32_t i = 0; i < d->nobodys_count; i++)
        if (machine_is_enabled(in, state, d->nobodys[i]))
            out[count++] = d->nobodys[i];
    if (!count && d->has_fallbacks)
        count = enabled_fallbacks(in, state, out);
    return in->model->priorities == MODEL_NONE ? count : keep_highest(in, state, out, count);
}

const struct departure *machine_next(const struct instance *in, const uint64_t *state, uint32_t process)
{
    const struct derived *d = in->derived;
    uint32_t location = location_of(in, state, process);
    const struct departure *departure = d->departures + d->first_departure[location];
    if (d->first_departure[location] == d->first_departure[location + 1])
        return NULL;
    if (in->model->locations.item[location].is_unborn && !is_enabled(in, state, departure))
        return NULL;
    return departure;
}
