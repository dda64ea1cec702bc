/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the program's threads: switching between them and the scheduler. */
#ifndef NATIVE_CONTEXT_H
#define NATIVE_CONTEXT_H

#include "native/threads.h"

void contexts_make(void);
/* Stops the present thread before an operation; returns its result when the search has taken it. */
unsigned __int128 visible(struct pending *operation);
/* Back to the scheduler; returns when the thread is let go on. */
void stop(void);
/* Back to the scheduler forever. */
void leave_context(void) __attribute__((noreturn));
/* Lets a thread run to its next visible operation, its end or a failure. */
void resume(uint32_t agent);
/* Rounding and the like, as the present thread has set it, and as it was before main. */
uint64_t float_mode(void);
uint64_t first_float_mode(void);
/* Makes the context of a thread; it starts when first resumed. */
void context_make(uint32_t agent, void (*entry)(void));
/* Makes a stopped thread call a function, as if from where it stopped, when it is resumed next; false when it has not
 * begun. */
bool context_divert(uint32_t agent, void (*function)(void));

#endif
