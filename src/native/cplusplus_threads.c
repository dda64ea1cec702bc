/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libstdc++ keeps to itself of threads, condition variables, clocks and random numbers.  Mutexes, futures,
 * call_once and the rest are in its headers, so they are compiled with the program, and call POSIX threads.  The names
 * are those of the Itanium C++ ABI; a program in C has nobody who calls them.
 */
#include "native/accesses.h"
#include "native/calls.h"
#include "native/context.h"
#include "native/failure.h"
#include "native/journal.h"
#include "native/lifetimes.h"

#include <errno.h>
#include <time.h>

#define CPLUSPLUS(type, name, symbol, ...)                                                                             \
    EXPORT type name(__VA_ARGS__) __asm__(symbol);                                                                     \
    EXPORT type name(__VA_ARGS__)

void throw_system_error(int error) __asm__("_ZSt20__throw_system_errori") __attribute__((weak, noreturn));

/* --- std::thread: a pthread_t, 0 when it has no thread */

/* std::thread::_State, which a program derives from: destructors, then what the thread does. */
struct state {
    void (**functions)(struct state *state);
};

void *run_cplusplus_thread(void *argument)
{
    enum { DELETE = 1, RUN = 2 };
    struct state *state = argument;
    state->functions[RUN](state);
    state->functions[DELETE](state);
    return NULL;
}

CPLUSPLUS(void, start_thread, "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
          pthread_t *thread, struct state **state, void (*unused)(void))
{
    (void)unused;
    int error = create_thread(thread, NULL, run_cplusplus_thread, *state, CALLER);
    if (error)
        throw_system_error(error);
    writes(state, sizeof *state, CALLER);
    *state = NULL;
}

/* Who asks for the thread of an object that has none is told by an exception. */
static pthread_t thread_of(pthread_t *thread, uintptr_t caller)
{
    reads(thread, sizeof *thread, caller);
    if (!*thread)
        throw_system_error(EINVAL);
    return *thread;
}

static void forget_thread(pthread_t *thread, uintptr_t caller)
{
    writes(thread, sizeof *thread, caller);
    *thread = 0;
}

CPLUSPLUS(void, thread_join, "_ZNSt6thread4joinEv", pthread_t *thread)
{
    if (thread_of(thread, CALLER) == pthread_self())
        throw_system_error(EDEADLK);
    join_thread(*thread, CALLER);
    forget_thread(thread, CALLER);
}

CPLUSPLUS(void, thread_detach, "_ZNSt6thread6detachEv", pthread_t *thread)
{
    detach_thread(thread_of(thread, CALLER), CALLER);
    forget_thread(thread, CALLER);
}

/* The same on every machine. */
CPLUSPLUS(unsigned, hardware_concurrency, "_ZNSt6thread20hardware_concurrencyEv", void)
{
    return 2;
}

CPLUSPLUS(void, sleep_for,
          "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE",
          int64_t seconds, int64_t nanoseconds)
{
    (void)seconds, (void)nanoseconds;
    sched_yield();
}

/* --- std::condition_variable: a pthread_cond_t */

struct unique_lock {
    pthread_mutex_t *mutex;
    bool owns;
};

static void begin_condition(pthread_cond_t *condition, uintptr_t caller)
{
    begin_life(condition, sizeof *condition, A_CONDITION, 0, caller);
}

CPLUSPLUS(void, condition_begin, "_ZNSt18condition_variableC1Ev", pthread_cond_t *condition)
{
    begin_condition(condition, CALLER);
}

CPLUSPLUS(void, condition_base_begin, "_ZNSt18condition_variableC2Ev", pthread_cond_t *condition)
{
    begin_condition(condition, CALLER);
}

CPLUSPLUS(void, condition_end, "_ZNSt18condition_variableD1Ev", pthread_cond_t *condition)
{
    end_life(condition, A_CONDITION, CALLER);
}

CPLUSPLUS(void, condition_base_end, "_ZNSt18condition_variableD2Ev", pthread_cond_t *condition)
{
    end_life(condition, A_CONDITION, CALLER);
}

CPLUSPLUS(void, condition_wait, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", pthread_cond_t *condition,
          struct unique_lock *lock)
{
    reads(lock, sizeof *lock, CALLER);
    wait_for(A_CONDITION, condition, A_MUTEX, lock->mutex, OP_WAKE, CALLER);
}

CPLUSPLUS(void, condition_notify_one, "_ZNSt18condition_variable10notify_oneEv", pthread_cond_t *condition)
{
    operate_on(A_CONDITION, condition, OP_SIGNAL, 0, 0, CALLER);
}

CPLUSPLUS(void, condition_notify_all, "_ZNSt18condition_variable10notify_allEv", pthread_cond_t *condition)
{
    operate_on(A_CONDITION, condition, OP_BROADCAST, 0, 0, CALLER);
}

#define REFUSE_CPLUSPLUS(function, symbol, name)                                                                       \
    CPLUSPLUS(void, function, symbol, void)                                                                            \
    {                                                                                                                  \
        fail_run(FAILED_REFUSED, CALLER, "calls %s, which is not modelled", name);                                     \
    }

REFUSE_CPLUSPLUS(at_thread_exit, "_ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE",
                 "std::notify_all_at_thread_exit")
REFUSE_CPLUSPLUS(ready_at_thread_exit, "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv",
                 "std::promise::set_value_at_thread_exit or its like")

/* --- clocks and random numbers: those of the runtime (chance.c) */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
uint32_t __wrap_arc4random(void);

static int64_t nanoseconds_now(void)
{
    struct timespec time;
    __wrap_clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

CPLUSPLUS(int64_t, steady_now, "_ZNSt6chrono3_V212steady_clock3nowEv", void)
{
    return nanoseconds_now();
}

CPLUSPLUS(int64_t, system_now, "_ZNSt6chrono3_V212system_clock3nowEv", void)
{
    return nanoseconds_now();
}

CPLUSPLUS(unsigned, random_value, "_ZNSt13random_device9_M_getvalEv", void *device)
{
    (void)device;
    return __wrap_arc4random();
}
