/* POSIX and C11 threads, mutexes, condition variables, once, keys: each call is a visible operation or a note. */
#include "native/runtime.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>
#include <threads.h>

static int operate(enum operation kind, void *object, int operand, uintptr_t caller)
{
    return (int)visible(&(struct pending){
        .kind = kind, .size = 8, .address = (uintptr_t)object, .operand = (unsigned)operand, .caller = caller});
}

/* What is no step need not stop the thread, unless it has to wait or is to be shown. */
static unsigned __int128 at_once(struct pending *operation)
{
    if (!in_program())
        return 0;
    struct thread *thread = current_thread();
    if (runtime->showing)
        return visible(operation);
    thread->pending = *operation;
    if (!happens_at_once(runtime->current))
        stop();
    return thread->result;
}

static int try_to(enum operation kind, void *object, int operand, int error, uintptr_t caller)
{
    return (int)visible(&(struct pending){.kind = kind,
                                          .size = 8,
                                          .address = (uintptr_t)object,
                                          .operand = (unsigned)operand,
                                          .error = error,
                                          .caller = caller});
}

/* The object begins anew, with a count. */
static int reset(void *object, unsigned count, uintptr_t caller)
{
    visible(&(struct pending){
        .kind = OP_RESET, .size = 8, .address = (uintptr_t)object, .operand = count, .caller = caller});
    return 0;
}

/* --- threads */

static void end_thread(void *value, bool process)
{
    struct thread *thread = current_thread();
    thread->value = value;
    for (int round = 0, again = !process; round < 4 && again; round++) {
        again = 0;
        for (uint32_t key = 0; key < runtime->key_count; key++) {
            void *kept = thread->keys[key];
            journal_save(&thread->keys[key], sizeof thread->keys[key]);
            thread->keys[key] = NULL;
            if (kept && runtime->key_destructors[key]) {
                runtime->key_destructors[key](kept);
                again = 1;
            }
        }
    }
    visible(&(struct pending){.kind = OP_EXIT, .operand = process, .address = runtime->current, .caller = CALLER});
    leave_context();
}

void thread_entry(void)
{
    struct thread *thread = current_thread();
    begin_thread_locale();
    end_thread(thread->function(thread->argument), false);
}

int __real_main(int count, char **arguments, char **environment);

void main_entry(void)
{
    begin_thread_locale();
    run_constructors();
    runtime->exit_status =
        __real_main(runtime->given.argument_count, runtime->given.arguments, runtime->given.environment);
    run_destructors(runtime->exit_status);
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
        run_destructors(status);
    end_process(status, caller);
}

void end_process(int status, uintptr_t caller)
{
    if (!in_program())
        __real_exit(status);
    runtime->exit_status = status;
    visible(
        &(struct pending){.kind = OP_EXIT, .operand = 1, .expected = 1, .address = runtime->current, .caller = caller});
    leave_context();
}

static uint32_t create(void *(*function)(void *), void *argument, uintptr_t caller)
{
    current_thread()->float_mode = float_mode();
    return (uint32_t)at_once(&(struct pending){
        .kind = OP_CREATE, .address = (uintptr_t)argument, .expected = (uintptr_t)function, .caller = caller});
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    if (!in_program())
        return EAGAIN;
    uint32_t child = create(function, argument, CALLER);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    runtime->threads[child].detached = detached == PTHREAD_CREATE_DETACHED;
    will_write(thread, sizeof *thread);
    *thread = child + 1;
    return 0;
}

/* The agent of a thread's name, or a failure. */
static uint32_t agent_of(pthread_t thread, uintptr_t caller)
{
    if (thread == 0 || thread > runtime->agent_limit || !runtime->threads[thread - 1].exists)
        fail_run(FAILED_MISUSE, caller, "names a thread that does not exist");
    return (uint32_t)thread - 1;
}

static void *join(pthread_t thread, uintptr_t caller)
{
    uint32_t child = agent_of(thread, caller);
    return (void *)(uintptr_t)at_once(
        &(struct pending){.kind = OP_JOIN, .address = child, .operand = child, .caller = caller});
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
    if (!in_program())
        return 0;
    void *result = join(thread, CALLER);
    if (value) {
        will_write(value, sizeof *value);
        *value = result;
    }
    return 0;
}

EXPORT int pthread_detach(pthread_t thread)
{
    struct thread *other = &runtime->threads[agent_of(thread, CALLER)];
    journal_save(&other->detached, sizeof other->detached);
    other->detached = true;
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

EXPORT pthread_t pthread_self(void)
{
    return in_program() ? runtime->current + 1 : 0;
}

EXPORT int sched_yield(void)
{
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
    will_write(mutex, sizeof *mutex);
    memset(mutex, 0, sizeof *mutex);
    mutex->__data.__kind = type;
    return reset(mutex, 0, CALLER);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return in_program() ? operate(OP_LOCK, mutex, type_of(mutex), CALLER) : 0;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return in_program() ? try_to(OP_TRY_LOCK, mutex, type_of(mutex), EBUSY, CALLER) : 0;
}

/* The time may be over at any moment: it tries once. */
EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    return in_program() ? try_to(OP_TRY_LOCK, mutex, type_of(mutex), ETIMEDOUT, CALLER) : 0;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    (void)clock, (void)until;
    return in_program() ? try_to(OP_TRY_LOCK, mutex, type_of(mutex), ETIMEDOUT, CALLER) : 0;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return in_program() ? operate(OP_UNLOCK, mutex, type_of(mutex), CALLER) : 0;
}

/* --- condition variables */

/*
 * A wake-up for no reason is the work of a thread of ours that comes at any moment, also too early: that a wait may be
 * disturbed does not mean that it will be, so that it can still last for ever.
 */
static void *disturber(void *condition)
{
    uint32_t waiter = runtime->births[runtime->current].parent;
    visible(&(struct pending){
        .kind = OP_DISTURB, .size = 8, .address = (uintptr_t)condition, .operand = UINT64_C(1) << waiter});
    return NULL;
}

bool is_disturber(uint32_t agent)
{
    return runtime->threads[agent].function == disturber;
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
    runtime->threads[create(disturber, condition, caller)].detached = true;
}

static int wait_for(void *condition, pthread_mutex_t *mutex, enum operation wake, uintptr_t caller)
{
    if (runtime->spurious && wake == OP_WAKE)
        expect_disturbance(condition, caller);
    struct pending wait = {.kind = OP_WAIT,
                           .size = 8,
                           .address = (uintptr_t)condition,
                           .expected = (uintptr_t)mutex,
                           .operand = (unsigned)type_of(mutex),
                           .caller = caller};
    int error = (int)visible(&wait);
    if (error)
        return error;
    int woken = operate(wake, condition, 0, caller);
    error = operate(OP_LOCK, mutex, type_of(mutex), caller);
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
    will_write(condition, sizeof *condition);
    memset(condition, 0, sizeof *condition);
    return reset(condition, 0, CALLER);
}

EXPORT int pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return in_program() ? wait_for(condition, mutex, OP_WAKE, CALLER) : 0;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    (void)until;
    return in_program() ? wait_for(condition, mutex, OP_TIMED_WAKE, CALLER) : 0;
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    (void)clock, (void)until;
    return in_program() ? wait_for(condition, mutex, OP_TIMED_WAKE, CALLER) : 0;
}

EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    return in_program() ? operate(OP_SIGNAL, condition, 0, CALLER) : 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return in_program() ? operate(OP_BROADCAST, condition, 0, CALLER) : 0;
}

/* --- once */

static void once(void *flag, void (*function)(void), uintptr_t caller)
{
    if (!in_program() || !is_program_text(caller)) { /* a library's: it is done for all runs */
        if (!__atomic_exchange_n((int *)flag, 2, __ATOMIC_SEQ_CST))
            function();
    } else if (operate(OP_ONCE, flag, 0, caller)) {
        function();
        operate(OP_ONCE_DONE, flag, 0, caller);
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

/* --- thread-specific data */

static uint64_t thread_keys; /* only its address is used */

static int make_key(unsigned *key, void (*destructor)(void *))
{
    if (!in_program() || runtime->key_count == MOST_KEYS)
        return EAGAIN;
    operate(OP_SEMAPHORE_POST, &thread_keys, 0, CALLER); /* who comes first has the lower number */
    journal_save(&runtime->key_count, sizeof runtime->key_count);
    will_write(key, sizeof *key);
    *key = runtime->key_count;
    runtime->key_destructors[runtime->key_count++] = destructor;
    if (runtime->most_keys < runtime->key_count)
        runtime->most_keys = runtime->key_count;
    return 0;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return make_key(key, destructor);
}

EXPORT int pthread_key_delete(pthread_key_t key)
{
    if (!in_program() || key >= runtime->key_count)
        return EINVAL;
    runtime->key_destructors[key] = NULL;
    return 0;
}

EXPORT void *pthread_getspecific(pthread_key_t key)
{
    return in_program() && key < MOST_KEYS ? current_thread()->keys[key] : NULL;
}

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (!in_program() || key >= runtime->key_count)
        return EINVAL;
    journal_save(&current_thread()->keys[key], sizeof(void *));
    current_thread()->keys[key] = (void *)(uintptr_t)value;
    return 0;
}

/* --- C11 */

static int thrd_status(int error)
{
    return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    uint32_t child = create((void *(*)(void *))(void (*)(void))function, argument, CALLER);
    will_write(thread, sizeof *thread);
    *thread = child + 1;
    return thrd_success;
}

EXPORT int thrd_join(thrd_t thread, int *value)
{
    void *result = join(thread, CALLER);
    if (value) {
        will_write(value, sizeof *value);
        *value = (int)(intptr_t)result;
    }
    return thrd_success;
}

EXPORT int thrd_detach(thrd_t thread)
{
    runtime->threads[agent_of(thread, CALLER)].detached = true;
    return thrd_success;
}

EXPORT thrd_t thrd_current(void)
{
    return in_program() ? runtime->current + 1 : 0;
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
    will_write(mutex, sizeof *mutex);
    memset(mutex, 0, sizeof *mutex);
    same->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    return reset(mutex, 0, CALLER);
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
    (void)mutex;
}

EXPORT int mtx_lock(mtx_t *mutex)
{
    return thrd_status(operate(OP_LOCK, mutex, type_of((pthread_mutex_t *)mutex), CALLER));
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
    return thrd_status(try_to(OP_TRY_LOCK, mutex, type_of((pthread_mutex_t *)mutex), EBUSY, CALLER));
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)until;
    return thrd_status(try_to(OP_TRY_LOCK, mutex, type_of((pthread_mutex_t *)mutex), ETIMEDOUT, CALLER));
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
    return thrd_status(operate(OP_UNLOCK, mutex, type_of((pthread_mutex_t *)mutex), CALLER));
}

EXPORT int cnd_init(cnd_t *condition)
{
    will_write(condition, sizeof *condition);
    memset(condition, 0, sizeof *condition);
    return reset(condition, 0, CALLER);
}

EXPORT void cnd_destroy(cnd_t *condition)
{
    (void)condition;
}

EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return thrd_status(wait_for(condition, (pthread_mutex_t *)mutex, OP_WAKE, CALLER));
}

EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    (void)until;
    return thrd_status(wait_for(condition, (pthread_mutex_t *)mutex, OP_TIMED_WAKE, CALLER));
}

EXPORT int cnd_signal(cnd_t *condition)
{
    return thrd_status(operate(OP_SIGNAL, condition, 0, CALLER));
}

EXPORT int cnd_broadcast(cnd_t *condition)
{
    return thrd_status(operate(OP_BROADCAST, condition, 0, CALLER));
}

EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return thrd_status(make_key(key, destructor));
}

EXPORT void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

EXPORT void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

EXPORT int tss_set(tss_t key, void *value)
{
    return thrd_status(pthread_setspecific(key, value));
}

/* --- the rest of POSIX threads */

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    will_write(lock, sizeof *lock);
    memset(lock, 0, sizeof *lock);
    return reset(lock, 0, CALLER);
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    (void)lock;
    return 0;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return operate(OP_READ_LOCK, lock, 0, CALLER);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return operate(OP_WRITE_LOCK, lock, 0, CALLER);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return try_to(OP_TRY_READ_LOCK, lock, 0, EBUSY, CALLER);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return try_to(OP_TRY_WRITE_LOCK, lock, 0, EBUSY, CALLER);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return try_to(OP_TRY_READ_LOCK, lock, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    (void)until;
    return try_to(OP_TRY_WRITE_LOCK, lock, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    (void)clock, (void)until;
    return try_to(OP_TRY_READ_LOCK, lock, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    (void)clock, (void)until;
    return try_to(OP_TRY_WRITE_LOCK, lock, 0, ETIMEDOUT, CALLER);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    return operate(OP_READ_WRITE_UNLOCK, lock, 0, CALLER);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE)
        fail_run(FAILED_REFUSED, CALLER, "asks for a spinlock that is shared between processes");
    will_write((void *)(uintptr_t)lock, sizeof *lock);
    *lock = 0;
    return reset((void *)(uintptr_t)lock, 0, CALLER);
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    (void)lock;
    return 0;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return operate(OP_LOCK, (void *)(uintptr_t)lock, PTHREAD_MUTEX_NORMAL, CALLER);
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return try_to(OP_TRY_LOCK, (void *)(uintptr_t)lock, PTHREAD_MUTEX_NORMAL, EBUSY, CALLER);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    return operate(OP_UNLOCK, (void *)(uintptr_t)lock, PTHREAD_MUTEX_NORMAL, CALLER);
}

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    if (count == 0)
        return EINVAL;
    will_write(barrier, sizeof *barrier);
    memset(barrier, 0, sizeof *barrier);
    return reset(barrier, count, CALLER);
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    (void)barrier;
    return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    int generation = operate(OP_ARRIVE, barrier, 0, CALLER);
    if (generation < 0)
        return PTHREAD_BARRIER_SERIAL_THREAD;
    return operate(OP_LEAVE, barrier, generation, CALLER);
}
