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
#include "native/symbols.h"

#include <unwind.h>

enum { DEEPEST_STACK = 40 };

/* Return addresses in code of the program, the innermost first. */
struct stack {
    uint32_t agent, count;
    uintptr_t callers[DEEPEST_STACK];
};

static KEPT struct stack *looked_at; /* that is being found */

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *unused)
{
    (void)unused;
    struct stack *stack = looked_at;
    int exact = 0; /* after a signal it is the instruction itself, else the one to return to */
    uintptr_t caller = _Unwind_GetIPInfo(context, &exact) + (exact ? 1 : 0);
    uintptr_t function = _Unwind_GetRegionStart(context);
    if (function == (uintptr_t)main_entry || function == (uintptr_t)thread_entry ||
        function == (uintptr_t)run_cplusplus_thread || stack->count == DEEPEST_STACK)
        return _URC_END_OF_STACK;
    stack->callers[stack->count++] = caller;
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

/* Where a thread is that has stopped: the calls that led to `caller`.  It cannot go on after that.  False: there is
 * more. */
static bool stack_of(uint32_t agent, uintptr_t caller, struct stack *stack)
{
    stack->count = 0;
    stack->agent = agent;
    if (agent >= agents.limit || !threads[agent].exists || threads[agent].ended ||
        !context_divert(agent, look_at_own_stack))
        return true;
    looked_at = stack;
    resume(agent);
    looked_at = NULL;
    uint32_t first = 0; /* what comes before is ours */
    while (first < stack->count && stack->callers[first] != caller)
        first++;
    for (uint32_t i = first; i < stack->count; i++)
        stack->callers[i - first] = stack->callers[i];
    bool whole = stack->count < DEEPEST_STACK;
    stack->count -= first;
    return whole;
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

/* --- for people */

static void take_frame_of_stack(void *user, size_t index, const char *function, const char *place)
{
    (void)index;
    struct thread_stack *stack = user;
    struct frame frame;
    snprintf(frame.function, sizeof frame.function, "%s", function);
    snprintf(frame.place, sizeof frame.place, "%s", place);
    vector_push(&stack->frames, frame); /* without memory the rest of the stack is not shown */
}

static void add_stack(struct stacks *stacks, uint32_t agent, uintptr_t caller)
{
    struct stack stack;
    bool whole = stack_of(agent, caller, &stack);
    if (!stack.count)
        return;
    struct thread_stack *found = &stacks->item[stacks->count++];
    *found = (struct thread_stack){.agent = agent, .cut = !whole};
    find_frames(stack.callers, stack.count, true, take_frame_of_stack, found);
}

void stacks_find(struct stacks *stacks, const struct failure *failure)
{
    if (failure->kind == FAILED_DEADLOCK)
        for (uint32_t agent = 0; agent < agents.limit; agent++)
            add_stack(stacks, agent, threads[agent].pending.caller);
    else
        add_stack(stacks, failure->agent, failure->caller);
    if (failure->kind == FAILED_RACE) {
        struct failure kept = *failure;
        run_to_earlier(&kept);
        add_stack(stacks, kept.other, kept.other_caller);
    }
}

void stack_print(const struct stacks *stacks, uint32_t agent, FILE *out)
{
    for (uint32_t i = 0; i < stacks->count; i++) {
        const struct thread_stack *stack = &stacks->item[i];
        if (stack->agent != agent || stack->frames.count < 2) /* one alone says no more than the place */
            continue;
        for (size_t k = 0; k < stack->frames.count; k++)
            fprintf(out, "      in %s  %s\n", stack->frames.item[k].function, stack->frames.item[k].place);
        if (stack->cut)
            fprintf(out, "      ...\n");
    }
}

void stacks_json(const struct stacks *stacks, struct json *json)
{
    json_open(json, "stacks", '[');
    for (uint32_t i = 0; i < stacks->count; i++) {
        json_open(json, NULL, '{');
        json_integer(json, "thread", stacks->item[i].agent);
        json_open(json, "frames", '[');
        for (size_t k = 0; k < stacks->item[i].frames.count; k++) {
            json_open(json, NULL, '{');
            json_string(json, "function", stacks->item[i].frames.item[k].function);
            json_string(json, "place", stacks->item[i].frames.item[k].place);
            json_close(json, '}');
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

void stacks_clear(struct stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->count; i++)
        free(stacks->item[i].frames.item);
}
