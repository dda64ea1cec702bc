/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How threads begin and end.  Neither is an event: nothing that another thread does could come before a thread is
 * created or stop it from ending, and who joins it can only wait.  So creating, ending and joining happen at once, as a
 * part of the step that led there; the search is told which events the next step of a thread must follow for it
 * (native_follows).
 */
#include "native/runtime.h"

#include <string.h>

/* The number of a thread depends on who creates it and which of its children it is, not on the schedule. */
static uint32_t agent_of_child(uint32_t parent, uint32_t index)
{
    for (uint32_t i = 1; i < runtime->agent_count; i++)
        if (runtime->births[i].parent == parent && runtime->births[i].index == index)
            return i;
    if (runtime->agent_count == MOST_THREADS) {
        fail_run(FAILED_REFUSED, 0, "the program creates more than %d threads", MOST_THREADS - 1);
        return 0;
    }
    runtime->births[runtime->agent_count].parent = parent;
    runtime->births[runtime->agent_count].index = index;
    live_birth(runtime->agent_count);
    if (runtime->agent_count++ < runtime->agent_limit)
        return runtime->agent_count - 1;
    fail_run(SEARCH_AGAIN, 0, "there are more threads than there seemed to be");
    return 0;
}

bool thread_begin(uint32_t agent, void (*entry)(void))
{
    struct thread *thread = &runtime->threads[agent];
    size_t clock_bytes = runtime->agent_limit * sizeof *thread->clock;
    if (!thread_memory(agent)) {
        fail_run(FAILED_INTERNAL, 0, "memory is exhausted");
        return false;
    }
    thread->exists = true;
    if (agent == 0)
        thread->float_mode = runtime->float_mode;
    thread->pending.kind = OP_RESET; /* nothing to wait for */
    thread->ended = thread->detached = thread->joined = thread->exits = thread->wrote = thread->follows_others = false;
    thread->children = thread->last_event = thread->joiner = thread->allocations = 0;
    thread->ticks = 0;
    thread->random = 1;
    thread->error_number = 0;
    thread->last_read.known = thread->last_read.repeated = false;
    thread->cleanup = NULL;
    memset(thread->disturbed, 0, sizeof thread->disturbed);
    thread->recent_count = thread->history_count = 0;
    memset(thread->keys, 0, runtime->most_keys * sizeof *thread->keys);
    memset(thread->clock, 0, clock_bytes);
    memset(thread->released, 0, clock_bytes);
    memset(thread->to_be_acquired, 0, clock_bytes);
    context_make(agent, entry);
    return true;
}

static void follow_event(struct thread *thread, uint32_t agent, uint32_t event)
{
    if (!thread->follows_others)
        memset(thread->follow, 0, runtime->agent_limit * sizeof *thread->follow);
    thread->follows_others = true;
    if (thread->follow[agent] < event)
        thread->follow[agent] = event;
}

/* What another thread did so far comes before the next step of this one. */
static void follow(struct thread *thread, uint32_t other)
{
    const struct thread *leader = &runtime->threads[other];
    if (leader->last_event)
        follow_event(thread, other, leader->last_event);
    for (uint32_t i = 0; leader->follows_others && i < runtime->agent_limit; i++)
        if (leader->follow[i])
            follow_event(thread, i, leader->follow[i]);
}

static void tell(uint32_t agent, const struct pending *op)
{
    if (runtime->showing)
        vector_push(&runtime->silent, ((struct silent){agent, *op}));
}

static bool create(uint32_t agent, struct pending *op)
{
    struct thread *parent = &runtime->threads[agent];
    uint32_t number = agent_of_child(agent, parent->children);
    struct thread *child = &runtime->threads[number];
    if (runtime->failure.kind != NO_FAILURE)
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
    memcpy(child->clock, parent->clock, runtime->agent_limit * sizeof *child->clock);
    child->clock[number]++;
    parent->clock[agent]++;
    follow(child, agent);
    parent->result = number;
    runtime->ready[runtime->ready_count++] = number;
    return true;
}

static bool end(uint32_t agent, const struct pending *op)
{
    struct thread *thread = &runtime->threads[agent];
    thread->ended = true;
    if (op->operand) { /* by exit, or by returning from main: whoever joins it waits for ever */
        journal_save(&runtime->process_exits, sizeof runtime->process_exits);
        runtime->process_exits = thread->exits = true;
        return false;
    }
    note_end(agent);
    if (thread->joiner)
        runtime->ready[runtime->ready_count++] = thread->joiner - 1;
    thread->joiner = 0;
    return false;
}

static void misuse(uint32_t agent, const struct pending *op, const char *what)
{
    fail_run(FAILED_MISUSE, op->caller, "%s", what);
    runtime->failure.agent = agent;
}

/* Waits when the other has not ended: that will make this one ready, and it comes here again. */
static bool join(uint32_t agent, const struct pending *op)
{
    struct thread *thread = &runtime->threads[agent], *other = &runtime->threads[(uint32_t)op->operand];
    if (other->joined || other->detached || (other->joiner && other->joiner != agent + 1))
        misuse(agent, op, other->detached ? "joins a detached thread" : "joins a thread that was joined before");
    journal_save(&other->joiner, sizeof other->joiner);
    journal_save(&other->joined, sizeof other->joined);
    if (!other->ended || other->exits) {
        other->joiner = agent + 1;
        return false;
    }
    tell(agent, op);
    other->joined = true;
    for (uint32_t i = 0; i < runtime->agent_limit; i++)
        thread->clock[i] = thread->clock[i] > other->clock[i] ? thread->clock[i] : other->clock[i];
    follow(thread, (uint32_t)op->operand);
    thread->result = (uintptr_t)other->value;
    return runtime->failure.kind == NO_FAILURE;
}

bool happens_at_once(uint32_t agent)
{
    struct pending *op = &runtime->threads[agent].pending;
    switch (op->kind) {
    case OP_CREATE: return create(agent, op);
    case OP_EXIT: return end(agent, op);
    case OP_JOIN: return join(agent, op);
    default: return false;
    }
}
