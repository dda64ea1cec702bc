/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How threads begin and end.  Neither is an event: nothing that another thread does could come before a thread is
 * created or stop it from ending, and who joins it can only wait.  So creating, ending and joining happen at once, as a
 * part of the step that led there; the search is told which events the next step of a thread must follow for it
 * (native_follows).
 */
#include "native/births.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/live.h"
#include "native/memory.h"
#include "native/races.h"
#include "native/recorder.h"

#include "base/clock_vector.h"

#include <string.h>

KEPT struct silent_operations silent;
KEPT struct agents agents = {.current = NO_AGENT, .count = 1};
struct thread *threads;

bool threads_make(void)
{
    threads = calloc(MOST_THREADS, sizeof *threads);
    return threads;
}

/* The number of a thread depends on who creates it and which of its children it is, not on the schedule. */
static uint32_t agent_of_child(uint32_t parent, uint32_t index)
{
    for (uint32_t i = 1; i < agents.count; i++)
        if (agents.births[i].parent == parent && agents.births[i].index == index)
            return i;
    if (agents.count == MOST_THREADS) {
        fail_run(FAILED_REFUSED, 0, "the program creates more than %d threads", MOST_THREADS - 1);
        return 0;
    }
    agents.births[agents.count].parent = parent;
    agents.births[agents.count].index = index;
    live_birth(agents.count);
    if (agents.count++ < agents.limit)
        return agents.count - 1;
    fail_run(SEARCH_AGAIN, 0, "there are more threads than there seemed to be");
    return 0;
}

bool thread_begin(uint32_t agent, void (*entry)(void))
{
    struct thread *thread = &threads[agent];
    if (!thread_memory(agent)) {
        fail_exhausted();
        return false;
    }
    thread->exists = true;
    if (agent == 0)
        thread->float_mode = first_float_mode();
    thread->pending.kind = OP_RESET; /* nothing to wait for */
    thread->ended = thread->detached = thread->joined = thread->exits = thread->wrote = false;
    thread->follows = 0;
    thread->children = thread->last_event = thread->joiner = thread->allocations = 0;
    thread->ticks = thread->replaced = 0;
    thread->depth = 0;
    thread->random = 1;
    thread->error_number = 0;
    thread->cleanup = NULL;
    memset(thread->disturbed, 0, sizeof thread->disturbed);
    thread->recent_count = thread->history_count = thread->path = 0;
    keys_begin(thread);
    clock_clear(thread->clock, agents.width);
    clock_clear(thread->released, agents.width);
    clock_clear(thread->to_be_acquired, agents.width);
    context_make(agent, entry);
    return true;
}

static void follow_event(struct thread *thread, uint32_t agent, uint32_t event)
{
    if (!(thread->follows & agent_bit(agent)) || thread->follow[agent] < event)
        thread->follow[agent] = event;
    thread->follows |= agent_bit(agent);
}

/* What another thread did so far comes before the next step of this one. */
static void follow(struct thread *thread, uint32_t other)
{
    const struct thread *leader = &threads[other];
    if (leader->last_event)
        follow_event(thread, other, leader->last_event);
    for_agents(another, leader->follows) follow_event(thread, another, leader->follow[another]);
}

static void tell(uint32_t agent, const struct pending *op)
{
    silent.count++;
    if (recorder.on)
        record_step_ends(record_step_begins(agent), &(struct step_record){.agent = agent, .operation = *op});
}

static bool create(uint32_t agent, struct pending *op)
{
    struct thread *parent = &threads[agent];
    uint32_t number = agent_of_child(agent, parent->children);
    struct thread *child = &threads[number];
    if (run.failure.kind != NO_FAILURE)
        return false;
    journal_save_newborn(number);
    child->float_mode = parent->float_mode;
    if (!thread_begin(number, thread_entry))
        return false;
    op->operand = number;
    tell(agent, op);
    parent->children++;
    child->function = (void *(*)(void *))(uintptr_t)op->expected;
    child->argument = (void *)op->address;
    clock_copy(child->clock, parent->clock, agents.width);
    child->clock[number]++;
    parent->clock[agent]++;
    follow(child, agent);
    parent->result = number;
    make_ready(number);
    return true;
}

static bool end(uint32_t agent, const struct pending *op)
{
    struct thread *thread = &threads[agent];
    thread->ended = true;
    if (op->operand) { /* by exit, or by returning from main: whoever joins it waits forever */
        journal_save(&run.process_exits, sizeof run.process_exits);
        run.process_exits = thread->exits = true;
        return false;
    }
    note_end(agent);
    if (thread->joiner)
        make_ready(thread->joiner - 1);
    thread->joiner = 0;
    return false;
}

static void misuse(uint32_t agent, const struct pending *op, const char *what)
{
    fail_run(FAILED_MISUSE, op->caller, "%s", what);
    run.failure.agent = agent;
}

/* Waits when the other has not ended: that will make this one ready, and it comes here again. */
static bool join(uint32_t agent, const struct pending *op)
{
    struct thread *thread = &threads[agent], *other = &threads[(uint32_t)op->operand];
    if (other == thread)
        misuse(agent, op, "joins itself");
    if (other->joined || other->detached || (other->joiner && other->joiner != agent + 1))
        misuse(agent, op, other->detached ? "joins a detached thread" : "joins a thread that was joined before");
    if (!other->ended || other->exits) {
        journal_save(&other->joiner, sizeof other->joiner);
        other->joiner = agent + 1;
        return false;
    }
    tell(agent, op);
    journal_save(&other->joined, sizeof other->joined);
    other->joined = true;
    clock_join(thread->clock, other->clock, agents.width);
    follow(thread, (uint32_t)op->operand);
    thread->result = (uintptr_t)other->value;
    return run.failure.kind == NO_FAILURE;
}

bool happens_at_once(uint32_t agent)
{
    struct pending *op = &threads[agent].pending;
    switch (op->kind) {
    case OP_CREATE: return create(agent, op);
    case OP_EXIT: return end(agent, op);
    case OP_JOIN: return join(agent, op);
    default: return false;
    }
}
