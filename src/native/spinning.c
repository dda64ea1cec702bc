/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that only wait.  A thread that comes back to a read in the very state in which it was there before, having
 * written nothing, will go round for ever unless one of the values that it found on the way changes.  So the read may
 * as well wait for that: the search sees a step that is not enabled before, instead of ever more rounds.
 *
 * To compare, the state of the thread is needed at each of the reads, which is too much work for every read of a
 * program; so which reads are in loops is learned, and the search begins again when there are new ones.  Loops that try
 * a lock, or read an object in parts, are recognised only when they are over one object, and a round later.
 */
#include "native/spinning.h"
#include "native/journal.h"
#include "native/locals.h"
#include "native/objects.h"
#include "native/settings.h"

#include <string.h>
#include <xxhash.h>

KEPT struct loops loops;
static KEPT VECTOR(uintptr_t) loop_reads; /* places of reads in loops over several objects */

/* --- one object */

static bool may_spin(const struct pending *op)
{
    switch (op->kind) {
    case OP_LOAD:
    case OP_EXCHANGE:
    case OP_AND:
    case OP_OR:
    case OP_COMPARE_EXCHANGE: return op->size <= 8;
    case OP_TRY_LOCK: return true;
    default: return false;
    }
}

/* All that decides what the thread does next, apart from what it reads: registers are on its stack. */
static uint64_t local_state(const struct thread *thread)
{
    const unsigned char *top = thread->stack + thread->stack_size;
    uint64_t hash = XXH3_64bits(thread->stack_pointer, (size_t)(top - (unsigned char *)thread->stack_pointer));
    if (locals.size)
        hash = XXH3_64bits_withSeed(thread->local, locals.size, hash);
    return hash ^ (thread->ticks * 31 + thread->heap_used * 7 + thread->random);
}

static void look_for_one(struct thread *thread)
{
    struct pending *op = &thread->pending;
    bool again = thread->last_read.known && !thread->wrote && may_spin(op) &&
                 thread->last_read.address == op->address && thread->last_read.caller == op->caller;
    if (!again) {
        thread->last_read.repeated = false;
        return;
    }
    if (!loops.exist && chosen.exploring) {
        loops.exist = true;
        fail_run(SEARCH_AGAIN, 0, "there are loops");
        return;
    }
    uint64_t state = local_state(thread);
    op->spins = thread->last_read.repeated && thread->last_read.state == state;
    op->spin_value = thread->last_read.value;
    thread->last_read.repeated = true;
    thread->last_read.state = state;
}

static void remember_one(struct thread *thread, const struct pending *op, uint64_t value, bool effect)
{
    bool repeated = thread->last_read.repeated && thread->last_read.value == value;
    thread->last_read.known = may_spin(op) && !effect;
    thread->last_read.repeated = thread->last_read.known && repeated;
    thread->last_read.address = op->address;
    thread->last_read.caller = op->caller;
    thread->last_read.value = value;
}

/* --- several objects */

static bool is_in_known_loop(uintptr_t caller)
{
    for (size_t i = 0; i < loop_reads.count; i++)
        if (loop_reads.item[i] == caller)
            return true;
    return false;
}

/* The reads since the last one at this place are in a loop, it seems. */
static void learn(const struct thread *thread, uint32_t from)
{
    bool fine = loops.exist = true;
    for (uint32_t i = from; i < thread->recent_count && fine; i++)
        fine = is_in_known_loop(thread->recent[i]) || vector_push(&loop_reads, thread->recent[i]);
    fail_run(fine ? SEARCH_AGAIN : FAILED_INTERNAL, 0, "a loop reads several objects");
}

/* Is the read one that could be in a loop over several objects, and of a whole object? */
static bool is_of_interest(const struct pending *op)
{
    return may_spin(op) && op->kind != OP_TRY_LOCK && object_size(op->object) == op->size;
}

static void note_recent(struct thread *thread, uintptr_t caller)
{
    for (uint32_t i = 0; i < thread->recent_count; i++)
        if (thread->recent[i] == caller) {
            if (chosen.exploring)
                learn(thread, i);
            return;
        }
    if (thread->recent_count == MOST_IN_LOOP)
        return;
    journal_save(&thread->recent[thread->recent_count], sizeof *thread->recent);
    thread->recent[thread->recent_count++] = caller;
}

/* The reads from `first` on as a set of objects and values, if it has not two values for one object. */
static bool collect(const struct thread *thread, uint32_t first, struct cycle *cycle)
{
    *cycle = (struct cycle){0};
    for (uint32_t i = first; i < thread->history_count; i++) {
        const struct loop_read *read = &thread->history[i];
        uint32_t k = 0;
        while (k < cycle->count && cycle->reads[k].object != read->object)
            k++;
        if (k < cycle->count && cycle->reads[k].value != read->value)
            return false;
        if (k == cycle->count)
            cycle->reads[cycle->count++] = (struct cycle_read){read->address, read->value, read->object, read->size};
    }
    return cycle->count;
}

/* Each is kept once, for the whole search: operations refer to them. */
static uint32_t keep_cycle(const struct cycle *cycle)
{
    for (size_t i = 0; i < loops.cycles.count; i++)
        if (memcmp(loops.cycles.item[i], cycle, sizeof *cycle) == 0)
            return (uint32_t)i + 1;
    struct cycle *kept = malloc(sizeof *kept);
    if (!kept || !vector_push(&loops.cycles, kept)) {
        free(kept);
        fail_exhausted();
        return 0;
    }
    *kept = *cycle;
    // cppcheck-suppress memleak ; loops.cycles has it
    return (uint32_t)loops.cycles.count;
}

static void look_for_several(struct thread *thread)
{
    struct pending *op = &thread->pending;
    bool is_read = is_of_interest(op);
    if (thread->wrote || !is_read)
        thread->history_count = thread->recent_count = 0;
    if (!is_read)
        return;
    if (!is_in_known_loop(op->caller)) {
        thread->history_count = 0; /* it would lack this read */
        note_recent(thread, op->caller);
        return;
    }
    struct cycle cycle;
    thread->state_now = local_state(thread);
    for (uint32_t i = 0; i < thread->history_count && !op->spins; i++) {
        const struct loop_read *read = &thread->history[i];
        if (read->caller != op->caller || read->address != op->address || read->state != thread->state_now ||
            !collect(thread, i, &cycle))
            continue;
        if (cycle.count > 1)
            op->cycle = keep_cycle(&cycle);
        op->spins = cycle.count > 1 || cycle.reads[0].object == op->object;
        op->spin_value = cycle.reads[0].value;
    }
}

static void remember_several(struct thread *thread, const struct pending *op, uint64_t value, bool effect)
{
    if (effect || !is_of_interest(op)) {
        thread->history_count = thread->recent_count = 0;
        return;
    }
    if (!is_in_known_loop(op->caller))
        return;
    if (thread->history_count == MOST_IN_LOOP)
        thread->history_count = 0;
    struct loop_read *read = &thread->history[thread->history_count++];
    journal_save(read, sizeof *read);
    *read = (struct loop_read){op->caller, op->address, value, thread->state_now, op->object, op->size};
}

/* --- waiting for a change */

bool has_changed(const struct cycle *cycle, const uint64_t *values)
{
    for (uint32_t i = 0; i < cycle->count; i++)
        if (values[i] != cycle->reads[i].value)
            return true;
    return false;
}

uint64_t value_now(const struct cycle_read *read)
{
    uint64_t value = 0;
    memcpy(&value, (void *)read->address, read->size);
    return value;
}

bool has_changed_now(const struct cycle *cycle)
{
    uint64_t values[MOST_IN_LOOP];
    for (uint32_t i = 0; i < cycle->count; i++)
        values[i] = value_now(&cycle->reads[i]);
    return has_changed(cycle, values);
}

/* --- both */

void look_for_spinning(struct thread *thread)
{
    thread->pending.spins = false;
    thread->pending.cycle = 0;
    look_for_one(thread);
    if (!thread->pending.spins)
        look_for_several(thread);
}

void remember_read(struct thread *thread, const struct pending *op, uint64_t value, bool effect)
{
    remember_one(thread, op, value, effect);
    remember_several(thread, op, value, effect);
    thread->wrote = false;
}
