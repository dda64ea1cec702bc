/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which loops only wait.  A thread that comes back to a read in the very state in which it was there before, having
 * written nothing, is in such a loop; its reads since then are the places at which it waits (awaits.c).
 *
 * To compare, the state of the thread is needed at each of the reads, which is too much work for every read of a
 * program.  So first those places are learned that a thread comes by again without having changed anything, then
 * among these the ones in loops that only wait; the search begins again when there are new ones.
 */
#include "native/spinning.h"
#include "native/awaits.h"
#include "native/journal.h"
#include "native/landing.h"
#include "native/own_words.h"
#include "native/run.h"
#include "native/settings.h"

KEPT struct loops loops;
static KEPT VECTOR(uintptr_t) repeated; /* places that threads come by again */

static bool is_repeated(uintptr_t caller)
{
    for (size_t i = 0; i < repeated.count; i++)
        if (repeated.item[i] == caller)
            return true;
    return false;
}

static void begin_again(const char *why)
{
    loops.exist = true;
    if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "%s", why);
}

/* The reads since the last one at this place may be in a loop. */
static void learn_repeated(const struct thread *thread, uint32_t from)
{
    for (uint32_t i = from; i < thread->recent_count; i++)
        if (!is_repeated(thread->recent[i]) && !vector_push(&repeated, thread->recent[i])) {
            fail_exhausted();
            return;
        }
    begin_again("a thread comes by the same place again");
}

static void note_recent(struct thread *thread, uintptr_t caller)
{
    for (uint32_t i = 0; i < thread->recent_count; i++)
        if (thread->recent[i] == caller) {
            learn_repeated(thread, i);
            return;
        }
    if (thread->recent_count == MOST_IN_LOOP)
        return;
    journal_save(&thread->recent[thread->recent_count], sizeof *thread->recent);
    thread->recent[thread->recent_count++] = caller;
}

static void look_for_loop(struct thread *thread)
{
    const struct pending *op = &thread->pending;
    own_words_show(thread);
    thread->state_now = local_state(thread);
    own_words_hide(thread);
    for (uint32_t i = 0; i < thread->history_count; i++) {
        const struct loop_read *read = &thread->history[i];
        if (read->caller != op->caller || read->address != op->address || read->state != thread->state_now)
            continue;
        uintptr_t callers[MOST_IN_LOOP];
        uint32_t count = 0;
        for (uint32_t k = i; k < thread->history_count; k++)
            callers[count++] = thread->history[k].caller;
        if (learn_places(callers, count))
            begin_again("a loop only waits");
        return;
    }
}

void look_for_spinning(struct thread *thread)
{
    const struct pending *op = &thread->pending;
    bool may_be = may_await(op);
    if (thread->wrote || !may_be)
        thread->history_count = thread->recent_count = 0;
    if (may_be && is_repeated(op->caller))
        look_for_loop(thread);
    else if (may_be)
        note_recent(thread, op->caller);
    if (may_be && !is_repeated(op->caller))
        thread->history_count = 0; /* it would lack this read */
    if (run.failure.kind == NO_FAILURE)
        look_for_await(thread);
}

void remember_read(struct thread *thread, const struct pending *op, uint64_t value, bool effect)
{
    remember_await(thread, op, value);
    thread->wrote = false;
    if (effect || !may_await(op)) {
        thread->history_count = thread->recent_count = 0;
        return;
    }
    if (!is_repeated(op->caller))
        return;
    if (thread->history_count == MOST_IN_LOOP)
        thread->history_count = 0;
    struct loop_read *read = &thread->history[thread->history_count++];
    journal_save(read, sizeof *read);
    *read = (struct loop_read){op->caller, op->address, thread->state_now};
}
