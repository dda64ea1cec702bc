// SPDX-License-Identifier: Apache-2.0
// What programs call that makes no difference to their threads, or little.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static int cleaned;
static void clean(void)
{
    cleaned++;
    if (cleaned != 1)
        abort();
}
static void handler(int n)
{
    (void)n;
}
static void handler3(int n, siginfo_t *i, void *c)
{
    (void)n;
    (void)i;
    (void)c;
}
static void *work(void *a)
{
    sigset_t s, old;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, &s, &old) == 0 && !sigismember(&old, SIGUSR1));
    assert(sigprocmask(SIG_BLOCK, NULL, &old) == 0 && sigismember(&old, SIGUSR1));
    poll(NULL, 0, 10);
    struct timespec t = {0, 1000};
    nanosleep(&t, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
    pthread_attr_t b;
    size_t z;
    void *p;
    assert(pthread_getattr_np(pthread_self(), &b) == 0 && pthread_attr_getstack(&b, &p, &z) == 0 &&
           (char *)&b > (char *)p && (char *)&b < (char *)p + z);
    pthread_attr_destroy(&b);
    pthread_setname_np(pthread_self(), "worker");
    int st;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &st);
    return a;
}
int main(void)
{
    atexit(clean);
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    assert(signal(SIGINT, handler) == SIG_DFL);
    struct sigaction sa = {.sa_sigaction = handler3, .sa_flags = SA_SIGINFO | SA_RESTART}, was;
    assert(sigaction(SIGTERM, &sa, &was) == 0 && was.sa_handler == SIG_DFL);
    assert(sigaction(SIGTERM, NULL, &was) == 0 && was.sa_sigaction == handler3);
    sigset_t all;
    sigfillset(&all);
    assert(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    sigemptyset(&all);
    assert(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
    pthread_attr_t a;
    pthread_attr_init(&a);
    assert(!pthread_attr_setstacksize(&a, 1 << 20) && !pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE) &&
           !pthread_attr_setguardsize(&a, 4096) && !pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM) &&
           !pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED) && !pthread_attr_setschedpolicy(&a, SCHED_OTHER));
    struct sched_param sp = {0};
    assert(!pthread_attr_setschedparam(&a, &sp));
    size_t size;
    assert(!pthread_attr_getstacksize(&a, &size) && size == 1 << 20);
    pthread_mutexattr_t ma;
    pthread_mutexattr_init(&ma);
    pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_setprotocol(&ma, PTHREAD_PRIO_INHERIT);
    pthread_mutex_t m;
    pthread_mutex_init(&m, &ma);
    pthread_mutexattr_destroy(&ma);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    pthread_condattr_t ca;
    pthread_condattr_init(&ca);
    pthread_condattr_setclock(&ca, CLOCK_MONOTONIC);
    pthread_cond_t c;
    pthread_cond_init(&c, &ca);
    pthread_condattr_destroy(&ca);
    pthread_rwlockattr_t ra;
    pthread_rwlockattr_init(&ra);
    pthread_rwlockattr_setkind_np(&ra, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_t rw;
    pthread_rwlock_init(&rw, &ra);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], &a, work, NULL);
    pthread_attr_destroy(&a);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    sleep(1);
    usleep(10);
    sched_yield();
    return 0;
}
