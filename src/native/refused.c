/* What is not modelled is refused with a sentence: a search that went on would not have seen every behaviour. */
#include "native/runtime.h"

#define REFUSE(type, name)                                                                                             \
    EXPORT type __wrap_##name(void);                                                                                   \
    EXPORT type __wrap_##name(void)                                                                                    \
    {                                                                                                                  \
        fail_run(FAILED_REFUSED, CALLER, "calls %s, which is not modelled", #name);                                    \
        return (type)-1;                                                                                               \
    }

REFUSE(long, fork)
REFUSE(long, vfork)
REFUSE(long, execl)
REFUSE(long, execlp)
REFUSE(long, execv)
REFUSE(long, execve)
REFUSE(long, execvp)
REFUSE(long, system)
REFUSE(long, popen)
REFUSE(long, wait)
REFUSE(long, waitpid)
REFUSE(long, socket)
REFUSE(long, socketpair)
REFUSE(long, pipe)
REFUSE(long, select)
REFUSE(long, poll)
REFUSE(long, epoll_create)
REFUSE(long, epoll_create1)
REFUSE(long, eventfd)
REFUSE(long, signal)
REFUSE(long, sigaction)
REFUSE(long, raise)
REFUSE(long, kill)
REFUSE(long, alarm)
REFUSE(long, setitimer)
REFUSE(long, timer_create)
REFUSE(long, pthread_cancel)
REFUSE(long, pthread_kill)
REFUSE(long, pthread_sigmask)
REFUSE(long, pthread_tryjoin_np)
REFUSE(long, pthread_timedjoin_np)
REFUSE(long, pthread_cond_clockwait)
REFUSE(long, pthread_mutex_clocklock)
REFUSE(long, pthread_mutex_consistent)
REFUSE(long, pthread_rwlock_timedrdlock)
REFUSE(long, pthread_rwlock_timedwrlock)
REFUSE(long, sem_open)
REFUSE(long, sem_clockwait)
REFUSE(long, atexit)
REFUSE(long, at_quick_exit)
REFUSE(long, on_exit)
REFUSE(long, mmap)
REFUSE(long, shmget)
REFUSE(long, shm_open)
REFUSE(long, dlopen)
REFUSE(long, syscall)
