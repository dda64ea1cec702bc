/* SPDX-License-Identifier: Apache-2.0 */
#include "native/foreign.h"
#include "native/journal.h"
#include "native/reservations.h"
#include "native/run.h"
#include "native/runtime.h"
#include "native/threads.h"

enum { MOST_WORDS = 1 << 12 };

/* The last write and the last read of a word; another word may push it out, which is noticed. */
static KEPT struct foreign {
    uintptr_t word;
    uint32_t run;
    struct last {
        uint32_t agent, clock; /* clock 0: none */
    } write, read;
    bool is_read_by_several;
} words[MOST_WORDS];

/* Of a word, or where it may be put: one of a few places. */
static struct foreign *place_of(uintptr_t address)
{
    enum { PLACES = 16 };
    uint64_t word = address / 8, hash = word * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    struct foreign *free = &words[hash % MOST_WORDS];
    for (uint64_t i = 0; i < PLACES; i++) {
        struct foreign *f = &words[(hash + i) % MOST_WORDS];
        if (f->word == word && f->run == run.number)
            return f;
        if (f->run != run.number)
            free = f;
    }
    return free;
}

static bool is_before(struct last last, uint32_t agent)
{
    return !last.clock || last.agent == agent || last.clock <= threads[agent].clock[last.agent];
}

static void leave_open(void)
{
    add_reservation(true, "several threads use memory that a library has allocated (a stream, a C++ exception), where "
                          "data races are not looked for");
}

void note_foreign(uint32_t agent, uintptr_t address, bool writes)
{
    struct foreign *f = place_of(address);
    struct last now = {agent, threads[agent].clock[agent]};
    bool is_same = f->run == run.number && f->word == address / 8;
    journal_save(f, sizeof *f);
    if (!is_same) {
        if (f->run == run.number && f->write.clock) /* what is known of the other word is lost */
            leave_open();
        *f = (struct foreign){.word = address / 8, .run = run.number};
    }
    bool reads_are_before = is_before(f->read, agent) && !f->is_read_by_several;
    if (!is_before(f->write, agent) || (writes && !reads_are_before))
        leave_open();
    if (writes) {
        f->write = now;
        f->read.clock = 0;
        f->is_read_by_several = false;
    } else {
        f->is_read_by_several = f->is_read_by_several || !is_before(f->read, agent);
        f->read = now;
    }
}

void foreign_begins(uintptr_t address, size_t size)
{
    for (uintptr_t at = address & ~(uintptr_t)7; at < address + size; at += 8) {
        struct foreign *f = place_of(at);
        if (f->word != at / 8 || f->run != run.number)
            continue;
        journal_save(f, sizeof *f);
        f->run = 0;
    }
}
