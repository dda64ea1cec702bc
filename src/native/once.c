/* SPDX-License-Identifier: Apache-2.0 */
/* What is done once.  This file is compiled with -fexceptions: what is done may be C++, and end by an exception. */
#include "native/calls.h"
#include "native/context.h"
#include "native/memory.h"

#include <threads.h>

int operate_once(enum operation kind, void *flag, bool undoes, uintptr_t caller)
{
    return (int)visible(&(struct pending){
        .kind = kind, .size = sizeof(pthread_once_t), .operand = undoes, .address = (uintptr_t)flag, .caller = caller});
}

/* What is being done once; an exception may end that before it is done. */
struct doing {
    void *flag;
    bool done;
    uintptr_t caller;
};

static void end_doing(const struct doing *doing)
{
    operate_once(OP_ONCE_DONE, doing->flag, !doing->done, doing->caller);
}

static void do_once(void *flag, void (*function)(void), uintptr_t caller)
{
    struct doing doing __attribute__((cleanup(end_doing))) = {flag, false, caller};
    function();
    doing.done = true;
}

static void once(void *flag, void (*function)(void), uintptr_t caller)
{
    if (!in_program() || !is_program_text(caller)) { /* a library's: it is done for all runs */
        if (!__atomic_exchange_n((int *)flag, 2, __ATOMIC_SEQ_CST))
            function();
    } else if (operate_once(OP_ONCE, flag, false, caller)) {
        do_once(flag, function, caller);
    }
}

EXPORT int pthread_once(pthread_once_t *flag, void (*function)(void))
{
    once(flag, function, CALLER);
    return 0;
}

EXPORT void call_once(once_flag *flag, void (*function)(void))
{
    once(flag, function, CALLER);
}
