/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going back without running again.  Before a step changes anything, what was there is written to a journal; to
 * get back to an earlier depth it is read backwards.  A thread that goes on has its stack written down as a whole; of
 * the program's other memory the compiler reports every write before it is made (note_access).
 *
 * What is not reported cannot be undone: writes by code that was built otherwise.  So the journal is used only when
 * every function that the program takes from libraries is known to be harmless (harmless.c), and now and then what it
 * gives is compared with what running again gives (machine.c).
 */
#include "native/runtime.h"

#include <string.h>

enum {
    MOST_BYTES = 64 << 20, /* beyond it is given up: then going back means running again */
    MOST_STACK = 64 << 10, /* of one thread, for the same reason */
    IS_THREAD = 1 << 30,   /* in the size of an entry: what a thread allocated since goes too */
    RECENT = 256
};

struct entry {
    void *address;
    uint64_t size; /* of the bytes before it, which are padded to 8 */
};

struct journal {
    bool used;
    unsigned char *bytes;
    size_t count, most;   /* now, and ever */
    VECTOR(size_t) marks; /* per depth from `oldest` on: where its step begins */
    size_t oldest;        /* the first depth to which it leads back */
    uint64_t step;        /* a number for each step ever taken */
    struct {
        uintptr_t word;
        uint64_t step;
    } recent[RECENT]; /* words that the present step has written down already */
};

bool journal_make(bool used)
{
    struct journal *j = calloc(1, sizeof *j);
    if (!j)
        return false;
    runtime->journal = j;
    j->used = used;
    j->bytes = reserve(MOST_BYTES);
    return j->bytes;
}

void journal_begin(void)
{
    struct journal *j = runtime->journal;
    j->count = j->marks.count = 0;
    j->oldest = 0;
    runtime->journaling = j->used;
    j->step++;
}

/* From here on only. */
static void give_up(struct journal *j)
{
    j->most = j->count > j->most ? j->count : j->most;
    j->count = j->marks.count = 0;
    runtime->journaling = false;
}

void journal_forget(void)
{
    give_up(runtime->journal);
}

void journal_stop(void)
{
    runtime->journal->used = false;
    give_up(runtime->journal);
}

static void save_as(const void *address, size_t size, uint64_t kind)
{
    struct journal *j = runtime->journal;
    size_t padded = (size + 7) & ~(size_t)7;
    if (j->count + padded + sizeof(struct entry) > MOST_BYTES)
        give_up(j);
    if (!runtime->journaling)
        return;
    memcpy(j->bytes + j->count, address, size);
    *(struct entry *)(j->bytes + j->count + padded) = (struct entry){(void *)(uintptr_t)address, size | kind};
    j->count += padded + sizeof(struct entry);
}

void journal_write(const void *address, size_t size)
{
    save_as(address, size, 0);
}

void journal_save_memory(uintptr_t address, size_t size)
{
    struct journal *j = runtime->journal;
    if (!runtime->journaling)
        return;
    uintptr_t word = address / 8;
    if (size > 8 || (address + size - 1) / 8 != word) {
        save_as((void *)address, size, 0);
        return;
    }
    if (j->recent[word % RECENT].word == word && j->recent[word % RECENT].step == j->step)
        return;
    j->recent[word % RECENT].word = word;
    j->recent[word % RECENT].step = j->step;
    save_as((void *)(word * 8), 8, 0);
}

void journal_save_thread(uint32_t agent)
{
    struct journal *j = runtime->journal;
    struct thread *thread = &runtime->threads[agent];
    if (!runtime->journaling || thread->saved_at == j->step)
        return;
    thread->saved_at = j->step;
    size_t stack = (size_t)(thread->stack + thread->stack_size - (unsigned char *)thread->stack_pointer);
    if (stack > MOST_STACK) {
        give_up(j);
        return;
    }
    save_as(thread->stack_pointer, stack, 0); /* what is given up on the way is given up: later ones do nothing */
    save_as(thread, offsetof(struct thread, saved_at), IS_THREAD);
    save_as(thread->clock, runtime->agent_limit * sizeof *thread->clock, 0);
    if (thread->follows_others)
        save_as(thread->follow, runtime->agent_limit * sizeof *thread->follow, 0);
}

void journal_save_newborn(uint32_t agent)
{
    if (!runtime->journaling)
        return;
    save_as(&runtime->threads[agent], offsetof(struct thread, saved_at), IS_THREAD);
    runtime->threads[agent].saved_at = runtime->journal->step;
}

void journal_save_object(uint32_t number, bool permits)
{
    const struct object *object = object_state(number);
    if (!runtime->journaling)
        return;
    save_as(object, permits ? sizeof *object : offsetof(struct object, permitted), 0);
}

void journal_save_clock(const uint32_t *clock)
{
    if (runtime->journaling)
        save_as(clock, runtime->agent_limit * sizeof *clock, 0);
}

void journal_step(void)
{
    struct journal *j = runtime->journal;
    j->step++;
    if (!j->used)
        return;
    if (!runtime->journaling) { /* it was given up; a later depth is as good a start */
        j->oldest = runtime->top;
        runtime->journaling = true;
    }
    if (!vector_push(&j->marks, j->count))
        give_up(j);
}

bool journal_can_undo(size_t depth)
{
    const struct journal *j = runtime->journal;
    return runtime->journaling && depth >= j->oldest && depth < j->oldest + j->marks.count;
}

void journal_undo(size_t depth)
{
    struct journal *j = runtime->journal;
    size_t mark = j->marks.item[depth - j->oldest];
    j->most = j->count > j->most ? j->count : j->most;
    while (j->count > mark) {
        const struct entry *entry = (const struct entry *)(j->bytes + j->count) - 1;
        size_t size = entry->size & ~(uint64_t)IS_THREAD;
        const unsigned char *bytes = (const unsigned char *)entry - ((size + 7) & ~(size_t)7);
        size_t allocated = entry->size & IS_THREAD ? ((struct thread *)entry->address)->heap_used : 0;
        memcpy(entry->address, bytes, size);
        if (entry->size & IS_THREAD)
            heap_shrink(entry->address, allocated);
        j->count = (size_t)(bytes - j->bytes);
    }
    j->marks.count = depth - j->oldest;
    j->step++;
    runtime->top = depth;
}

size_t journal_bytes(void)
{
    return runtime->journal->most;
}
