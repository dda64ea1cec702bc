/* SPDX-License-Identifier: Apache-2.0 */
#include "native/recorder.h"
#include "native/births.h"
#include "native/channels.h"
#include "native/choices.h"
#include "native/report.h"
#include "native/slots.h"

#include <string.h>
#include <sys/mman.h>

enum { MOST_EVENTS = 1 << 18 };

KEPT struct recorder recorder;

bool recorder_start(void)
{
    size_t size = MOST_EVENTS * sizeof *recorder.events;
    if (!recorder.events) {
        void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        recorder.events = memory;
    }
    recorder.count = 0;
    recorder.left_out = 0;
    recorder.unfinished = NULL;
    return recorder.on = true;
}

static uint64_t value_at(uintptr_t address, size_t size)
{
    uint64_t value = 0;
    if (size && size <= sizeof value && shadow_word(address) != SIZE_MAX && shadow_word(address + size - 1) != SIZE_MAX)
        memcpy(&value, (const void *)address, size);
    return value;
}

void recorder_catch_up(void)
{
    struct recorded_event *event = recorder.unfinished;
    const struct failure *failure = &run.failure;
    recorder.unfinished = NULL;
    if (!event)
        return;
    event->is_unfinished =
        failure->kind != NO_FAILURE && failure->agent == event->agent && failure->caller == event->caller;
    if (!event->is_unfinished && failure->kind != FAILED_FAULT) /* else it may have been the write that failed */
        event->after = value_at(event->address, event->size);
}

void recorder_stop(void)
{
    recorder_catch_up();
    recorder.on = false;
}

/* The oldest ones count more: they say where everything began. */
static struct recorded_event *new_event(uint32_t agent, enum event_form form, uintptr_t address, uintptr_t caller)
{
    recorder_catch_up();
    if (recorder.count == MOST_EVENTS) {
        recorder.left_out++;
        return NULL;
    }
    struct recorded_event *event = &recorder.events[recorder.count++];
    *event = (struct recorded_event){.agent = agent, .form = (uint8_t)form, .address = address, .caller = caller};
    return event;
}

void record_access(uintptr_t address, size_t size, bool writes, uintptr_t caller)
{
    const struct recorded_event *last = recorder.count ? &recorder.events[recorder.count - 1] : NULL;
    if (last && last->form == FORM_FREE && last->address == address && last->agent == agents.current)
        return; /* freeing counts as a write of all of the block */
    struct recorded_event *event =
        new_event(agents.current, writes ? FORM_PLAIN_WRITE : FORM_PLAIN_READ, address, caller);
    if (!event)
        return;
    event->size = size <= 8 ? (uint8_t)size : 0;
    event->length = size;
    event->before = value_at(address, event->size);
    if (writes)
        recorder.unfinished = event;
}

void record_block(enum event_form form, uintptr_t address, size_t size, uintptr_t caller)
{
    struct recorded_event *event = new_event(agents.current, form, address, caller);
    if (event)
        event->length = size;
}

static enum event_form form_of(const struct step_record *step)
{
    const struct pending *op = &step->operation;
    switch (op->kind) {
    case OP_LOAD:
    case OP_VOLATILE_READ: return is_about_choice(op) ? FORM_CHOICE : FORM_READ;
    case OP_WAIT_VALUE: return FORM_READ;
    case OP_STORE:
    case OP_VOLATILE_WRITE: return FORM_WRITE;
    case OP_COMPARE_EXCHANGE: return step->before[0] != (uint64_t)op->expected ? FORM_COMPARE_FAILED : FORM_UPDATE;
    case OP_CREATE: return FORM_CREATE;
    case OP_JOIN: return FORM_JOIN;
    case OP_WAIT: return FORM_WAIT;
    case OP_WAKE:
    case OP_TIMED_WAKE: return FORM_WAKE;
    case OP_SIGNAL: return FORM_SIGNAL;
    case OP_BROADCAST: return FORM_BROADCAST;
    case OP_LOCK:
    case OP_TRY_LOCK: return FORM_LOCK;
    case OP_UNLOCK: return FORM_UNLOCK;
    case OP_PLAIN_READ: return op->size <= 8 ? FORM_PLAIN_READ : FORM_OTHER;
    case OP_PLAIN_WRITE: return op->size <= 8 ? FORM_PLAIN_WRITE : FORM_OTHER;
    default: return op->kind < OP_PLAIN_READ ? FORM_UPDATE : FORM_OTHER;
    }
}

/* What people would not call a step: the other side of a choice. */
static bool is_hidden(const struct pending *op)
{
    bool is_choice = op->kind != OP_CREATE && op->kind != OP_JOIN && is_about_choice(op);
    return (is_choice && op->kind != OP_LOAD) || (op->kind == OP_CREATE && is_chooser((uint32_t)op->operand));
}

struct recorded_event *record_step_begins(uint32_t agent)
{
    return new_event(agent, FORM_NONE, 0, 0);
}

void record_step_ends(struct recorded_event *event, const struct step_record *step)
{
    const struct pending *op = &step->operation;
    bool is_thread = op->kind == OP_CREATE || op->kind == OP_JOIN;
    if (!event || is_hidden(op))
        return;
    *event = (struct recorded_event){.agent = step->agent,
                                     .form = (uint8_t)form_of(step),
                                     .size = op->size <= 8 ? op->size : 0,
                                     .is_step = true,
                                     .fails = value_is_unwanted(op, step->before[0]) ||
                                              (step->result && op->error && op->kind > OP_PLAIN_WRITE),
                                     .is_volatile = op->kind == OP_VOLATILE_READ || op->kind == OP_VOLATILE_WRITE,
                                     .other = is_thread ? (uint32_t)op->operand : 0,
                                     .caller = op->caller,
                                     .address = is_thread ? 0 : op->address,
                                     .second = op->kind == OP_WAIT ? (uintptr_t)op->expected : 0,
                                     .length = op->size,
                                     .before = step->before[0],
                                     .after = step->after,
                                     .expected = (uint64_t)op->expected};
    snprintf(event->word, sizeof event->word, "%s",
             is_about_channel(op) ? channel_word(op->kind) : operation_word(op->kind));
}
