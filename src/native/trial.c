/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying what a thread does next.  It is put to where a snapshot was taken, its memory is patched with the values that
 * it is to find, and it runs until it stops at a visible operation, or is about to do anything but read: every function
 * of the runtime that the program can call asks in_program(), which ends a trial, the few aside that may be part of a
 * round.  Then everything is put back.
 */
#include "native/trial.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/locals.h"
#include "native/memory.h"
#include "native/run.h"
#include "native/slots.h"

#include <string.h>

KEPT bool trying;
static KEPT struct trial *present;

/* What is put back, in one block that is kept. */
static KEPT struct {
    unsigned char *bytes;
    size_t capacity;
    struct thread thread;
    struct failure failure;
    bool journaling;
    uint64_t value;
} before;

static size_t stack_bytes(const struct thread *thread)
{
    return (size_t)(thread->stack + thread->stack_size - (unsigned char *)thread->stack_pointer);
}

struct snapshot *snapshot_make(const struct thread *thread)
{
    size_t stack = stack_bytes(thread);
    struct snapshot *snapshot = malloc(sizeof *snapshot + stack + locals.size);
    if (!snapshot)
        return NULL;
    snapshot->agent = (uint32_t)(thread - threads);
    snapshot->error_number = thread->error_number;
    snapshot->replaced = thread->replaced;
    snapshot->stack_pointer = thread->stack_pointer;
    snapshot->stack_size = stack;
    memcpy(snapshot->bytes, thread->stack_pointer, stack);
    memcpy(snapshot->bytes + stack, thread->local, locals.size);
    return snapshot;
}

void end_trial(void)
{
    if (present)
        present->is_over = true;
    leave_context();
}

void trial_access(uintptr_t address, size_t size, bool writes)
{
    const struct thread *thread = current_thread();
    struct trial *t = present;
    if (is_on_stack(thread, address) || is_own_local(thread, address)) {
        t->touches_own = true;
        return;
    }
    bool is_shared_variable = is_on_heap(address) || address - region.variables < region.variables_size;
    bool is_error = is_on_heap(address) && !blocks_are_live(address, size); /* which is to be met, not waited for */
    if (writes || size > 8 || !is_shared_variable || is_error || t->read_count == MOST_TRIED_READS)
        end_trial();
    struct trial_read *read = &t->reads[t->read_count++];
    *read = (struct trial_read){.address = address, .size = size};
    memcpy(&read->content, (const void *)address, size);
}

static bool save(const struct thread *thread)
{
    size_t stack = stack_bytes(thread), needed = stack + locals.size;
    if (needed > before.capacity) {
        unsigned char *larger = realloc(before.bytes, needed * 2);
        if (!larger)
            return false;
        before.bytes = larger;
        before.capacity = needed * 2;
    }
    memcpy(before.bytes, thread->stack_pointer, stack);
    memcpy(before.bytes + stack, thread->local, locals.size);
    before.thread = *thread;
    before.failure = run.failure;
    before.journaling = journaling;
    return true;
}

uint64_t exchange_memory(const struct pending *op, uint64_t value)
{
    uint64_t found = 0;
    if (!is_memory(op) || op->size > 8)
        return 0;
    memcpy(&found, (const void *)op->address, op->size);
    memcpy((void *)op->address, &value, op->size);
    return found;
}

bool trial_begin(struct trial *t)
{
    const struct snapshot *from = t->snapshot;
    struct thread *thread = t->thread = &threads[from->agent];
    if (!save(thread))
        return false;
    memcpy(from->stack_pointer, from->bytes, from->stack_size);
    memcpy(thread->local, from->bytes + from->stack_size, locals.size);
    thread->stack_pointer = from->stack_pointer;
    thread->error_number = from->error_number;
    thread->replaced = from->replaced;
    thread->result = t->result;
    thread->wrote = false;
    before.value = exchange_memory(t->operation, t->value);
    run.failure.kind = NO_FAILURE;
    journaling = false;
    present = t;
    trying = true;
    resume(from->agent);
    trying = false;
    present = NULL;
    t->is_over = t->is_over || run.failure.kind != NO_FAILURE || thread->wrote || !is_step(&thread->pending);
    return true;
}

void trial_forget_value(const struct trial *t)
{
    const struct snapshot *from = t->snapshot;
    const struct thread *thread = t->thread;
    uintptr_t address = t->operation->address;
    size_t on_stack = address - (uintptr_t)from->stack_pointer, local = address - (uintptr_t)thread->local;
    uint64_t value = 0;
    if (!thread->stack_is_shared || !is_memory(t->operation))
        return;
    if (on_stack < from->stack_size)
        memcpy(&value, from->bytes + on_stack, t->operation->size);
    else if (local < locals.size)
        memcpy(&value, from->bytes + from->stack_size + local, t->operation->size);
    else
        return;
    exchange_memory(t->operation, value);
}

void trial_end(struct trial *t)
{
    struct thread *thread = t->thread;
    exchange_memory(t->operation, before.value);
    *thread = before.thread;
    size_t stack = stack_bytes(thread);
    memcpy(thread->stack_pointer, before.bytes, stack);
    memcpy(thread->local, before.bytes + stack, locals.size);
    run.failure = before.failure;
    journaling = before.journaling;
}
