/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as a machine of the stateless search.  It remembers what each step of the present execution was
 * about to do and what its objects were like before; to get to an earlier depth it runs the program again.
 */
#include "native/machine.h"
#include "native/awaits.h"
#include "native/choices.h"
#include "native/effects.h"
#include "native/errors.h"
#include "native/journal.h"
#include "native/live.h"
#include "native/memory.h"
#include "native/objects.h"
#include "native/selection.h"
#include "native/settings.h"

#include "base/diagnostic.h"
#include "stateless/schedule.h"

#include <stdio_ext.h>
#include <string.h>

enum { MOST_ACCESSES = 2 };

KEPT struct failing_order failing;
static KEPT struct machine machine;
static KEPT uint64_t undone; /* how often the journal was used to go back */

void machine_has_objects(uint32_t count)
{
    machine.objects = count;
}

/* --- what an agent does next */

static void describe(const struct pending *op, uint32_t agent, object_content value, struct portolan_step *step)
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
    step->accesses[0] = (struct portolan_access){op->object, has_effect(op, agent, value), true, op->group};
    if (value_is_unwanted(op, value))
        step->accesses[step->access_count++] = (struct portolan_access){op->mutex, true, true, 0};
    else if (op->kind == OP_WAIT || op->size == 16)
        step->accesses[step->access_count++] =
            (struct portolan_access){op->mutex, has_effect(op, agent, value), true, 0};
}

/* --- going back */

/* Runs the program again, up to a depth. */
static bool run_again_to(size_t depth)
{
    begin_run();
    while (run.top < depth) {
        struct step_record expected = run.steps.item[run.top];
        const struct pending *op = &threads[expected.agent].pending;
        if (!can_step(expected.agent) || op->kind != expected.operation.kind ||
            op->object != expected.operation.object || op->caller != expected.operation.caller) {
            run.failure = (struct failure){.kind = FAILED_DIVERGED, .agent = expected.agent, .caller = op->caller};
            snprintf(run.failure.text, sizeof run.failure.text,
                     "step %zu was another one when the program was run again", run.top + 1);
            return false;
        }
        if (!take_step(expected.agent))
            return false;
    }
    return true;
}

/* Is what the journal restored the same as what running again gives?  If not, some write was not reported. */
static bool check_journal(size_t depth)
{
    uint64_t expected = memory_hash();
    if (!run_again_to(depth))
        return false;
    if (memory_hash() == expected)
        return true;
    journal_stop();
    fail_run(chosen.journal == JOURNAL_STRICT ? FAILED_INTERNAL : SEARCH_AGAIN, 0,
             "memory is written by code that does not report it");
    return false;
}

static bool go_back(size_t depth)
{
    enum { CHECKED = 8192 };                                        /* one in this many is checked, and more at first */
    if (!journal_can_undo(depth) || run.failure.kind != NO_FAILURE) /* a run that failed has stopped somewhere */
        return run_again_to(depth);
    journal_undo(depth);
    undone++;
    bool is_checked = (undone & (undone - 1)) == 0 || undone % CHECKED == 0 || chosen.journal == JOURNAL_STRICT;
    return !is_checked || chosen.journal == JOURNAL_UNCHECKED || check_journal(depth);
}

static bool native_next(struct machine *unused, size_t depth, uint32_t agent, struct portolan_step *step)
{
    (void)unused;
    if (depth != run.top && !go_back(depth))
        return false;
    if (!has_step(agent))
        return false;
    const struct pending *op = &threads[agent].pending;
    describe(op, agent, is_step(op) ? object_value(op, 0) : 0, step);
    return true;
}

static size_t native_follows(struct machine *unused, uint32_t agent, uint32_t *events)
{
    (void)unused;
    const struct thread *thread = &threads[agent];
    size_t count = 0;
    for_agents(other, thread->follows) events[count++] = thread->follow[other] - 1;
    return count;
}

/* What the agent's operation found, or would find now. */
static object_content value_found(size_t now, uint32_t agent)
{
    return now < run.top ? run.steps.item[now].before[0] : object_value(&threads[agent].pending, 0);
}

/* The word that an operation reads, as it was before an event that accesses it too; NULL: it does not. */
static const uint64_t *word_before(const struct step_record *step, const struct pending *op)
{
    if (!is_memory(op) || !is_memory(&step->operation) || op->address % 8 + op->size > 8)
        return NULL;
    if (step->operation.object == op->object)
        return &step->words[0];
    return step->operation.size == 16 && step->operation.mutex == op->object ? &step->words[1] : NULL;
}

/* The value that an operation's object had before an event that accesses it, perhaps another part of it. */
static bool value_before(size_t event, const struct pending *op, object_content *value)
{
    const struct step_record *step = &run.steps.item[event];
    const uint64_t *word = word_before(step, op);
    if (word)
        memcpy(value, (const char *)word + op->address % 8, op->size);
    else if (step->operation.object == op->object)
        *value = step->before[0];
    else if ((step->operation.kind == OP_WAIT || step->operation.kind == OP_WAIT_VALUE) &&
             step->operation.mutex == op->object)
        *value = step->before[1];
    else
        return false;
    return true;
}

/* Is the event about an object of another kind, that was at this place before or came after?  One who was let go there
 * may leave before or after it, so neither makes a difference to the other. */
static bool is_about_another(size_t event, const struct pending *op)
{
    const struct pending *earlier = &run.steps.item[event].operation;
    return earlier->object == op->object && earlier->thing && op->thing && earlier->thing != op->thing;
}

static bool native_next_as_if(struct machine *unused, size_t now, uint32_t agent, size_t earlier,
                              struct portolan_step *step)
{
    (void)unused;
    object_content value = 0;
    const struct pending *op = now < run.top ? &run.steps.item[now].operation : &threads[agent].pending;
    if (is_about_another(earlier, op))
        value = value_found(now, agent);
    else if (!value_before(earlier, op, &value))
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
    for (; event < run.top; event++)
        if (run.steps.item[event].agent == b->agents[i] && before-- == 0)
            break;
    return event;
}

/* What the agent does next there. */
static const struct pending *operation_beside(const struct beside *b, uint32_t agent)
{
    size_t taken = 0;
    for (size_t i = 0; i < b->count; i++)
        taken += b->agents[i] == agent;
    for (size_t event = b->depth; event < run.top; event++)
        if (run.steps.item[event].agent == agent && taken-- == 0)
            return &run.steps.item[event].operation;
    return has_step(agent) ? &threads[agent].pending : NULL;
}

/* One who locks for writing waits for several readers. */
static bool next_writer(const struct beside *b, const struct pending *op, uint32_t agent, struct portolan_step *step)
{
    struct lock_state lock = lock_at(op->object, b->depth);
    for (size_t i = 0; i < b->count; i++) {
        size_t event = event_beside(b, i);
        if (event == run.top)
            return false;
        lock_take(&lock, op->object, event);
    }
    describe(op, agent, 0, step);
    step->enabled = !lock.written && !lock.readers;
    return true;
}

/* What an event leaves of a value that it may overlap: what it wrote, or, if it commutes with others that may be
 * missing there, what it does to that value. */
static object_content value_beyond(const struct step_record *event, const struct pending *op, object_content value)
{
    const struct pending *other = &event->operation;
    if (!is_memory(other))
        return value;
    if (other->group && other->object == op->object && other->address == op->address && other->size == op->size)
        return value_after(other, value);
    ptrdiff_t offset = (ptrdiff_t)(other->address - op->address);
    for (ptrdiff_t at = 0; at < other->size && at < 8; at++)
        if (at + offset >= 0 && at + offset < op->size)
            ((unsigned char *)&value)[at + offset] = ((const unsigned char *)&event->after)[at];
    return value;
}

/* One who finds a value in memory: it would find what the events have left there. */
static bool next_by_value(const struct beside *b, const struct pending *op, uint32_t agent, struct portolan_step *step)
{
    object_content value = 0;
    size_t event = b->depth;
    while (event < run.top && !value_before(event, op, &value))
        event++;
    if (event == run.top)
        value = object_value(op, 0);
    for (size_t i = 0; i < b->count; i++) {
        event = event_beside(b, i);
        if (event == run.top)
            return false;
        value = value_beyond(&run.steps.item[event], op, value);
    }
    describe(op, agent, value, step);
    return true;
}

/* Only asked of steps that wait for several objects, which are writers, and of those that do what they do because of a
 * value. */
static bool native_next_after(struct machine *unused, size_t depth, const uint32_t *others, size_t count,
                              uint32_t agent, struct portolan_step *step)
{
    (void)unused;
    struct beside beside = {depth, others, count};
    const struct pending *op = operation_beside(&beside, agent);
    if (op && is_memory(op))
        return next_by_value(&beside, op, agent, step);
    return op && op->kind == OP_WRITE_LOCK && next_writer(&beside, op, agent, step);
}

static enum portolan_status native_take(struct machine *unused, size_t depth, uint32_t agent,
                                        const struct portolan_step *step, struct portolan_error *error)
{
    (void)unused, (void)step;
    if (depth != run.top && !go_back(depth))
        return fail(error, PORTOLAN_REFUSED, "%s", run.failure.text);
    return take_step(agent) ? PORTOLAN_OK : fail_memory(error);
}

/* Is somebody left who waits, a counter without work aside? */
static bool somebody_waits(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++)
        if (has_step(agent) && !is_chooser(agent))
            return true;
    return false;
}

/* Has somebody gone into a round too early? */
static bool somebody_leaves_loop(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++)
        if (has_step(agent) && threads[agent].pending.await && !goes_round_for_ever(&threads[agent]))
            return true;
    return false;
}

static enum machine_end native_end(struct machine *unused, size_t depth)
{
    (void)unused, (void)depth;
    if (is_ruled_out() || is_selection_wrong())
        return MACHINE_REDUNDANT;
    if (run.process_exits || run.failure.kind != NO_FAILURE || !somebody_waits())
        return MACHINE_FINISHED;
    bool is_like_another = somebody_leaves_loop();
    if (run.failure.kind != NO_FAILURE) /* looking has shown that the search must begin again */
        return MACHINE_FINISHED;
    if (is_like_another)
        return MACHINE_REDUNDANT;
    run.failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
    return MACHINE_DEADLOCKED;
}

static size_t native_bytes(const struct machine *unused)
{
    (void)unused;
    return run.steps.capacity * sizeof *run.steps.item + object_count() * sizeof(struct object) + journal_bytes();
}

static void native_free(struct machine *unused)
{
    (void)unused;
}

/* When it is shown, a look is a step as well. */
static bool add_failing(const struct step_record *step)
{
    return (!step->operation.look || vector_push(&failing.agents, step->agent)) &&
           vector_push(&failing.agents, step->agent);
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
    const struct failure *failure = &run.failure;
    uint32_t involved[2] = {failure->agent, failure->kind == FAILED_RACE ? failure->other : failure->agent};
    bool all = failure->agent == NO_AGENT || failure->kind == FAILED_MEMORY;
    for (uint32_t a = 0; a < x->agents && all; a++)
        cut[a] = x->last_of[a] == NO_EVENT ? 0 : x->events.item[x->last_of[a]].order;
    for (int i = 0; i < 2 && !all; i++) {
        const struct thread *thread = &threads[involved[i]];
        include(x, x->last_of[involved[i]], cut);
        for_agents(other, thread->follows) include(x, thread->follow[other] - 1, cut);
    }
}

static void native_executed(struct machine *unused)
{
    (void)unused;
    live_executed();
}

static bool native_failed(struct machine *unused, const struct execution *x)
{
    (void)unused;
    struct event_list order = {0};
    if (chosen.leaks)
        look_for_leaks();
    if (run.failure.kind == NO_FAILURE)
        return false;
    uint32_t *cut = calloc((size_t)x->agents + 1, sizeof *cut);
    failing.agents.count = 0;
    if (cut)
        choose_events(x, cut);
    if (cut && fewest_switches(x, cut, &order))
        for (size_t i = 0; i < order.count; i++)
            if (!add_failing(&run.steps.item[order.item[i]]))
                break;
    free(order.item);
    free(cut);
    return !errors_go_on();
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

struct machine *machine_prepare(uint32_t limit)
{
    machine = (struct machine){&native_machine, limit, object_count(), MOST_ACCESSES};
    live_begin();
    return run_prepare(limit) ? &machine : NULL;
}
