/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread's stack would hold if no other thread wrote to it. */
#ifndef NATIVE_OWN_WORDS_H
#define NATIVE_OWN_WORDS_H

#include "native/threads.h"

/* Called once; false when there is no memory. */
bool own_words_make(void);
/* A run begins. */
void own_words_reset(void);

/* Just before somebody, perhaps the owner, writes to a stack or to thread-local variables. */
void note_write_to_stack(uint32_t owner, uint32_t writer, uintptr_t address, size_t size);
/* The thread is about to run; it has run. */
void own_words_begin(uint32_t agent);
void own_words_end(uint32_t agent);

/* The running thread has come to a function, whose frame ends here; is about to return from one; may leave several. */
void function_is_entered(uintptr_t end);
void function_is_left(void);
void functions_are_left(void);

/* Between these the thread's memory is what it would be without the others. */
void own_words_show(const struct thread *thread);
void own_words_hide(const struct thread *thread);

#endif
