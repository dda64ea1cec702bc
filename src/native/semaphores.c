/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX semaphores without a name. */
#include "native/accesses.h"
#include "native/context.h"
#include "native/lifetimes.h"

#include <errno.h>
#include <semaphore.h>

static int operate(enum operation kind, sem_t *semaphore, int error, uintptr_t caller)
{
    check_life(semaphore, A_SEMAPHORE, caller);
    int result = (int)visible(&(struct pending){.kind = kind,
                                                .thing = A_SEMAPHORE,
                                                .size = 8,
                                                .address = (uintptr_t)semaphore,
                                                .error = error,
                                                .caller = caller});
    check_life(semaphore, A_SEMAPHORE, caller); /* it may have waited */
    return result;
}

static int with_errno(int error)
{
    if (!error)
        return 0;
    errno = error;
    return -1;
}

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (shared)
        fail_run(FAILED_REFUSED, CALLER, "asks for a semaphore that is shared between processes");
    begin_life(semaphore, sizeof *semaphore, A_SEMAPHORE, value, CALLER);
    return 0;
}

EXPORT int sem_destroy(sem_t *semaphore)
{
    end_life(semaphore, A_SEMAPHORE, CALLER);
    return 0;
}

EXPORT int sem_wait(sem_t *semaphore)
{
    return with_errno(operate(OP_SEMAPHORE_WAIT, semaphore, EAGAIN, CALLER));
}

EXPORT int sem_trywait(sem_t *semaphore)
{
    return with_errno(operate(OP_SEMAPHORE_TRY_WAIT, semaphore, EAGAIN, CALLER));
}

/* The time may be over at any moment: it tries once. */
EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    (void)until;
    return with_errno(operate(OP_SEMAPHORE_TRY_WAIT, semaphore, ETIMEDOUT, CALLER));
}

EXPORT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
    (void)clock, (void)until;
    return with_errno(operate(OP_SEMAPHORE_TRY_WAIT, semaphore, ETIMEDOUT, CALLER));
}

EXPORT int sem_post(sem_t *semaphore)
{
    return with_errno(operate(OP_SEMAPHORE_POST, semaphore, 0, CALLER));
}

EXPORT int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    int found = operate(OP_SEMAPHORE_VALUE, semaphore, 0, CALLER);
    writes(value, sizeof *value, CALLER);
    *value = found;
    return 0;
}
