/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables that are no longer there: of threads that have ended, and of functions that have returned. */
#include "native/memory.h"
#include "native/races.h"
#include "native/run.h"

static bool ends_process(const struct thread *thread)
{
    return thread->pending.kind == OP_EXIT && thread->pending.operand;
}

/* What the address belonged to, or NULL when it is still there. */
static const char *what_is_gone(const struct thread *owner, uintptr_t address, uintptr_t frame)
{
    if (owner->ended && !ends_process(owner)) /* else nothing goes before the process does */
        return "memory of a thread that has ended";
    return is_on_stack(owner, address) && address < frame ? "a local variable of a function that has returned" : NULL;
}

void check_frames(uint32_t number, uint32_t agent, uintptr_t address, uintptr_t frame, bool writes, uintptr_t caller)
{
    const struct thread *owner = &threads[number];
    bool is_running = number == agents.current;
    const char *gone = what_is_gone(owner, address, is_running ? frame : (uintptr_t)owner->stack_pointer);
    if (!gone || !owner->exists || run.failure.kind != NO_FAILURE)
        return;
    run.failure.address = address;
    fail_run(FAILED_MEMORY, caller, "%s %s", writes ? "writes" : "reads", gone);
    run.failure.agent = agent;
}
