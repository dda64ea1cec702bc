/* SPDX-License-Identifier: Apache-2.0 */
// What the generated C programs of tests/random_c.c share; the words are those of .dl where that has them.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "outcome.h"

static _Alignas(8) atomic_int x;
static _Alignas(8) atomic_int f;
static struct { // small, and in one word
    _Alignas(8) _Atomic unsigned char y;
    _Atomic unsigned char z;
} bytes;
static volatile long p;   // every access is one
static long out[5], kept; // in words of their own
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static sem_t semaphore;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;

struct expected { // by compare-exchanges, in the heap
    int number;
    unsigned char byte;
};

#define BEGIN                                                                                                          \
    int v = 0, r = 0;                                                                                                  \
    pthread_t h;                                                                                                       \
    struct expected *expected = malloc(sizeof *expected);                                                              \
    (void)v, (void)r, (void)h;
#define y bytes.y
#define z bytes.z
#define skip (void)0
#define lock(mutex) pthread_mutex_lock(&mutex)
#define trylock(mutex) (pthread_mutex_trylock(&mutex) == 0)
#define timedlock(mutex) (pthread_mutex_timedlock(&mutex, &(struct timespec){0}) == 0)
#define unlock(mutex) pthread_mutex_unlock(&mutex)
#define wait(condition, mutex) pthread_cond_wait(&condition, &mutex)
#define signal(condition) pthread_cond_signal(&condition)
#define broadcast(condition) pthread_cond_broadcast(&condition)
#define join(thread) pthread_join(thread, NULL)
#define fetch_add(place, value) atomic_fetch_add(&place, value)
#define expect(place, value)                                                                                           \
    _Generic(&place,                                                                                                   \
             atomic_int * : (expected->number = value, &expected->number),                                             \
             _Atomic unsigned char * : (expected->byte = value, &expected->byte))
#define cas(place, old, new) atomic_compare_exchange_strong(&place, expect(place, old), new)
#define cas_on_stack(place, old, new) atomic_compare_exchange_strong(&place, &(int){old}, new)
// The value that was found.
#define swapped(place, old, new)                                                                                       \
    ({                                                                                                                 \
        __typeof__(expect(place, old)) found = expect(place, old);                                                     \
        atomic_compare_exchange_strong(&place, found, new);                                                            \
        *found;                                                                                                        \
    })

// Who calls them is known to the runtime; .dl has to be told.
#define check_lock(thread) (pthread_mutex_lock(&checked) != 0)
#define check_unlock(thread) (pthread_mutex_unlock(&checked) != 0)
#define enter(thread) (pthread_mutex_lock(&recursive) != 0)
#define try_enter(thread) (pthread_mutex_trylock(&recursive) != 0)
#define leave(thread) (pthread_mutex_unlock(&recursive) != 0)

static inline void post(void)
{
    sem_post(&semaphore);
}

static inline void acquire(void)
{
    sem_wait(&semaphore);
}

static inline int try_acquire(void)
{
    return sem_trywait(&semaphore) == 0;
}

static inline int acquire_in_time(void)
{
    return sem_timedwait(&semaphore, &(struct timespec){0}) == 0;
}

static inline int semaphore_value(void)
{
    int value;
    sem_getvalue(&semaphore, &value);
    return value;
}

static inline void read_lock(void)
{
    pthread_rwlock_rdlock(&rw);
}

static inline void write_lock(void)
{
    pthread_rwlock_wrlock(&rw);
}

static inline int try_read_lock(void)
{
    return pthread_rwlock_tryrdlock(&rw) == 0;
}

static inline int try_write_lock(void)
{
    return pthread_rwlock_trywrlock(&rw) == 0;
}

static inline void read_unlock(void)
{
    pthread_rwlock_unlock(&rw);
}

static inline void write_unlock(void)
{
    pthread_rwlock_unlock(&rw);
}

static void initialise(void)
{
    atomic_fetch_add(&z, 1);
}

static inline void do_once(void)
{
    pthread_once(&once, initialise);
}

// 1 for the last one.
static inline int meet(void)
{
    return pthread_barrier_wait(&barrier) != 0;
}

static inline void spin_by_exchange(void)
{
    while (atomic_exchange(&f, 1)) {
    }
}

static inline void spin_by_cas(void)
{
    while (!cas_on_stack(f, 0, 1)) {
    }
}

static inline void spin_by_looking(void)
{
    do
        while (atomic_load(&f)) {
        }
    while (!cas_on_stack(f, 0, 1));
}

static inline void spin_unlock(void)
{
    atomic_store(&f, 0);
}

// Appends the values at the end of an execution to an open file.
static void report(int file)
{
    char line[200], *at = line;
    at = put(at, atomic_load(&x));
    at = put(at, atomic_load(&y));
    at = put(at, atomic_load(&z));
    at = put(at, p);
    at = put(at, semaphore_value());
    for (int i = 0; i < 5; i++)
        at = put(at, out[i]);
    at[-1] = '\n';
    if (write(file, line, (size_t)(at - line)) != at - line)
        abort();
}

struct program {
    void (*run)(void);
    int values[4]; // of x, y, z and the semaphore
};

// Usage: PROGRAM NUMBER FILE-NUMBER
static void run_program(const struct program *program, char **arguments)
{
    atomic_store(&x, program->values[0]);
    atomic_store(&y, (unsigned char)program->values[1]);
    atomic_store(&z, (unsigned char)program->values[2]);
    sem_init(&semaphore, 0, (unsigned)program->values[3]);
    pthread_barrier_init(&barrier, NULL, 2);
    program->run();
    report(number(arguments[2]));
}
