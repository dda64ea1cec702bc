/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of the program's threads, found only when something is reported: a run can be repeated, so nothing needs
 * to be kept on the way.  A thread that has stopped is resumed to look at its own stack, with the compiler's tables.
 */
#include "native/stacks.h"
#include "native/calls.h"
#include "native/context.h"
#include "native/machine.h"
#include "native/races.h"
#include "native/run.h"

#include <string.h>
#include <unwind.h>

static KEPT struct stack *looked_at; /* that is being found */

/* Its registers are those that it will find when what it called returns; its frame ends where that of its caller
 * begins, which is known one frame later. */
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *unused)
{
    static const int preserved[PRESERVED] = {3, 6, 7, 12, 13, 14, 15};
    enum { STACK_POINTER = 7 };
    (void)unused;
    struct stack *stack = looked_at;
    int exact = 0; /* after a signal it is the instruction itself, else the one to return to */
    uintptr_t caller = _Unwind_GetIPInfo(context, &exact) + (exact ? 1 : 0);
    uintptr_t function = _Unwind_GetRegionStart(context), pointer = _Unwind_GetCFA(context);
    if (stack->count)
        stack->frames[stack->count - 1].cfa = pointer;
    if (function == (uintptr_t)main_entry || function == (uintptr_t)thread_entry ||
        function == (uintptr_t)run_cplusplus_thread || stack->count == DEEPEST_STACK)
        return _URC_END_OF_STACK;
    struct recorded_frame *frame = &stack->frames[stack->count++];
    *frame = (struct recorded_frame){.agent = stack->agent, .caller = caller};
    for (int i = 0; i < PRESERVED; i++)
        frame->registers[i] = preserved[i] == STACK_POINTER ? pointer : _Unwind_GetGR(context, preserved[i]);
    return _URC_NO_REASON;
}

static void end_of_look(void)
{
    agents.current = looked_at->agent;
    leave_context();
}

static void look_at_own_stack(void)
{
    agents.current = NO_AGENT; /* what the unwinder does is no step of the program */
    _Unwind_Backtrace(add_frame, NULL);
    end_of_look();
}

bool stack_is_broken(ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    if (!looked_at)
        return false;
    registers[REG_RSP] = (registers[REG_RSP] & ~(greg_t)15) - 8; /* as if it had been called */
    registers[REG_RIP] = (greg_t)(uintptr_t)end_of_look;
    return true;
}

/* Where a thread is that has stopped: the calls that led to `caller`.  It cannot go on after that. */
static void find_stack(uint32_t agent, uintptr_t caller, struct stack *stack)
{
    stack->count = 0;
    stack->agent = agent;
    if (agent >= agents.limit || !threads[agent].exists || threads[agent].ended ||
        !context_divert(agent, look_at_own_stack))
        return;
    looked_at = stack;
    resume(agent);
    looked_at = NULL;
    uint32_t first = 0; /* what comes before is ours */
    while (first < stack->count && stack->frames[first].caller != caller)
        first++;
    if (stack->count == DEEPEST_STACK)
        stack->frames[DEEPEST_STACK - 1].is_cut = true;
    memmove(stack->frames, stack->frames + first, (stack->count - first) * sizeof *stack->frames);
    stack->count -= first;
}

/* Runs the schedule again up to the earlier access of a race. */
static void run_to_earlier(const struct failure *race)
{
    watch.on = true;
    watch.race = *race;
    begin_run();
    for (size_t i = 0; i < failing.agents.count && run.failure.kind == NO_FAILURE; i++)
        if (!can_step(failing.agents.item[i]) || !take_step(failing.agents.item[i]))
            break;
    watch.on = false;
}

void stacks_find(const struct failure *failure, take_stack *take, void *user)
{
    static KEPT struct stack stack;
    struct failure kept = *failure;
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        bool of_error = kept.kind == FAILED_DEADLOCK || agent == kept.agent;
        bool is_failing = agent == kept.agent && kept.kind != FAILED_DEADLOCK;
        find_stack(agent, is_failing ? kept.caller : threads[agent].pending.caller, &stack);
        take(user, &stack, of_error);
    }
    if (kept.kind != FAILED_RACE)
        return;
    run_to_earlier(&kept);
    find_stack(kept.other, kept.other_caller, &stack);
    take(user, &stack, true);
}
