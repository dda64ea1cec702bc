/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The footprint of a model.  Where no location has two actions, processes are the agents, and what a step touches is
 * found by looking at this state: a compare-and-swap that fails only reads.  Otherwise every action is an agent that
 * always touches the same: its process and the objects it may touch.
 */
#include "model/machine.h"

#include <stdio.h>

/* What an instruction writes depends on what it finds. */
static bool writes_cell(const struct run *r, const struct instruction *i, uint32_t cell)
{
    int64_t value = read_cell(r, cell), sum;
    switch (i->code) {
    case CODE_LOAD: return false;
    case CODE_CAS: return value == operand_a(i, r->registers);
    case CODE_FETCH_ADD: return !arithmetic(OPERATION_ADD, &r->types[i->type], value, operand_a(i, r->registers), &sum);
    case CODE_TRYLOCK: return value == 0;
    case CODE_UNLOCK: return value == (int64_t)r->process + 1;
    default: return true;
    }
}

static void touch_condition(const struct run *r, const struct instruction *i)
{
    uint32_t condition = condition_of(r, i);
    bool writes = true;
    if (i->code == CODE_WAIT) {
        uint32_t lock = (uint32_t)(i->dst + operand_a(i, r->registers));
        writes = read_cell(r, lock) == (int64_t)r->process + 1;
        touch_cell(r, lock, writes, true);
        if (!writes)
            return;
    } else if (i->code == CODE_SIGNAL || i->code == CODE_BROADCAST) {
        struct waiters waiters = count_waiters(r, condition);
        writes = waiters.count > waiters.permits;
    }
    touch_cell(r, condition, writes, true);
}

void machine_touch(const struct run *r, const struct instruction *i)
{
    uint32_t cell;
    switch (i->code) {
    case CODE_WAIT:
    case CODE_WAKE:
    case CODE_SIGNAL:
    case CODE_BROADCAST: touch_condition(r, i); break;
    case CODE_SPAWN:
        if ((cell = child_to_spawn(r, i)) != MODEL_NONE)
            touch_cell(r, life_of(r, cell), true, true);
        break;
    case CODE_JOIN:
        if ((cell = life_of(r, operand_a(i, r->registers))) != MODEL_NONE)
            touch_cell(r, cell, false, true);
        break;
    case CODE_APPEND:
    case CODE_TAKE: touch_cell(r, (uint32_t)i->c, true, true); break;
    default:
        cell = place_of(i, r->registers);
        touch_cell(r, cell, writes_cell(r, i, cell), i->flags & SYNCHRONISES);
        break;
    }
}

static void touch_tests(const struct instance *in, const struct action *a, struct portolan_step *step)
{
    for (uint32_t k = 0; k < a->tests; k++) {
        uint32_t object = in->model->cells.item[in->model->tests.item[a->first_test + k].cell].object;
        if (object != MODEL_NONE)
            touch(step, object, false, true);
    }
}

/* Runs on a copy, in which everything fits, as far as anything is touched; false when it blocks. */
static bool record(const struct instance *in, const uint64_t *state, uint32_t process, uint32_t code,
                   struct portolan_step *step)
{
    const struct instance *widest = in->derived->widest;
    uint64_t copy[widest->packed.layout.words];
    int64_t registers[in->derived->most_registers];
    uint32_t end;
    if (!in->is_compact)
        memcpy(copy, state, sizeof copy);
    else
        layout_convert(&in->packed.layout, state, &widest->packed.layout, copy);
    struct run r = make_run(widest, copy, registers, process);
    r.step = step;
    load_registers(widest, copy, step->action, registers);
    return run_code(&r, code, TO_RECORD, &end) != BLOCKED;
}

/* One instruction touches cells, and is the first: nothing need be run for it. */
static void record_single(const struct instance *in, const uint64_t *state, uint32_t process, uint32_t code,
                          struct portolan_step *step)
{
    int64_t registers[in->derived->most_registers];
    struct run r = make_run(in, (uint64_t *)state, registers, process);
    r.step = step;
    load_registers(in, state, step->action, registers);
    machine_touch(&r, &r.code[code]);
}

static bool next_of_process(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct instance *in = model;
    const struct derived *d = in->derived;
    const struct departure *departure = machine_next(in, state, agent);
    if (!departure)
        return false;
    const struct action_summary *summary = &d->summaries[departure->action];
    const struct action *a = &in->model->actions.item[departure->action];
    step->action = departure->action;
    step->varies = summary->varies;
    step->access_count = 0;
    touch_tests(in, a, step);
    bool passes = tests_hold(in, state, a->first_test, a->tests);
    if (summary->is_single) {
        record_single(in, state, agent, departure->code, step);
        step->enabled = passes && machine_can_depart(in, state, departure);
    } else {
        step->enabled = record(in, state, agent, departure->code, step) && passes;
    }
    step->waits_for = summary->waits_for;
    if (summary->waits_for == PORTOLAN_SEVERAL_OBJECTS) {
        for_list (object, d->objects, departure->action)
            touch(step, *object, false, true);
    } else if (summary->waits_for != PORTOLAN_NO_OBJECT) {
        step->waits_for = step->access_count ? step->accesses[0].object : PORTOLAN_NO_OBJECT;
    }
    return true;
}

/* The process is as it is, all that is shared as it was. */
static bool next_as_if(const void *model, const void *state, uint32_t agent, const void *earlier,
                       struct portolan_step *step)
{
    const struct instance *in = model;
    const struct process *p = &in->model->processes.item[agent];
    uint64_t mixed[in->packed.layout.words];
    memcpy(mixed, earlier, sizeof mixed);
    const struct field *field = &in->packed.layout.field[p->location_cell];
    field_put(field, mixed, field_get(field, state));
    for (uint32_t k = 0; k < p->registers; k++) {
        field = &in->packed.layout.field[p->first_register + k];
        field_put(field, mixed, field_get(field, state));
    }
    return next_of_process(model, mixed, agent, step);
}

/* ----------------------------------------------------------------- actions as agents */

/* Objects behind those of the model are the processes. */
static bool next_of_action(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct instance *in = model;
    const struct model *m = in->model;
    const struct action *a = &m->actions.item[agent];
    step->action = agent;
    step->varies = false;
    step->access_count = 0;
    if (a->process != MODEL_NONE)
        touch(step, (uint32_t)m->objects.count + a->process, true, true);
    touch_tests(in, a, step);
    uint32_t needed = step->access_count;
    for_list (object, in->derived->objects, agent)
        touch(step, *object, true, true);
    if (in->derived->summaries[agent].may_block)
        needed = step->access_count;
    step->waits_for = needed == 0   ? PORTOLAN_NO_OBJECT
                      : needed == 1 ? step->accesses[0].object
                                    : PORTOLAN_SEVERAL_OBJECTS;
    step->enabled = machine_is_enabled(in, state, agent);
    return true;
}

/* --------------------------------------------------------------------------- making */

static void agent_name(const void *model, uint32_t agent, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const struct instance *)model)->model->processes.item[agent].name);
}

static void object_name(const void *model, uint32_t object, char *text, size_t size)
{
    const struct model *m = ((const struct instance *)model)->model;
    snprintf(text, size, "%s",
             object < m->objects.count ? m->objects.item[object] : m->processes.item[object - m->objects.count].name);
}

bool derive_footprint(struct derived *d)
{
    const struct model *m = d->model;
    struct portolan_footprint *view = &d->footprint;
    bool by_process = d->agents_are_processes;
    *view = (struct portolan_footprint){.agents = (uint32_t)(by_process ? m->processes.count : m->actions.count),
                                        .objects = (uint32_t)(m->objects.count + m->processes.count),
                                        .next = by_process ? next_of_process : next_of_action,
                                        .next_as_if = by_process ? next_as_if : NULL,
                                        .agent_name = by_process ? agent_name : NULL,
                                        .object_name = object_name,
                                        .step_text = by_process ? step_text : NULL,
                                        .standing = by_process ? standing : NULL,
                                        .in_columns = by_process && m->in_columns,
                                        .place = by_process && m->in_columns ? place : NULL};
    for (uint32_t t = 0; t < m->actions.count; t++) {
        bool single = by_process && d->summaries[t].is_single && d->summaries[t].waits_for != PORTOLAN_SEVERAL_OBJECTS;
        uint32_t count = single ? m->actions.item[t].tests + 2 : list_length(&d->objects, t) + 1; /* wait has two */
        if (count > view->most_accesses)
            view->most_accesses = count;
    }
    return true;
}
