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
#include "native/journal.h"
#include "native/memory.h"
#include "native/objects.h"

#include <string.h>

enum {
    MOST_BYTES = 64 << 20, /* beyond this the journal is given up, and going back means running again */
    MOST_STACK = 64 << 10, /* of one thread; a larger stack ends the journal too */
    IS_THREAD = 1 << 30,   /* in the size of an entry: what a thread allocated since goes too */
    RECENT = 256
};

struct entry {
    void *address;
    uint64_t size; /* of the bytes before it, which are padded to 8 */
};

KEPT bool journaling;

static KEPT struct journal {
    bool used;
    unsigned char *bytes;
    size_t count, most;   /* now, and ever */
    VECTOR(size_t) marks; /* per depth from `oldest` on: where its step begins */
    size_t oldest;        /* the first depth to which it leads back */
    uint64_t step;        /* a number for each step ever taken */
    struct {
        uintptr_t word;
        uint64_t step;
    } * recent; /* RECENT words that the present step has written down already */
} journal;

bool journal_make(bool used)
{
    journal.used = used;
    journal.bytes = reserve(MOST_BYTES);
    journal.recent = reserve(RECENT * sizeof *journal.recent);
    return journal.bytes && journal.recent;
}

void journal_begin(void)
{
    journal.count = journal.marks.count = 0;
    journal.oldest = 0;
    journaling = journal.used;
    journal.step++;
}

/* It can start again with a later step. */
static void give_up(void)
{
    journal.most = journal.count > journal.most ? journal.count : journal.most;
    journal.count = journal.marks.count = 0;
    journaling = false;
}

void journal_forget(void)
{
    give_up();
}

void journal_stop(void)
{
    journal.used = false;
    give_up();
}

/* Most entries are of one number, or of few. */
static inline void copy_bytes(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size > 16) {
        memcpy(to, from, size);
        return;
    }
    if (size >= 8) { /* both halves, which overlap */
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else {
        for (size_t i = 0; i < size; i++)
            to[i] = from[i];
    }
}

/* Makes room for some bytes and the entry behind them, which is written; NULL: the journal has been given up. */
static inline unsigned char *add_entry(const void *address, size_t size, uint64_t kind)
{
    size_t padded = (size + 7) & ~(size_t)7;
    if (journal.count + padded + sizeof(struct entry) > MOST_BYTES)
        give_up();
    if (!journaling)
        return NULL;
    unsigned char *place = journal.bytes + journal.count;
    *(struct entry *)(place + padded) = (struct entry){(void *)(uintptr_t)address, size | kind};
    journal.count += padded + sizeof(struct entry);
    return place;
}

/* What is the runtime's. */
static inline void save_own(const void *address, size_t size, uint64_t kind)
{
    unsigned char *place = add_entry(address, size, kind);
    if (place)
        copy_bytes(place, address, size);
}

/* What is the program's: the copy is libc's, for where that faults, the place is the program's (signals.c). */
static void save_foreign(const void *address, size_t size)
{
    unsigned char *place = add_entry(address, size, 0);
    __asm__("" : "+r"(size));
    if (place)
        memcpy(place, address, size);
}

void journal_write(const void *address, size_t size)
{
    save_own(address, size, 0);
}

/* The present step has allocated it, which is undone as a whole. */
static bool is_new(uintptr_t address)
{
    if (!in_program())
        return false;
    const struct thread *thread = current_thread();
    uintptr_t end = (uintptr_t)thread->heap + thread->heap_used;
    return thread->saved_at == journal.step && address >= thread->heap_before && address < end;
}

void journal_save_memory(uintptr_t address, size_t size)
{
    if (!journaling)
        return;
    uintptr_t word = address / 8;
    if (size > 8 || (address + size - 1) / 8 != word) {
        if (!is_new(address))
            save_foreign((void *)address, size);
        return;
    }
    if (journal.recent[word % RECENT].word == word && journal.recent[word % RECENT].step == journal.step)
        return;
    journal.recent[word % RECENT].word = word;
    journal.recent[word % RECENT].step = journal.step;
    save_foreign((void *)(word * 8), 8);
}

void journal_save_thread(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    if (!journaling || thread->saved_at == journal.step)
        return;
    thread->saved_at = journal.step;
    thread->heap_before = (uintptr_t)thread->heap + thread->heap_used;
    size_t stack = (size_t)(thread->stack + thread->stack_size - (unsigned char *)thread->stack_pointer);
    if (stack > MOST_STACK) {
        give_up();
        return;
    }
    save_foreign(thread->stack_pointer, stack); /* when one of these gives up, the later ones do nothing */
    save_own(thread, offsetof(struct thread, clock) + agents.limit * sizeof *thread->clock, IS_THREAD);
    if (thread->follows)
        save_own(thread->follow, agents.limit * sizeof *thread->follow, 0);
}

void journal_save_newborn(uint32_t agent)
{
    if (!journaling)
        return;
    save_own(&threads[agent], offsetof(struct thread, clock), IS_THREAD);
    threads[agent].saved_at = journal.step;
    threads[agent].heap_before = (uintptr_t)threads[agent].heap + threads[agent].heap_used;
}

void journal_save_object(uint32_t number, bool permits)
{
    const struct object *object = object_state(number);
    if (!journaling)
        return;
    size_t permitted = permits ? agents.limit * sizeof *object->permitted : 0; /* there are no more who wait */
    save_own(object, offsetof(struct object, permitted) + permitted, 0);
}

void journal_save_clock(const uint32_t *clock)
{
    if (journaling)
        save_own(clock, agents.limit * sizeof *clock, 0);
}

void journal_step(void)
{
    journal.step++;
    if (!journal.used)
        return;
    if (!journaling) { /* it was given up; a later depth is as good a start */
        journal.oldest = run.top;
        journaling = true;
    }
    if (!vector_push(&journal.marks, journal.count))
        give_up();
}

bool journal_can_undo(size_t depth)
{
    return journaling && depth >= journal.oldest && depth < journal.oldest + journal.marks.count;
}

void journal_undo(size_t depth)
{
    size_t mark = journal.marks.item[depth - journal.oldest];
    journal.most = journal.count > journal.most ? journal.count : journal.most;
    while (journal.count > mark) {
        const struct entry *entry = (const struct entry *)(journal.bytes + journal.count) - 1;
        size_t size = entry->size & ~(uint64_t)IS_THREAD;
        const unsigned char *bytes = (const unsigned char *)entry - ((size + 7) & ~(size_t)7);
        size_t allocated = entry->size & IS_THREAD ? ((struct thread *)entry->address)->heap_used : 0;
        copy_bytes(entry->address, bytes, size);
        if (entry->size & IS_THREAD)
            heap_shrink(entry->address, allocated);
        journal.count = (size_t)(bytes - journal.bytes);
    }
    journal.marks.count = depth - journal.oldest;
    journal.step++;
    run.top = depth;
}

size_t journal_bytes(void)
{
    return journal.most;
}
