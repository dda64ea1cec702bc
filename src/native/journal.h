/* SPDX-License-Identifier: Apache-2.0 */
/* What a step changes is written down before, so that it can be undone. */
#ifndef NATIVE_JOURNAL_H
#define NATIVE_JOURNAL_H

#include "native/threads.h"

extern bool journaling; /* what changes is being saved */

bool journal_make(bool used);
void journal_begin(void);  /* at depth 0 */
void journal_step(void);   /* a step begins */
void journal_forget(void); /* what it holds */
void journal_stop(void);   /* for good */
bool journal_can_undo(size_t depth);
void journal_undo(size_t depth);
size_t journal_bytes(void);

void journal_save_memory(uintptr_t address, size_t size); /* the program's, often the same word again */
void journal_save_thread(uint32_t agent);                 /* it goes on */
void journal_save_newborn(uint32_t agent);                /* it will be made */
void journal_save_object(uint32_t object, bool permits);
void journal_save_clock(const uint32_t *clock);

void journal_write(const void *address, size_t size);
/* These bytes, which are not the program's, will change. */
static inline void journal_save(const void *address, size_t size)
{
    if (journaling)
        journal_write(address, size);
}

/* The runtime writes to the program's memory. */
static inline void will_write(const void *address, size_t size)
{
    if (in_program())
        journal_save_memory((uintptr_t)address, size);
}

#endif
