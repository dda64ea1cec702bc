/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for a value to change, as the futex of Linux does it (futex(2); Franke, Russell and Kirkwood 2002) and wait
 * of std::atomic: who finds the value that it does not want joins those who wait at this address, in the same step, and
 * goes on when somebody wakes it up.  A wake-up that comes before is lost.
 */
#include "native/futex.h"
#include "native/accesses.h"
#include "native/calls.h"
#include "native/context.h"
#include "native/failure.h"
#include "native/journal.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

struct announced_wait announced_wait;

/* Wakes up one of those who wait, or all. */
static void notify(const volatile void *object, bool all, uintptr_t caller)
{
    if (in_program())
        visible(&(struct pending){.kind = all ? OP_BROADCAST : OP_SIGNAL,
                                  .thing = A_QUEUE,
                                  .size = 8,
                                  .address = (uintptr_t)object,
                                  .caller = caller});
}

/* Goes on when it was woken up, or when the time is over: then it is told ETIMEDOUT. */
static int wake_up(const volatile void *object, bool is_timed, uintptr_t caller)
{
    return (int)visible(&(struct pending){.kind = is_timed ? OP_TIMED_WAKE : OP_WAKE,
                                          .thing = A_QUEUE,
                                          .size = 8,
                                          .address = (uintptr_t)object,
                                          .caller = caller});
}

/* --- std::atomic::wait (include/portolan/c++/bits/atomic_wait.h) */

EXPORT bool __portolan_will_wait(const volatile void *object, size_t size, const void *value);
EXPORT bool __portolan_will_wait(const volatile void *object, size_t size, const void *value)
{
    if (!in_program() || size > 8 || size & (size - 1))
        return false;
    announced_wait = (struct announced_wait){.address = (uintptr_t)object};
    memcpy(&announced_wait.value, value, size);
    return true;
}

EXPORT void __portolan_wait(const volatile void *object);
EXPORT void __portolan_wait(const volatile void *object)
{
    if (in_program())
        wake_up(object, false, CALLER);
}

EXPORT void __portolan_notify(const volatile void *object, bool all);
EXPORT void __portolan_notify(const volatile void *object, bool all)
{
    notify(object, all, CALLER);
}

/* --- the system call */

static long fails(int error)
{
    errno = error;
    return -1;
}

static long futex_wait(uint32_t *word, uint32_t value, bool is_timed, uintptr_t caller)
{
    if ((uintptr_t)word % sizeof *word)
        return fails(EINVAL);
    uint32_t found = (uint32_t)visible(&(struct pending){.kind = OP_WAIT_VALUE,
                                                         .size = sizeof *word,
                                                         .order = __ATOMIC_RELAXED,
                                                         .address = (uintptr_t)word,
                                                         .expected = value,
                                                         .caller = caller});
    int error = found != value ? EAGAIN : wake_up(word, is_timed, caller);
    return error ? fails(error) : 0;
}

static long futex_wake(uint32_t *word, uint32_t count, uintptr_t caller)
{
    if (count > 1 && count < MOST_THREADS)
        fail_run(FAILED_REFUSED, caller, "wakes %u threads at a futex; only one or all are modelled", count);
    if (count)
        notify(word, count > 1, caller);
    return count ? 1 : 0; /* how many there were is not told */
}

static long futex(va_list arguments, uintptr_t caller)
{
    uint32_t *word = va_arg(arguments, uint32_t *);
    int operation = va_arg(arguments, int) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    uint32_t value = va_arg(arguments, uint32_t);
    const void *until = va_arg(arguments, const void *);
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
        return futex_wait(word, value, until, caller);
    if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
        return futex_wake(word, value, caller);
    fail_run(FAILED_REFUSED, caller, "calls futex with operation %d, which is not modelled", operation);
    return fails(ENOSYS);
}

EXPORT long __wrap_syscall(long number, ...);
EXPORT long __wrap_syscall(long number, ...)
{
    va_list arguments;
    uintptr_t caller = CALLER;
    long result = -1;
    va_start(arguments, number);
    if (number == SYS_futex && in_program())
        result = futex(arguments, caller);
    else
        fail_run(FAILED_REFUSED, caller, "calls syscall, which is not modelled: number %ld", number);
    va_end(arguments);
    return result;
}
