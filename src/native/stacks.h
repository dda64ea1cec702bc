/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NATIVE_STACKS_H
#define NATIVE_STACKS_H

#include "base/vector.h"
#include "native/failure.h"
#include "native/threads.h"
#include "report/json.h"

#include <ucontext.h>

struct frame {
    char function[80], place[120];
};

struct thread_stack {
    uint32_t agent;
    bool cut;                    /* there is more of it */
    VECTOR(struct frame) frames; /* the innermost first */
};

struct stacks {
    uint32_t count;
    struct thread_stack item[MOST_THREADS];
};

/* The stacks that belong to the failure at which the present run ended.  The run is over after that; for a race the
 * schedule is run again to where the earlier access was. */
void stacks_find(struct stacks *stacks, const struct failure *failure);
/* That of a thread, unless it is one function only. */
void stack_print(const struct stacks *stacks, uint32_t agent, FILE *out);
void stacks_json(const struct stacks *stacks, struct json *json);
/* For the handler of faults: when it was the look at a stack that failed, because the program has overwritten it, the
 * look ends there. */
bool stack_is_broken(ucontext_t *context);
void stacks_clear(struct stacks *stacks);

#endif
