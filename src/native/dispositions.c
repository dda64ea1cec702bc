/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals.  Nobody sends any (raise, kill, alarm and timers are refused), so handlers and masks are only remembered;
 * the one signal that comes by itself is SIGPIPE.  The program's faults stay errors, whoever would handle them.
 */
#include "native/dispositions.h"
#include "native/accesses.h"
#include "native/journal.h"

#include <errno.h>
#include <signal.h>

enum { SIGNALS = 65 };

static struct disposition {
    void (*handler)(int); /* NULL is SIG_DFL */
    bool wants_more;      /* SA_SIGINFO */
    int flags;
} dispositions[SIGNALS];
static uint64_t blocked[MOST_THREADS];

static uint64_t bit_of(int number)
{
    return UINT64_C(1) << (number - 1);
}

bool survives_signal(int number)
{
    const struct disposition *d = &dispositions[number];
    if (blocked[agents.current] & bit_of(number) || d->handler == SIG_IGN)
        return true;
    if (d->handler == SIG_DFL)
        return false;
    siginfo_t how = {.si_signo = number};
    if (d->wants_more)
        ((void (*)(int, siginfo_t *, void *))(uintptr_t)d->handler)(number, &how, NULL);
    else
        d->handler(number);
    return true;
}

static bool may_be_handled(int number)
{
    return number > 0 && number < SIGNALS && number != SIGKILL && number != SIGSTOP;
}

static void set(int number, struct disposition disposition)
{
    will_write(&dispositions[number], sizeof dispositions[number]);
    dispositions[number] = disposition;
}

EXPORT sighandler_t __wrap_signal(int number, sighandler_t handler);
EXPORT sighandler_t __wrap_signal(int number, sighandler_t handler)
{
    if (!in_program() || !may_be_handled(number)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    sighandler_t before = dispositions[number].handler;
    set(number, (struct disposition){.handler = handler});
    return before;
}

EXPORT int __wrap_sigaction(int number, const struct sigaction *new, struct sigaction *old);
EXPORT int __wrap_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    uintptr_t caller = CALLER;
    if (!in_program() || !may_be_handled(number)) {
        errno = EINVAL;
        return -1;
    }
    struct disposition before = dispositions[number];
    if (new) {
        reads(new, sizeof *new, caller);
        set(number, (struct disposition){new->sa_handler, new->sa_flags &SA_SIGINFO, new->sa_flags});
    }
    if (old) {
        writes(old, sizeof *old, caller);
        *old = (struct sigaction){.sa_handler = before.handler, .sa_flags = before.flags};
    }
    return 0;
}

static int change_mask(int how, const sigset_t *new, sigset_t *old, uintptr_t caller)
{
    uint64_t *mask = &blocked[agents.current], before = *mask, given = 0;
    if (new)
        reads(new, sizeof *new, caller);
    for (int number = 1; new &&number < SIGNALS; number++)
        given |= sigismember(new, number) == 1 ? bit_of(number) : 0;
    if (new &&how != SIG_BLOCK && how != SIG_UNBLOCK &&how != SIG_SETMASK)
        return EINVAL;
    will_write(mask, sizeof *mask);
    if (new)
        *mask = how == SIG_BLOCK ? before | given : how == SIG_UNBLOCK ? before & ~given : given;
    if (old) {
        writes(old, sizeof *old, caller);
        sigemptyset(old);
    }
    for (int number = 1; old && number < SIGNALS; number++)
        if (before & bit_of(number))
            sigaddset(old, number);
    return 0;
}

EXPORT int __wrap_pthread_sigmask(int how, const sigset_t *new, sigset_t *old);
EXPORT int __wrap_pthread_sigmask(int how, const sigset_t *new, sigset_t *old)
{
    uintptr_t caller = CALLER;
    return in_program() ? change_mask(how, new, old, caller) : 0;
}

EXPORT int __wrap_sigprocmask(int how, const sigset_t *new, sigset_t *old);
EXPORT int __wrap_sigprocmask(int how, const sigset_t *new, sigset_t *old)
{
    uintptr_t caller = CALLER;
    int error = in_program() ? change_mask(how, new, old, caller) : 0;
    errno = error ? error : errno;
    return error ? -1 : 0;
}
