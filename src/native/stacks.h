/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NATIVE_STACKS_H
#define NATIVE_STACKS_H

#include "native/failure.h"
#include "native/record.h"
#include "native/threads.h"

#include <ucontext.h>

enum { DEEPEST_STACK = 40 };

/* The functions of a thread that have not returned, the innermost first. */
struct stack {
    uint32_t agent, count;
    struct recorded_frame frames[DEEPEST_STACK];
};

typedef void take_stack(void *user, const struct stack *stack, bool of_error);
/* All stacks where the present run ended; those that belong to the failure are told apart.  The run is over after that;
 * for a race the schedule is run again to where the earlier access was, and that stack comes last. */
void stacks_find(const struct failure *failure, take_stack *take, void *user);
/* For the handler of faults: when it was the look at a stack that failed, because the program has overwritten it, the
 * look ends there. */
bool stack_is_broken(ucontext_t *context);

#endif
