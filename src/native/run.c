/* SPDX-License-Identifier: Apache-2.0 */
/* The present run of the program: it begins, and threads take steps, one after the other. */
#include "native/run.h"
#include "native/awaits.h"
#include "native/births.h"
#include "native/choices.h"
#include "native/context.h"
#include "native/effects.h"
#include "native/errors.h"
#include "native/journal.h"
#include "native/lifetimes.h"
#include "native/live.h"
#include "native/looks.h"
#include "native/memory.h"
#include "native/objects.h"
#include "native/own_words.h"
#include "native/races.h"
#include "native/selection.h"
#include "native/settings.h"
#include "native/signals.h"
#include "native/spinning.h"
#include "native/trial.h"
#include "native/unseen.h"
#include "native/unused.h"

#include "base/clock_vector.h"

#include <stdio_ext.h>

KEPT struct run run;
static KEPT struct {
    uint32_t agents[MOST_THREADS], count;
} ready; /* threads that go on at once */

void make_ready(uint32_t agent)
{
    ready.agents[ready.count++] = agent;
}

/* Operations whose results are not used commute, unless a loop waits for what they do together, or they are about parts
 * of the object. */
static void find_group(struct pending *op)
{
    struct object *object = object_numbered(op->object);
    op->group = op->size > 8 || object->is_split || object->is_awaited ? 0 : group_of(op->kind);
    if (op->group && op->thing != A_LATCH && !result_is_unused(op->caller))
        op->group = 0;
    if (!op->group || object->has_groups)
        return;
    object->is_awaited = object_is_known(op->object, 0) & SOME_AWAIT;
    if (object->is_awaited) { /* in another process */
        op->group = 0;
        return;
    }
    object->has_groups = true;
    if (object_is_known(op->object, SOME_COMMUTE) & SOME_AWAIT)
        fail_run(SEARCH_AGAIN, 0, "a loop waits for what others do in any order");
}

/* Those who wait at an address are an object of their own, beside what is there. */
static const uintptr_t QUEUES = UINT64_C(1) << 63;

/*
 * A barrier.  As long as no more threads come to it than it waits for, each has to leave a round before the next one
 * can be complete: so to the search two rounds are two objects, and who arrives first in one makes no difference.
 */
static void find_barrier(uint32_t agent, struct pending *op)
{
    uint32_t number = op->mutex = op->object;
    struct object *object = object_state(number);
    agent_set came = object->waiting | agent_bit(agent);
    if (came != object->waiting) {
        journal_save_object(number, false);
        object->waiting = came;
    }
    bool comes_again = op->kind == OP_ARRIVE && op->operand != ARRIVES;
    if (!object->is_crowded && (comes_again || agent_count(came) > object->count)) {
        object->is_crowded = true;
        if (chosen.exploring)
            fail_run(SEARCH_AGAIN, 0, "more threads arrive at a barrier than it waits for");
    }
    if (object->is_crowded)
        return;
    uint32_t round = op->kind == OP_LEAVE ? (uint32_t)op->operand : object->generation;
    op->object = object_at(op->address + 8 + round % 2 * 8, 8);
    if (op->object == UINT32_MAX)
        fail_exhausted();
    else
        find_group(op);
}

static void find_objects(uint32_t agent, struct pending *op)
{
    op->object = object_at(op->thing == A_QUEUE ? op->address | QUEUES : op->address, op->size);
    op->mutex = op->kind == OP_WAIT         ? object_at((uintptr_t)op->expected, 8)
                : op->kind == OP_WAIT_VALUE ? object_at(op->address | QUEUES, 8)
                : op->size == 16            ? object_at(op->address + 8, 8)
                : op->thing == A_LATCH      ? op->object
                                            : 0;
    if (op->object == UINT32_MAX || op->mutex == UINT32_MAX)
        fail_exhausted();
    else if (is_about_barrier(op) && op->thing == A_BARRIER)
        find_barrier(agent, op);
    else
        find_group(op);
}

/* An object begins or ends, which is not a step. */
static bool begins_or_ends(const struct pending *op)
{
    return op->kind == OP_RESET || op->kind == OP_DESTROY;
}

static void begin_or_end(uint32_t agent, const struct pending *op)
{
    uint32_t number = object_at(op->address, op->size);
    if (number == UINT32_MAX)
        return;
    check_use(agent, op, number);
    if (op->kind == OP_RESET)
        begin_object(number, op);
}

bool is_step(const struct pending *op)
{
    return op->kind != OP_CREATE && op->kind != OP_EXIT && op->kind != OP_JOIN && op->kind != OP_STALL &&
           op->kind != OP_RULED_OUT;
}

static void stop_before_step(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    find_objects(agent, &thread->pending);
    if (run.failure.kind != NO_FAILURE)
        return;
    begin_by_use(&thread->pending);
    thread->pending.fenced = thread->released[agent] != 0;
    look_for_spinning(thread);
}

/* A look at what is taken next is no step: the thread goes on to the take, as if it had found it free. */
static void pass_look(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    struct pending op = thread->pending;
    uint64_t value, look = look_of(thread, &value);
    if (!look || run.failure.kind != NO_FAILURE)
        return;
    thread->result = value;
    remember_read(thread, &op, value, false);
    own_words_begin(agent);
    uint64_t before = exchange_memory(&op, value);
    resume(agent);
    exchange_memory(&op, before);
    own_words_end(agent);
    if (run.failure.kind == NO_FAILURE)
        stop_before_step(agent);
    thread->pending.look = (uint32_t)look;
}

/* Lets the agent run until it stops before something that others can see, waits for a thread, or ends. */
static void run_thread(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    journal_save_thread(agent);
    bool goes_on = thread->pending.kind != OP_JOIN || happens_at_once(agent); /* it may have waited for this */
    while (goes_on && run.failure.kind == NO_FAILURE) {
        own_words_begin(agent);
        resume(agent);
        own_words_end(agent);
        if (run.failure.kind != NO_FAILURE)
            return;
        if (has_called_unseen())
            journal_stop();
        goes_on = begins_or_ends(&thread->pending);
        if (goes_on)
            begin_or_end(agent, &thread->pending);
        else
            goes_on = happens_at_once(agent);
    }
    if (run.failure.kind == NO_FAILURE && is_step(&thread->pending))
        stop_before_step(agent);
    if (run.failure.kind == NO_FAILURE && is_step(&thread->pending))
        pass_look(agent);
}

static void run_one(uint32_t agent)
{
    run_thread(agent);
    errors_survive(agent);
}

/* The same, and then for those who were born or need not wait any longer. */
static void run_on(uint32_t agent)
{
    ready.count = 0;
    make_ready(agent);
    while (ready.count && run.failure.kind == NO_FAILURE)
        run_one(ready.agents[--ready.count]);
}

void begin_run(void)
{
    signals_release();
    run.number++;
    run.count++;
    run.failure.kind = NO_FAILURE;
    run.failure.address = run.failure.caller = 0;
    run.failure.text[0] = '\0';
    run.process_exits = false;
    run.top = 0;
    keys_reset();
    memory_reset();
    races_reset();
    own_words_reset();
    __fpurge(stdout);
    for (uint32_t i = 0; i < agents.limit; i++)
        threads[i].exists = false;
    if (!thread_begin(0, main_entry))
        return;
    threads[0].clock[0] = 1;
    run.beginning = true;
    run_on(0);
    run.beginning = false;
    journal_begin();
}

bool has_step(uint32_t agent)
{
    const struct thread *thread = &threads[agent];
    return thread->exists && !thread->ended && run.failure.kind == NO_FAILURE;
}

bool can_step(uint32_t agent)
{
    const struct pending *op = &threads[agent].pending;
    return has_step(agent) && is_step(op) && is_enabled(op, agent, object_value(op, 0));
}

static void keep_words(struct step_record *step)
{
    const struct pending *op = &step->operation;
    const uint64_t *words = (const uint64_t *)(op->address & ~(uintptr_t)7);
    step->words[0] = is_memory(op) ? words[0] : 0;
    step->words[1] = is_memory(op) && op->size == 16 ? words[1] : 0;
}

bool take_step(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    if (run.top >= run.steps.count) {
        if (!vector_reserve(&run.steps, 1))
            return false;
        run.steps.count = run.top + 1;
    }
    struct step_record *step = &run.steps.item[run.top];
    journal_step();
    journal_save_thread(agent);
    live_step(agent, run.top);
    step->agent = agent;
    step->operation = thread->pending;
    step->before[0] = object_value(&thread->pending, 0);
    bool has_two = thread->pending.kind == OP_WAIT || thread->pending.kind == OP_WAIT_VALUE;
    step->before[1] = has_two ? object_value(&thread->pending, 1) : 0;
    keep_words(step);
    bool changes = perform(agent, &step->operation);
    errors_survive(agent);
    remember_read(thread, &step->operation, step->before[0], changes);
    step->after = object_value(&step->operation, 0);
    step->result = (uint64_t)thread->result;
    thread->last_event = (uint32_t)++run.top;
    thread->follows = 0;
    run.taken++;
    if (run.failure.kind == NO_FAILURE && !thread->ended)
        run_on(agent);
    step = &run.steps.item[run.top - 1];
    if (step->operation.kind == OP_VOLATILE_WRITE || step->operation.kind == OP_PLAIN_WRITE) /* only now it is there */
        step->after = object_value(&step->operation, 0);
    return true;
}

bool is_stuck(void)
{
    bool waits = false;
    if (is_ruled_out() || is_selection_wrong())
        return false;
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        if (can_step(agent) && !goes_round_for_ever(&threads[agent]))
            return false;
        waits = waits || (threads[agent].exists && !threads[agent].ended && !is_chooser(agent));
    }
    return waits && !run.process_exits && run.failure.kind == NO_FAILURE;
}

bool run_prepare(uint32_t limit)
{
    agents.limit = limit;
    agents.width = clock_width(limit);
    run.number++; /* nothing of before counts */
    run.top = SIZE_MAX;
    journal_forget();
    awaits_reset();
    return objects_prepare();
}
