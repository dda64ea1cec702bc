/* SPDX-License-Identifier: Apache-2.0 */
/* What is not modelled is refused with a sentence: a search that went on would not have seen every behaviour. */
#include "native/failure.h"
#include "native/runtime.h"

#define REFUSE(type, name)                                                                                             \
    EXPORT type __wrap_##name(void);                                                                                   \
    EXPORT type __wrap_##name(void)                                                                                    \
    {                                                                                                                  \
        fail_run(FAILED_REFUSED, CALLER, "calls %s, which is not modelled", #name);                                    \
        return (type)-1;                                                                                               \
    }

/* --- other processes */

REFUSE(long, fork)
REFUSE(long, vfork)
REFUSE(long, clone)
REFUSE(long, execl)
REFUSE(long, execle)
REFUSE(long, execlp)
REFUSE(long, execv)
REFUSE(long, execve)
REFUSE(long, execvp)
REFUSE(long, execvpe)
REFUSE(long, fexecve)
REFUSE(long, posix_spawn)
REFUSE(long, posix_spawnp)
REFUSE(long, system)
REFUSE(long, popen)
REFUSE(long, wait)
REFUSE(long, wait3)
REFUSE(long, wait4)
REFUSE(long, waitpid)
REFUSE(long, waitid)
REFUSE(long, daemon)
REFUSE(long, ptrace)

/* --- other programs and machines, by files */

REFUSE(long, timerfd_create)
REFUSE(long, signalfd)
REFUSE(long, inotify_init)
REFUSE(long, inotify_init1)
REFUSE(long, mkfifo)
REFUSE(long, mkfifoat)
REFUSE(long, mknod)
REFUSE(long, mknodat)
REFUSE(long, io_uring_setup)
REFUSE(long, io_setup)
REFUSE(long, aio_read)
REFUSE(long, aio_write)
REFUSE(long, aio_fsync)
REFUSE(long, lio_listio)
REFUSE(long, mq_open)
REFUSE(long, msgget)
REFUSE(long, semget)
REFUSE(long, shmget)
REFUSE(long, shmat)
REFUSE(long, shm_open)
REFUSE(long, sem_open)
REFUSE(long, memfd_create)
REFUSE(long, userfaultfd)

/* --- what would be done to the user's own files (private_files.c) */

REFUSE(long, link)
REFUSE(long, linkat)
REFUSE(long, symlink)
REFUSE(long, symlinkat)
REFUSE(long, unlinkat)
REFUSE(long, renameat)
REFUSE(long, renameat2)
REFUSE(long, mkdirat)
REFUSE(long, fchmodat)
REFUSE(long, chown)
REFUSE(long, lchown)
REFUSE(long, fchownat)
REFUSE(long, utime)
REFUSE(long, utimes)
REFUSE(long, utimensat)
REFUSE(long, mkostemp)
REFUSE(long, mkostemps)
REFUSE(long, mkstemps)
REFUSE(long, freopen)
REFUSE(long, freopen64)

/* --- signals and what interrupts */

REFUSE(long, sigset)
REFUSE(long, bsd_signal)
REFUSE(long, sigsuspend)
REFUSE(long, sigwait)
REFUSE(long, sigwaitinfo)
REFUSE(long, sigtimedwait)
REFUSE(long, sigqueue)
REFUSE(long, sigaltstack)
REFUSE(long, siginterrupt)
REFUSE(long, raise)
REFUSE(long, kill)
REFUSE(long, killpg)
REFUSE(long, tgkill)
REFUSE(long, pause)
REFUSE(long, alarm)
REFUSE(long, ualarm)
REFUSE(long, setitimer)
REFUSE(long, timer_create)
REFUSE(long, pthread_kill)
REFUSE(long, pthread_sigqueue)
REFUSE(long, pthread_cancel)

/* --- contexts, and code that comes later */

REFUSE(long, getcontext)
REFUSE(long, setcontext)
REFUSE(long, makecontext)
REFUSE(long, swapcontext)
REFUSE(long, at_quick_exit)
REFUSE(long, pthread_atfork)
REFUSE(long, dlopen)
REFUSE(long, dlsym)
REFUSE(long, dlvsym)
REFUSE(long, dlmopen)

/* --- memory that is not on the heap */

REFUSE(long, mremap)
REFUSE(long, brk)
REFUSE(long, sbrk)

/* --- threads that are waited for in other ways */

REFUSE(long, pthread_tryjoin_np)
REFUSE(long, pthread_timedjoin_np)
REFUSE(long, pthread_clockjoin_np)
REFUSE(long, pthread_mutex_consistent)
REFUSE(long, pthread_getcpuclockid)
REFUSE(long, futex)
REFUSE(long, membarrier)
