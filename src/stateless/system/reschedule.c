/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/system/reschedule.h"

#include "stateless/schedule.h"
#include "stateless/system/state_machine.h"

#include <string.h>

/* The agent whose next step is this action. */
static bool find_agent(struct machine *machine, size_t depth, uint32_t action, uint32_t *agent,
                       struct portolan_step *step)
{
    for (*agent = 0; *agent < machine->agents; ++*agent)
        if (machine->class->next(machine, depth, *agent, step) && step->enabled && step->action == action)
            return true;
    return false;
}

static bool run_trace(struct machine *machine, struct execution *x, const uint32_t *trace, size_t length,
                      struct portolan_step *step)
{
    for (size_t i = 0; i < length; i++) {
        uint32_t agent;
        if (!find_agent(machine, i, trace[i], &agent, step) ||
            machine->class->take(machine, i, agent, step, NULL) != PORTOLAN_OK || !execution_append(x, agent, step, 0))
            return false;
    }
    return true;
}

static void rewrite(const struct execution *x, uint32_t *trace)
{
    struct event_list order = {0};
    uint32_t *cut = calloc((size_t)x->agents + 1, sizeof *cut);
    for (uint32_t a = 0; cut && a < x->agents; a++)
        cut[a] = x->last_of[a] == NO_EVENT ? 0 : x->events.item[x->last_of[a]].order;
    if (cut && fewest_switches(x, cut, &order))
        for (size_t i = 0; i < order.count; i++)
            trace[i] = x->events.item[order.item[i]].action;
    free(order.item);
    free(cut);
}

void reschedule(struct portolan_system *system, uint32_t *trace, size_t length)
{
    struct machine *machine = state_machine_make(system, NULL);
    if (!machine)
        return;
    struct execution x = {0};
    struct portolan_step step = {.accesses = calloc((size_t)machine->most_accesses + 1, sizeof *step.accesses)};
    if (step.accesses && execution_make(&x, machine) && run_trace(machine, &x, trace, length, &step))
        rewrite(&x, trace);
    execution_clear(&x);
    free(step.accesses);
    machine->class->free(machine);
}
