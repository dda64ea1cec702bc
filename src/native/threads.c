/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX and C11 threads, mutexes, condition variables, once: each call is a visible operation or a note. */
#include "native/threads.h"
#include "native/accesses.h"
#include "native/births.h"
#include "native/calls.h"
#include "native/context.h"
#include "native/environment.h"
#include "native/journal.h"
#include "native/lifetimes.h"
#include "native/memory.h"
#include "native/rounds.h"
#include "native/run.h"
#include "native/settings.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <threads.h>

/* Does it need the object to be there still?  One who was let go at a condition variable or a barrier does not. */
static bool goes_from(enum operation kind)
{
    return kind == OP_WAKE || kind == OP_TIMED_WAKE || kind == OP_LEAVE;
}

int operate_on(enum thing thing, volatile void *object, enum operation kind, int operand, int error, uintptr_t caller)
{
    if (!is_inside()) /* until it stops it does nothing */
        return 0;
    struct pending operation = {.kind = kind,
                                .thing = (uint8_t)thing,
                                .size = thing == A_SPINLOCK ? sizeof(pthread_spinlock_t) : 8,
                                .address = (uintptr_t)object,
                                .operand = (unsigned)operand,
                                .error = error,
                                .caller = caller};
    if (goes_from(kind))
        return (int)visible(&operation);
    check_life(object, thing, caller);
    int result = (int)visible(&operation);
    check_life(object, thing, caller); /* it may have waited */
    return result;
}

/* What is no step need not stop the thread, unless it has to wait or is to be shown. */
static unsigned __int128 at_once(struct pending *operation)
{
    if (!in_program())
        return 0;
    struct thread *thread = current_thread();
    if (silent.wanted)
        return visible(operation);
    thread->pending = *operation;
    if (!happens_at_once(agents.current))
        stop();
    return thread->result;
}

/* --- threads */

static void end_thread(void *value, bool process)
{
    struct thread *thread = current_thread();
    thread->value = value;
    if (!process) {
        end_locals();
        keys_end(thread);
    }
    visible(&(struct pending){.kind = OP_EXIT, .operand = process, .address = agents.current, .caller = CALLER});
    leave_context();
}

void thread_entry(void)
{
    struct thread *thread = current_thread();
    begin_thread_locale();
    begin_exceptions();
    end_thread(thread->function(thread->argument), false);
}

int __real_main(int count, char **arguments, char **environment);

void main_entry(void)
{
    begin_thread_locale();
    begin_exceptions();
    run_constructors();
    run.exit_status = __real_main(given.argument_count, given.arguments, given.environment);
    run_destructors(run.exit_status, (uintptr_t)__real_main + 1);
    check_exit_status(run.exit_status, (uintptr_t)__real_main + 1);
    end_thread(NULL, true);
}

void __real_exit(int status) __attribute__((noreturn));
EXPORT void __wrap_exit(int status);
EXPORT void __wrap_exit(int status)
{
    exit_program(status, CALLER);
}

void exit_program(int status, uintptr_t caller)
{
    if (in_program())
        run_destructors(status, caller);
    end_process(status, caller);
}

void end_process(int status, uintptr_t caller)
{
    if (!in_program())
        __real_exit(status);
    run.exit_status = status;
    check_exit_status(status, caller);
    visible(
        &(struct pending){.kind = OP_EXIT, .operand = 1, .expected = 1, .address = agents.current, .caller = caller});
    leave_context();
}

static uint32_t create(void *(*function)(void *), void *argument, uintptr_t caller)
{
    current_thread()->float_mode = float_mode();
    return (uint32_t)at_once(&(struct pending){
        .kind = OP_CREATE, .address = (uintptr_t)argument, .expected = (uintptr_t)function, .caller = caller});
}

int create_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument,
                  uintptr_t caller)
{
    if (!in_program())
        return EAGAIN;
    writes(thread, sizeof *thread, caller); /* the child may read it: glibc stores it before the child begins */
    uint32_t child = create(function, argument, caller);
    int detached = PTHREAD_CREATE_JOINABLE;
    size_t stack = 0;
    if (attributes) {
        pthread_attr_getdetachstate(attributes, &detached);
        pthread_attr_getstacksize(attributes, &stack);
    }
    if (!stack_hold(child, stack))
        fail_run(FAILED_REFUSED, caller, "asks for a stack of %zu MB, which is too large here", stack >> 20);
    threads[child].detached = detached == PTHREAD_CREATE_DETACHED;
    *thread = child + 1;
    return 0;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    return create_thread(thread, attributes, function, argument, CALLER);
}

/* The agent of a thread's name, or a failure. */
static uint32_t agent_of(pthread_t thread, uintptr_t caller)
{
    if (thread == 0 || thread > agents.limit || !threads[thread - 1].exists)
        fail_run(FAILED_MISUSE, caller, "names a thread that does not exist");
    return (uint32_t)thread - 1;
}

void *join_thread(pthread_t thread, uintptr_t caller)
{
    uint32_t child = agent_of(thread, caller);
    return (void *)(uintptr_t)at_once(
        &(struct pending){.kind = OP_JOIN, .address = child, .operand = child, .caller = caller});
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
    if (!in_program())
        return 0;
    void *result = join_thread(thread, CALLER);
    if (value) {
        writes(value, sizeof *value, CALLER);
        *value = result;
    }
    return 0;
}

void detach_thread(pthread_t thread, uintptr_t caller)
{
    struct thread *other = &threads[agent_of(thread, caller)];
    if (other->detached || other->joined || other->joiner)
        fail_run(FAILED_MISUSE, caller,
                 other->detached ? "detaches a thread that was detached before" : "detaches a thread that is joined");
    journal_save(&other->detached, sizeof other->detached);
    other->detached = true;
}

EXPORT int pthread_detach(pthread_t thread)
{
    detach_thread(thread, CALLER);
    return 0;
}

/* The handlers of pthread_cleanup_push: each ends with a call of __pthread_unwind_next. */
static void clean_up(void *value)
{
    struct thread *thread = current_thread();
    thread->value = value;
    if (thread->cleanup)
        longjmp(thread->cleanup, 1); /* it begins with where to go */
    end_thread(value, false);
    __builtin_unreachable();
}

static void set_cleanup(void *handler)
{
    journal_save(&current_thread()->cleanup, sizeof(void *));
    current_thread()->cleanup = handler;
}

EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *handler)
{
    if (!in_program())
        return;
    handler->__pad[0] = current_thread()->cleanup;
    set_cleanup(handler);
}

EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *handler)
{
    if (in_program())
        set_cleanup(handler->__pad[0]);
}

EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t *handler)
{
    __pthread_unregister_cancel(handler);
    clean_up(current_thread()->value);
    __builtin_unreachable();
}

EXPORT void pthread_exit(void *value)
{
    clean_up(value);
    __builtin_unreachable();
}

EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    const struct thread *one = &threads[agent_of(thread, CALLER)];
    if (in_program())
        note_access((uintptr_t)attributes, sizeof *attributes, true, CALLER);
    int error = pthread_attr_init(attributes);
    return error ? error : pthread_attr_setstack(attributes, one->stack, one->stack_size);
}

EXPORT pthread_t pthread_self(void)
{
    return is_inside() ? agents.current + 1 : 0;
}

EXPORT int sched_yield(void)
{
    pass_time(CALLER);
    return 0;
}

/* --- mutexes */

static int type_of(const pthread_mutex_t *mutex)
{
    int type = mutex->__data.__kind & 3;
    return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK ? type : PTHREAD_MUTEX_NORMAL;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int type = PTHREAD_MUTEX_NORMAL, shared = PTHREAD_PROCESS_PRIVATE, robust = PTHREAD_MUTEX_STALLED;
    if (attributes) {
        pthread_mutexattr_gettype(attributes, &type);
        pthread_mutexattr_getpshared(attributes, &shared);
        pthread_mutexattr_getrobust(attributes, &robust);
    }
    if (!in_program())
        return 0;
    if (shared != PTHREAD_PROCESS_PRIVATE || robust != PTHREAD_MUTEX_STALLED)
        fail_run(FAILED_REFUSED, CALLER, "asks for a mutex that is shared between processes or robust");
    begin_life(mutex, sizeof *mutex, A_MUTEX, 0, CALLER);
    mutex->__data.__kind = type;
    return 0;
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    end_life(mutex, A_MUTEX, CALLER);
    return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return operate_on(A_MUTEX, mutex, OP_LOCK, type_of(mutex), 0, CALLER);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return operate_on(A_MUTEX, mutex, OP_TRY_LOCK, type_of(mutex), EBUSY, CALLER);
}

/* The time may be over at any moment: it tries once. */
EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    return operate_on(A_MUTEX, mutex, OP_TRY_LOCK, type_of(mutex), ETIMEDOUT, CALLER);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    (void)clock, (void)until;
    return operate_on(A_MUTEX, mutex, OP_TRY_LOCK, type_of(mutex), ETIMEDOUT, CALLER);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return operate_on(A_MUTEX, mutex, OP_UNLOCK, type_of(mutex), 0, CALLER);
}

/* --- condition variables */

/*
 * A wake-up for no reason is the work of a thread of ours that comes at any moment, also too early: that a wait may be
 * disturbed does not mean that it will be, so that it can still last forever.
 */
static void *disturber(void *condition)
{
    uint32_t waiter = agents.births[agents.current].parent;
    visible(&(struct pending){
        .kind = OP_DISTURB, .size = 8, .address = (uintptr_t)condition, .operand = agent_bit(waiter)});
    return NULL;
}

bool is_disturber(uint32_t agent)
{
    return threads[agent].function == disturber;
}

void create_counter(void *(*function)(void *), void *argument, uintptr_t caller)
{
    threads[create(function, argument, caller)].detached = true;
}

/* Once for each thread and condition variable. */
static void expect_disturbance(void *condition, uintptr_t caller)
{
    struct thread *thread = current_thread();
    uint32_t i = 0;
    while (i < MOST_DISTURBED && thread->disturbed[i] && thread->disturbed[i] != (uintptr_t)condition)
        i++;
    if (i == MOST_DISTURBED || thread->disturbed[i])
        return;
    journal_save(&thread->disturbed[i], sizeof thread->disturbed[i]);
    thread->disturbed[i] = (uintptr_t)condition;
    threads[create(disturber, condition, caller)].detached = true;
}

int wait_for(enum thing condition_thing, void *condition, enum thing mutex_thing, pthread_mutex_t *mutex,
             enum operation wake, uintptr_t caller)
{
    if (!in_program())
        return 0;
    check_life(condition, condition_thing, caller);
    check_life(mutex, mutex_thing, caller);
    if (chosen.spurious && wake == OP_WAKE)
        expect_disturbance(condition, caller);
    struct pending wait = {.kind = OP_WAIT,
                           .thing = (uint8_t)condition_thing,
                           .size = 8,
                           .address = (uintptr_t)condition,
                           .expected = (uintptr_t)mutex,
                           .operand = (unsigned)type_of(mutex),
                           .caller = caller};
    int error = (int)visible(&wait);
    check_life(condition, condition_thing, caller);
    check_life(mutex, mutex_thing, caller);
    if (error)
        return error;
    int woken = operate_on(condition_thing, condition, wake, 0, 0, caller);
    error = operate_on(mutex_thing, mutex, OP_LOCK, type_of(mutex), 0, caller);
    return error ? error : woken;
}

EXPORT int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes)
        pthread_condattr_getpshared(attributes, &shared);
    if (!in_program())
        return 0;
    if (shared != PTHREAD_PROCESS_PRIVATE)
        fail_run(FAILED_REFUSED, CALLER, "asks for a condition variable that is shared between processes");
    begin_life(condition, sizeof *condition, A_CONDITION, 0, CALLER);
    return 0;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *condition)
{
    end_life(condition, A_CONDITION, CALLER);
    return 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_for(A_CONDITION, condition, A_MUTEX, mutex, OP_WAKE, CALLER);
}

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until, uintptr_t caller)
{
    struct timespec then = *until;
    int error = wait_for(A_CONDITION, condition, A_MUTEX, mutex, OP_TIMED_WAKE, caller);
    if (error == ETIMEDOUT)
        time_is_over(&then);
    return error;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    return wait_until(condition, mutex, until, CALLER);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    (void)clock;
    return wait_until(condition, mutex, until, CALLER);
}

EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    return operate_on(A_CONDITION, condition, OP_SIGNAL, 0, 0, CALLER);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return operate_on(A_CONDITION, condition, OP_BROADCAST, 0, 0, CALLER);
}

/* --- C11 */

static int thrd_status(int error)
{
    return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    writes(thread, sizeof *thread, CALLER);
    uint32_t child = create((void *(*)(void *))(void (*)(void))function, argument, CALLER);
    *thread = child + 1;
    return thrd_success;
}

EXPORT int thrd_join(thrd_t thread, int *value)
{
    void *result = join_thread(thread, CALLER);
    if (value) {
        writes(value, sizeof *value, CALLER);
        *value = (int)(intptr_t)result;
    }
    return thrd_success;
}

EXPORT int thrd_detach(thrd_t thread)
{
    detach_thread(thread, CALLER);
    return thrd_success;
}

EXPORT thrd_t thrd_current(void)
{
    return is_inside() ? agents.current + 1 : 0;
}

EXPORT void thrd_exit(int value)
{
    clean_up((void *)(intptr_t)value);
    __builtin_unreachable();
}

EXPORT void thrd_yield(void)
{
}

EXPORT int mtx_init(mtx_t *mutex, int type)
{
    pthread_mutex_t *same = (pthread_mutex_t *)mutex;
    begin_life(mutex, sizeof *mutex, A_C11_MUTEX, 0, CALLER);
    same->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    return thrd_success;
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
    end_life(mutex, A_C11_MUTEX, CALLER);
}

EXPORT int mtx_lock(mtx_t *mutex)
{
    return thrd_status(operate_on(A_C11_MUTEX, mutex, OP_LOCK, type_of((pthread_mutex_t *)mutex), 0, CALLER));
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
    return thrd_status(operate_on(A_C11_MUTEX, mutex, OP_TRY_LOCK, type_of((pthread_mutex_t *)mutex), EBUSY, CALLER));
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)until;
    return thrd_status(
        operate_on(A_C11_MUTEX, mutex, OP_TRY_LOCK, type_of((pthread_mutex_t *)mutex), ETIMEDOUT, CALLER));
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
    return thrd_status(operate_on(A_C11_MUTEX, mutex, OP_UNLOCK, type_of((pthread_mutex_t *)mutex), 0, CALLER));
}

EXPORT int cnd_init(cnd_t *condition)
{
    begin_life(condition, sizeof *condition, A_C11_CONDITION, 0, CALLER);
    return thrd_success;
}

EXPORT void cnd_destroy(cnd_t *condition)
{
    end_life(condition, A_C11_CONDITION, CALLER);
}

EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return thrd_status(wait_for(A_C11_CONDITION, condition, A_C11_MUTEX, (pthread_mutex_t *)mutex, OP_WAKE, CALLER));
}

EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)until;
    return thrd_status(
        wait_for(A_C11_CONDITION, condition, A_C11_MUTEX, (pthread_mutex_t *)mutex, OP_TIMED_WAKE, CALLER));
}

EXPORT int cnd_signal(cnd_t *condition)
{
    return thrd_status(operate_on(A_C11_CONDITION, condition, OP_SIGNAL, 0, 0, CALLER));
}

EXPORT int cnd_broadcast(cnd_t *condition)
{
    return thrd_status(operate_on(A_C11_CONDITION, condition, OP_BROADCAST, 0, 0, CALLER));
}

/* --- the rest of POSIX threads */

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    begin_life(lock, sizeof *lock, A_READ_WRITE_LOCK, 0, CALLER);
    return 0;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    end_life(lock, A_READ_WRITE_LOCK, CALLER);
    return 0;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return operate_on(A_READ_WRITE_LOCK, lock, OP_READ_LOCK, 0, 0, CALLER);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return operate_on(A_READ_WRITE_LOCK, lock, OP_WRITE_LOCK, 0, 0, CALLER);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return operate_on(A_READ_WRITE_LOCK, lock, OP_TRY_READ_LOCK, 0, EBUSY, CALLER);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return operate_on(A_READ_WRITE_LOCK, lock, OP_TRY_WRITE_LOCK, 0, EBUSY, CALLER);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return operate_on(A_READ_WRITE_LOCK, lock, OP_TRY_READ_LOCK, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return operate_on(A_READ_WRITE_LOCK, lock, OP_TRY_WRITE_LOCK, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    (void)clock, (void)until;
    return operate_on(A_READ_WRITE_LOCK, lock, OP_TRY_READ_LOCK, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    (void)clock, (void)until;
    return operate_on(A_READ_WRITE_LOCK, lock, OP_TRY_WRITE_LOCK, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    return operate_on(A_READ_WRITE_LOCK, lock, OP_READ_WRITE_UNLOCK, 0, 0, CALLER);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE)
        fail_run(FAILED_REFUSED, CALLER, "asks for a spinlock that is shared between processes");
    begin_life(lock, sizeof *lock, A_SPINLOCK, 0, CALLER);
    return 0;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    end_life(lock, A_SPINLOCK, CALLER);
    return 0;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return operate_on(A_SPINLOCK, lock, OP_LOCK, PTHREAD_MUTEX_NORMAL, 0, CALLER);
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return operate_on(A_SPINLOCK, lock, OP_TRY_LOCK, PTHREAD_MUTEX_NORMAL, EBUSY, CALLER);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    return operate_on(A_SPINLOCK, lock, OP_UNLOCK, PTHREAD_MUTEX_NORMAL, 0, CALLER);
}

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    if (count == 0)
        return EINVAL;
    begin_life(barrier, sizeof *barrier, A_BARRIER, count, CALLER);
    return 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    end_life(barrier, A_BARRIER, CALLER);
    return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    int round = operate_on(A_BARRIER, barrier, OP_ARRIVE, 0, 0, CALLER);
    operate_on(A_BARRIER, barrier, OP_LEAVE, round / 2, 0, CALLER);
    return round % 2 ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
