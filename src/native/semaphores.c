/* POSIX semaphores without a name. */
#include "native/accesses.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>

static int operate(enum operation kind, sem_t *semaphore, unsigned operand, int error, uintptr_t caller)
{
    return (int)visible(&(struct pending){.kind = kind,
                                          .size = 8,
                                          .address = (uintptr_t)semaphore,
                                          .operand = operand,
                                          .error = error,
                                          .caller = caller});
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
    will_write(semaphore, sizeof *semaphore);
    memset(semaphore, 0, sizeof *semaphore);
    operate(OP_RESET, semaphore, value, 0, CALLER);
    return 0;
}

EXPORT int sem_destroy(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

EXPORT int sem_wait(sem_t *semaphore)
{
    return with_errno(operate(OP_SEMAPHORE_WAIT, semaphore, 0, EAGAIN, CALLER));
}

EXPORT int sem_trywait(sem_t *semaphore)
{
    return with_errno(operate(OP_SEMAPHORE_TRY_WAIT, semaphore, 0, EAGAIN, CALLER));
}

/* The time may be over at any moment: it tries once. */
EXPORT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    (void)until;
    return with_errno(operate(OP_SEMAPHORE_TRY_WAIT, semaphore, 0, ETIMEDOUT, CALLER));
}

EXPORT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
    (void)clock, (void)until;
    return with_errno(operate(OP_SEMAPHORE_TRY_WAIT, semaphore, 0, ETIMEDOUT, CALLER));
}

EXPORT int sem_post(sem_t *semaphore)
{
    return with_errno(operate(OP_SEMAPHORE_POST, semaphore, 0, 0, CALLER));
}

EXPORT int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    int found = operate(OP_SEMAPHORE_VALUE, semaphore, 0, 0, CALLER);
    writes(value, sizeof *value, CALLER);
    *value = found;
    return 0;
}
