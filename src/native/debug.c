/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a schedule for a debugger.  It stops at two functions, which are called in the context of the thread in
 * question, so that the thread's stack and variables are there to be looked at.
 */
#include "native/births.h"
#include "native/context.h"
#include "native/machine.h"
#include "native/report.h"
#include "native/run.h"
#include "native/symbols.h"

#include <string.h>

KEPT struct debugger debugger;
static KEPT bool announced; /* the debugger has seen the failure */
static KEPT char announcement[400];

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_WRONG = 2 };

/* What is about to happen, who does it, and where in the program. */
EXPORT void portolan_step(const char *text, unsigned agent, uintptr_t caller, size_t number);
/* What is wrong; for a deadlock once for each thread that waits. */
EXPORT void portolan_failure(const char *text, unsigned agent, uintptr_t caller);

__attribute__((noinline)) void portolan_step(const char *text, unsigned agent, uintptr_t caller, size_t number)
{
    __asm__ volatile("" : : "r"(text), "r"(agent), "r"(caller), "r"(number) : "memory");
}

__attribute__((noinline)) void portolan_failure(const char *text, unsigned agent, uintptr_t caller)
{
    __asm__ volatile("" : : "r"(text), "r"(agent), "r"(caller) : "memory");
}

/* What the thread is about to do, made by the scheduler: contexts of the program may not allocate. */
static void describe(uint32_t agent, char *text, size_t size)
{
    const struct pending *op = &threads[agent].pending;
    char name[32], what[120] = "";
    bool about_thread = op->kind == OP_CREATE || op->kind == OP_JOIN;
    agent_name(agent, name, sizeof name);
    if (about_thread)
        agent_name((uint32_t)op->operand, what, sizeof what);
    else if (op->kind != OP_EXIT)
        describe_address(op->address, what, sizeof what);
    snprintf(text, size, "%s: %s%s%s", name, operation_word(op->kind), what[0] ? " " : "", what);
}

/* The row of the next step in the schedule that is shown, where creating and joining threads have rows too. */
static size_t row(void)
{
    return run.top + silent.count + 1;
}

void announce(void)
{
    const struct failure *failure = &run.failure;
    uint32_t agent = agents.current;
    const struct pending *op = &threads[agent].pending;
    if (failure->kind == NO_FAILURE || failure->kind == FAILED_DEADLOCK) {
        if (failure->kind == NO_FAILURE)
            portolan_step(announcement, agent, op->caller, row());
        else
            portolan_failure(announcement, agent, op->caller);
        return;
    }
    bool has_place = failure->kind != FAILED_FAULT && failure->kind != FAILED_TOO_LONG;
    portolan_failure(failure->text, agent, has_place ? failure->caller : 0);
    announced = true;
}

/* In the context of the thread. */
static void announce_in(uint32_t agent)
{
    debugger.announces = true;
    resume(agent);
    debugger.announces = false;
}

static void announce_deadlock(void)
{
    size_t size = sizeof announcement;
    run.failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct thread *thread = &threads[agent];
        if (!thread->exists || thread->ended)
            continue;
        int used = snprintf(announcement, size, "deadlock: each waits forever; ");
        describe(agent, announcement + used, size - (size_t)used);
        announce_in(agent);
    }
}

int debug_schedule(void)
{
    size_t size = sizeof announcement;
    debugger.follows = silent.wanted = true;
    silent.count = 0;
    begin_run();
    for (size_t i = 0; i < failing.agents.count && run.failure.kind == NO_FAILURE; i++) {
        uint32_t agent = failing.agents.item[i];
        if (agent >= agents.limit || !can_step(agent)) {
            fprintf(stderr, "error: the schedule cannot be run: step %zu is not possible\n", i + 1);
            return EXIT_WRONG;
        }
        int used = snprintf(announcement, size, "step %zu, ", row());
        describe(agent, announcement + used, size - (size_t)used);
        announce_in(agent);
        if (!take_step(agent))
            return EXIT_WRONG;
    }
    if (is_stuck())
        announce_deadlock();
    else if (run.failure.kind != NO_FAILURE && !announced) /* the step itself was wrong */
        announce_in(run.failure.agent);
    fflush(stdout);
    return run.failure.kind == NO_FAILURE ? EXIT_FINE : EXIT_FAILED;
}
