/* SPDX-License-Identifier: Apache-2.0 */
/* Loops without a visible operation. */
#ifndef NATIVE_ROUNDS_H
#define NATIVE_ROUNDS_H

#include "native/threads.h"

enum { PATIENT_ROUNDS = 1 << 14 };

/* One of many accesses since the last visible operation: when the thread was here before, it is left here. */
void look_for_round(uintptr_t address, bool writes, uintptr_t caller);
/* The thread does something that others cannot see. */
static inline void come_by(uintptr_t address, bool writes, uintptr_t caller)
{
    if (++current_thread()->plain_accesses >= PATIENT_ROUNDS)
        look_for_round(address, writes, caller);
}
/* The same for a call that does nothing but pass time. */
void pass_time(uintptr_t caller);
/* The running thread changes what is not memory of the program: it does not go round in vain, in whatever loop. */
void goes_on(uintptr_t caller);
/* The thread goes round forever; it reads this address (0: none that is known). */
void stall(uintptr_t address, uintptr_t caller) __attribute__((noreturn));
/* What decides what the running thread does next, registers aside. */
uint64_t running_state(const struct thread *thread, const unsigned char *stack_pointer);

#endif
