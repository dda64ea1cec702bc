/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as a machine of the stateless search.  It remembers what each step of the present execution was
 * about to do and what its objects were like before; to get to an earlier depth it runs the program again.
 */
#include "native/lifetimes.h"
#include "native/memory.h"

#include "base/diagnostic.h"
#include "stateless/schedule.h"

#include <stdio_ext.h>
#include <string.h>

/* --- steps */

/* What it leaves behind is not known, or is in two objects: loops cannot rely on their values. */
static void mixed_access(const struct pending *op)
{
    object_touched(op->object, op->address, 0);
    if (op->size == 16)
        object_touched(op->mutex, op->address + 8, 0);
}

static void find_objects(struct pending *op)
{
    op->object = object_at(op->address, op->size);
    op->mutex = op->kind == OP_WAIT ? object_at((uintptr_t)op->expected, 8)
                : op->size == 16    ? object_at(op->address + 8, 8)
                                    : 0;
    if (op->object == UINT32_MAX || op->mutex == UINT32_MAX)
        fail_run(FAILED_INTERNAL, 0, "memory is exhausted");
    else if (op->size <= 8 && op->kind != OP_PLAIN_READ && op->kind != OP_PLAIN_WRITE)
        object_touched(op->object, op->address, op->size);
    else
        mixed_access(op);
}

/* What is no step of its own: an object begins or ends. */
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

/* An atomic, or a plain access that is explored as one. */
static bool is_memory(const struct pending *op)
{
    return op->kind <= OP_PLAIN_WRITE;
}

static bool is_step(const struct pending *op)
{
    return op->kind != OP_CREATE && op->kind != OP_EXIT && op->kind != OP_JOIN && op->kind != OP_STALL;
}

/* Lets the agent run until it stops before something that others can see, waits for a thread, or ends. */
static void run_one(uint32_t agent)
{
    struct thread *thread = &runtime->threads[agent];
    journal_save_thread(agent);
    bool goes_on = thread->pending.kind != OP_JOIN || happens_at_once(agent); /* it may have waited for this */
    while (goes_on && runtime->failure.kind == NO_FAILURE) {
        resume(agent);
        if (runtime->failure.kind != NO_FAILURE)
            return;
        if (has_called_unseen())
            journal_stop();
        goes_on = begins_or_ends(&thread->pending);
        if (goes_on)
            begin_or_end(agent, &thread->pending);
        else
            goes_on = happens_at_once(agent);
    }
    if (runtime->failure.kind == NO_FAILURE && is_step(&thread->pending)) {
        find_objects(&thread->pending);
        if (runtime->failure.kind != NO_FAILURE)
            return;
        begin_by_use(&thread->pending);
        thread->pending.fenced = thread->released[agent] != 0;
        look_for_spinning(thread);
    }
}

/* The same, and then for those who were born or need not wait any longer. */
static void run_on(uint32_t agent)
{
    runtime->ready[0] = agent;
    runtime->ready_count = 1;
    while (runtime->ready_count && runtime->failure.kind == NO_FAILURE)
        run_one(runtime->ready[--runtime->ready_count]);
}

void begin_run(void)
{
    signals_release();
    runtime->run++;
    runtime->runs++;
    runtime->failure.kind = NO_FAILURE;
    runtime->failure.address = runtime->failure.caller = 0;
    runtime->failure.text[0] = '\0';
    runtime->process_exits = false;
    runtime->key_count = 0;
    runtime->top = 0;
    memory_reset();
    races_reset();
    __fpurge(stdout);
    for (uint32_t i = 0; i < runtime->agent_limit; i++)
        runtime->threads[i].exists = false;
    if (!thread_begin(0, main_entry))
        return;
    runtime->threads[0].clock[0] = 1;
    runtime->beginning = true;
    run_on(0);
    runtime->beginning = false;
    journal_begin();
}

/* Has one of the values that a loop found changed? */
static bool has_changed(const struct cycle *cycle, const uint64_t *values)
{
    for (uint32_t i = 0; i < cycle->count; i++)
        if (values[i] != cycle->reads[i].value)
            return true;
    return false;
}

static uint64_t value_now(const struct cycle_read *read)
{
    uint64_t value = 0;
    memcpy(&value, (void *)read->address, read->size);
    return value;
}

static bool has_changed_now(const struct cycle *cycle)
{
    uint64_t values[MOST_IN_LOOP];
    for (uint32_t i = 0; i < cycle->count; i++)
        values[i] = value_now(&cycle->reads[i]);
    return has_changed(cycle, values);
}

static const struct cycle *cycle_of(const struct pending *op)
{
    return op->cycle ? runtime->cycles.item[op->cycle - 1] : NULL;
}

/* It sees everything that it waits for. */
static void describe_cycle(const struct cycle *cycle, bool changed, struct portolan_step *step)
{
    step->waits_for = PORTOLAN_SEVERAL_OBJECTS;
    step->enabled = step->enabled && changed;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (cycle->reads[i].object != step->accesses[0].object)
            step->accesses[step->access_count++] = (struct portolan_access){cycle->reads[i].object, false, true};
}

static void describe(const struct pending *op, uint32_t agent, uint64_t value, struct portolan_step *step)
{
    step->action = agent;
    step->access_count = 0;
    step->enabled = step->varies = false;
    step->waits_for = PORTOLAN_NO_OBJECT;
    if (!is_step(op)) /* it waits for a thread to end */
        return;
    step->enabled = is_enabled(op, agent, value);
    step->waits_for = op->kind == OP_WRITE_LOCK ? PORTOLAN_SEVERAL_OBJECTS
                      : may_wait(op)            ? op->object
                                                : PORTOLAN_NO_OBJECT;
    step->varies = may_vary(op);
    step->access_count = 1;
    step->accesses[0] = (struct portolan_access){op->object, has_effect(op, agent, value), true};
    if (op->kind == OP_WAIT || op->size == 16)
        step->accesses[step->access_count++] = (struct portolan_access){op->mutex, op->kind != OP_LOAD, true};
}

static bool has_step(uint32_t agent)
{
    const struct thread *thread = &runtime->threads[agent];
    return thread->exists && !thread->ended && runtime->failure.kind == NO_FAILURE;
}

bool can_step(uint32_t agent)
{
    const struct pending *op = &runtime->threads[agent].pending;
    return has_step(agent) && is_step(op) && is_enabled(op, agent, object_value(op, 0)) &&
           (!op->cycle || has_changed_now(cycle_of(op)));
}

bool take_step(uint32_t agent)
{
    struct thread *thread = &runtime->threads[agent];
    if (runtime->top >= runtime->steps.count) {
        if (!vector_reserve(&runtime->steps, 1))
            return false;
        runtime->steps.count = runtime->top + 1;
    }
    struct step_record *step = &runtime->steps.item[runtime->top];
    journal_step();
    journal_save_thread(agent);
    live_step(agent, runtime->top);
    step->agent = agent;
    step->operation = thread->pending;
    step->before[0] = object_value(&thread->pending, 0);
    step->before[1] = thread->pending.kind == OP_WAIT ? object_value(&thread->pending, 1) : 0;
    step->word = is_memory(&thread->pending) ? *(const uint64_t *)(thread->pending.address & ~(uintptr_t)7) : 0;
    remember_read(thread, &thread->pending, step->before[0], changes_value(&thread->pending, agent, step->before[0]));
    perform(agent, &step->operation);
    step->after = object_value(&step->operation, 0);
    step->result = (uint64_t)thread->result;
    thread->last_event = (uint32_t)++runtime->top;
    thread->follows_others = false;
    runtime->taken++;
    if (runtime->failure.kind == NO_FAILURE && !thread->ended)
        run_on(agent);
    return true;
}

/* --- the machine */

/* Runs the program again, up to a depth. */
static bool run_again_to(size_t depth)
{
    begin_run();
    while (runtime->top < depth) {
        struct step_record expected = runtime->steps.item[runtime->top];
        const struct pending *op = &runtime->threads[expected.agent].pending;
        if (!can_step(expected.agent) || op->kind != expected.operation.kind ||
            op->object != expected.operation.object || op->caller != expected.operation.caller) {
            runtime->failure = (struct failure){.kind = FAILED_DIVERGED, .agent = expected.agent, .caller = op->caller};
            snprintf(runtime->failure.text, sizeof runtime->failure.text,
                     "step %zu was another one when the program was run again", runtime->top + 1);
            return false;
        }
        if (!take_step(expected.agent))
            return false;
    }
    return true;
}

/* Undone in the way and run again: is it the same?  Else there are writes that nobody reported. */
static bool check_journal(size_t depth)
{
    uint64_t expected = memory_hash();
    if (!run_again_to(depth))
        return false;
    if (memory_hash() == expected)
        return true;
    journal_stop();
    fail_run(runtime->journal_is_suspect ? FAILED_INTERNAL : SEARCH_AGAIN, 0,
             "memory is written by code that does not report it");
    return false;
}

static bool go_back(size_t depth)
{
    enum { CHECKED = 8192 }; /* one in so many, and more often at first */
    if (!journal_can_undo(depth))
        return run_again_to(depth);
    journal_undo(depth);
    uint64_t undone = ++runtime->undone;
    bool is_checked = (undone & (undone - 1)) == 0 || undone % CHECKED == 0 || runtime->journal_is_suspect;
    return !is_checked || runtime->journal_is_trusted || check_journal(depth);
}

static bool native_next(struct machine *machine, size_t depth, uint32_t agent, struct portolan_step *step)
{
    (void)machine;
    if (depth != runtime->top && !go_back(depth))
        return false;
    if (!has_step(agent))
        return false;
    const struct pending *op = &runtime->threads[agent].pending;
    describe(op, agent, is_step(op) ? object_value(op, 0) : 0, step);
    if (is_step(op) && op->cycle)
        describe_cycle(cycle_of(op), has_changed_now(cycle_of(op)), step);
    return true;
}

static size_t native_follows(struct machine *machine, uint32_t agent, uint32_t *events)
{
    (void)machine;
    const struct thread *thread = &runtime->threads[agent];
    size_t count = 0;
    for (uint32_t i = 0; thread->follows_others && i < runtime->agent_limit; i++)
        if (thread->follow[i])
            events[count++] = thread->follow[i] - 1;
    return count;
}

/* The value that an operation's object had before an event that accesses it, perhaps another part of it. */
static bool value_before(size_t event, const struct pending *op, uint64_t *value)
{
    const struct step_record *step = &runtime->steps.item[event];
    size_t offset = op->address % 8;
    if (step->operation.object == op->object && is_memory(op) && is_memory(&step->operation) && offset + op->size <= 8)
        memcpy(value, (const char *)&step->word + offset, op->size);
    else if (step->operation.object == op->object)
        *value = step->before[0];
    else if (step->operation.kind == OP_WAIT && step->operation.mutex == op->object)
        *value = step->before[1];
    else
        return false;
    return true;
}

static bool native_next_as_if(struct machine *machine, size_t now, uint32_t agent, size_t earlier,
                              struct portolan_step *step)
{
    (void)machine;
    uint64_t value = 0;
    const struct pending *op =
        now < runtime->top ? &runtime->steps.item[now].operation : &runtime->threads[agent].pending;
    if (!value_before(earlier, op, &value))
        return false;
    describe(op, agent, value, step);
    return true;
}

/*
 * The values of objects at some point beside the present execution: after some of its events from a depth on, which are
 * given by their agents in order.  Those events do there what they did here.
 */
struct beside {
    size_t depth;
    const uint32_t *agents;
    size_t count;
};

/* The event that the i-th of the agents takes. */
static size_t event_beside(const struct beside *b, size_t i)
{
    size_t before = 0, event = b->depth;
    for (size_t k = 0; k < i; k++)
        before += b->agents[k] == b->agents[i];
    for (; event < runtime->top; event++)
        if (runtime->steps.item[event].agent == b->agents[i] && before-- == 0)
            break;
    return event;
}

static bool value_beside(const struct beside *b, const struct cycle_read *read, uint64_t *value)
{
    *value = value_now(read);
    for (size_t e = runtime->top; e-- > b->depth;) {
        const struct step_record *step = &runtime->steps.item[e];
        if (step->operation.object == read->object)
            *value = step->before[0];
    }
    for (size_t i = 0; i < b->count; i++) {
        size_t event = event_beside(b, i);
        if (event == runtime->top)
            return false;
        const struct step_record *step = &runtime->steps.item[event];
        if (step->operation.object == read->object)
            *value = step->after;
    }
    return true;
}

/* What the agent does next there. */
static const struct pending *operation_beside(const struct beside *b, uint32_t agent)
{
    size_t taken = 0;
    for (size_t i = 0; i < b->count; i++)
        taken += b->agents[i] == agent;
    for (size_t event = b->depth; event < runtime->top; event++)
        if (runtime->steps.item[event].agent == agent && taken-- == 0)
            return &runtime->steps.item[event].operation;
    return has_step(agent) ? &runtime->threads[agent].pending : NULL;
}

/* One who locks for writing waits for several readers. */
static bool next_writer(const struct beside *b, const struct pending *op, uint32_t agent, struct portolan_step *step)
{
    struct lock_state lock = lock_at(op->object, b->depth);
    for (size_t i = 0; i < b->count; i++) {
        size_t event = event_beside(b, i);
        if (event == runtime->top)
            return false;
        lock_take(&lock, op->object, &runtime->steps.item[event]);
    }
    describe(op, agent, 0, step);
    step->enabled = !lock.written && !lock.readers;
    return true;
}

/* Only asked of steps that wait for several objects, or touch several that vary: those are loops, and writers. */
static bool native_next_after(struct machine *machine, size_t depth, const uint32_t *agents, size_t count,
                              uint32_t agent, struct portolan_step *step)
{
    (void)machine;
    struct beside beside = {depth, agents, count};
    const struct pending *op = operation_beside(&beside, agent);
    const struct cycle *cycle = op && is_step(op) ? cycle_of(op) : NULL;
    uint64_t values[MOST_IN_LOOP], value;
    if (op && op->kind == OP_WRITE_LOCK)
        return next_writer(&beside, op, agent, step);
    if (!cycle)
        return false;
    struct cycle_read own = {op->address, 0, op->object, op->size};
    if (!value_beside(&beside, &own, &value))
        return false;
    for (uint32_t i = 0; i < cycle->count; i++)
        if (!value_beside(&beside, &cycle->reads[i], &values[i]))
            return false;
    describe(op, agent, value, step);
    describe_cycle(cycle, has_changed(cycle, values), step);
    return true;
}

static enum portolan_status native_take(struct machine *machine, size_t depth, uint32_t agent,
                                        const struct portolan_step *step, struct portolan_error *error)
{
    (void)machine, (void)step;
    if (depth != runtime->top && !go_back(depth))
        return fail(error, PORTOLAN_REFUSED, "%s", runtime->failure.text);
    return take_step(agent) ? PORTOLAN_OK : fail_memory(error);
}

static enum machine_end native_end(struct machine *machine, size_t depth)
{
    (void)machine, (void)depth;
    if (runtime->process_exits || runtime->failure.kind != NO_FAILURE)
        return MACHINE_FINISHED;
    runtime->failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
    return MACHINE_DEADLOCKED;
}

static size_t native_bytes(const struct machine *machine)
{
    (void)machine;
    return runtime->steps.capacity * sizeof *runtime->steps.item + runtime->objects.count * sizeof(struct object) +
           journal_bytes();
}

static void native_free(struct machine *machine)
{
    (void)machine;
}

static void include(const struct execution *x, uint32_t event, uint32_t *cut)
{
    for (uint32_t a = 0; a < x->agents && event != NO_EVENT; a++)
        cut[a] = clock_of(x, event)[a] > cut[a] ? clock_of(x, event)[a] : cut[a];
}

/* The events that the failure needs: those before the last one of the agents that took part.  Whoever has freed a block
 * need not be ordered with who uses it, so for these everybody takes part. */
static void choose_events(const struct execution *x, uint32_t *cut)
{
    const struct failure *failure = &runtime->failure;
    uint32_t involved[2] = {failure->agent, failure->kind == FAILED_RACE ? failure->other : failure->agent};
    bool all = failure->agent == NO_AGENT || failure->kind == FAILED_MEMORY;
    for (uint32_t a = 0; a < x->agents && all; a++)
        cut[a] = x->last_of[a] == NO_EVENT ? 0 : x->events.item[x->last_of[a]].order;
    for (int i = 0; i < 2 && !all; i++) {
        const struct thread *thread = &runtime->threads[involved[i]];
        include(x, x->last_of[involved[i]], cut);
        for (uint32_t a = 0; a < x->agents && thread->follows_others; a++)
            include(x, thread->follow[a] ? thread->follow[a] - 1 : NO_EVENT, cut);
    }
}

static void native_executed(struct machine *machine)
{
    (void)machine;
    if (runtime->live)
        atomic_fetch_add_explicit(&runtime->live->executions, 1, memory_order_relaxed);
}

static bool native_failed(struct machine *machine, const struct execution *x)
{
    (void)machine;
    struct event_list order = {0};
    if (runtime->leaks)
        look_for_leaks();
    if (runtime->failure.kind == NO_FAILURE)
        return false;
    uint32_t *cut = calloc((size_t)x->agents + 1, sizeof *cut);
    runtime->order.count = 0;
    if (cut)
        choose_events(x, cut);
    if (cut && fewest_switches(x, cut, &order))
        for (size_t i = 0; i < order.count; i++)
            if (!vector_push(&runtime->order, x->events.item[order.item[i]].agent))
                break;
    free(order.item);
    free(cut);
    return true;
}

static const struct machine_class native_machine = {.next = native_next,
                                                    .next_as_if = native_next_as_if,
                                                    .next_after = native_next_after,
                                                    .follows = native_follows,
                                                    .take = native_take,
                                                    .end = native_end,
                                                    .bytes = native_bytes,
                                                    .free = native_free,
                                                    .failed = native_failed,
                                                    .executed = native_executed};

bool machine_prepare(uint32_t agents)
{
    runtime->machine = (struct machine){&native_machine, agents, (uint32_t)runtime->objects.count, MOST_ACCESSES};
    runtime->agent_limit = agents;
    if (!runtime->agent_count)
        runtime->agent_count = 1;
    runtime->run++; /* nothing of before counts */
    live_begin();
    runtime->top = SIZE_MAX;
    journal_forget();
    if (!objects_prepare())
        return false;
    for (uint32_t i = 0; i < agents; i++) {
        struct thread *thread = &runtime->threads[i];
        uint32_t *clocks = calloc((size_t)agents * 3, sizeof *clocks);
        if (!clocks)
            return false;
        free(thread->clock);
        thread->clock = clocks;
        thread->released = clocks + agents;
        thread->to_be_acquired = clocks + 2 * (size_t)agents;
    }
    return true;
}
