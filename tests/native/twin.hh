// SPDX-License-Identifier: Apache-2.0
// What twin.h is, for the same generated programs compiled as C++: their words stand for what C++ has.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <unistd.h>

#include "outcome.h"

using std::atomic_exchange, std::atomic_fetch_add, std::atomic_fetch_and, std::atomic_fetch_or, std::atomic_fetch_sub,
    std::atomic_fetch_xor, std::atomic_load, std::atomic_store;

static std::atomic<int> x alignas(8), f alignas(8);
static struct { // small, and in one word
    std::atomic<unsigned char> y alignas(8), z;
} bytes;
static volatile long p;   // every access is one
static long out[5], kept; // in words of their own
static std::mutex m, n;
static std::condition_variable c;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static std::recursive_mutex recursive;
static sem_t semaphore;
static std::shared_mutex rw;
static std::once_flag once;
static pthread_barrier_t barrier;
static thread_local int depth; // how often this thread has the recursive mutex, which does not tell

struct expected { // by compare-exchanges, in the heap
    int number;
    unsigned char byte;

    int &at(const std::atomic<int> &, int value)
    {
        return number = value;
    }
    unsigned char &at(const std::atomic<unsigned char> &, int value)
    {
        return byte = (unsigned char)value;
    }
};

static void wait_at(std::condition_variable &condition, std::mutex &mutex)
{
    std::unique_lock<std::mutex> lock(mutex, std::adopt_lock);
    condition.wait(lock);
    lock.release();
}

static void join_thread(std::thread &thread)
{
    thread.join();
}

static int enter_recursive(bool waits)
{
    if (waits)
        recursive.lock();
    else if (!recursive.try_lock())
        return 1;
    depth++;
    return 0;
}

// To give back what one does not have is not allowed, so nothing is done.
static int leave_recursive()
{
    if (!depth)
        return 1;
    depth--;
    recursive.unlock();
    return 0;
}

static inline void read_lock()
{
    rw.lock_shared();
}

static inline void write_lock()
{
    rw.lock();
}

static inline int try_read_lock()
{
    return rw.try_lock_shared();
}

static inline int try_write_lock()
{
    return rw.try_lock();
}

static inline void read_unlock()
{
    rw.unlock_shared();
}

static inline void write_unlock()
{
    rw.unlock();
}

static inline void do_once()
{
    std::call_once(once, [] { atomic_fetch_add(&bytes.z, (unsigned char)1); });
}

static inline void post()
{
    sem_post(&semaphore);
}

static inline void acquire()
{
    sem_wait(&semaphore);
}

static inline int try_acquire()
{
    return sem_trywait(&semaphore) == 0;
}

static inline int acquire_in_time()
{
    struct timespec now = {};
    return sem_timedwait(&semaphore, &now) == 0;
}

static inline int semaphore_value()
{
    int value;
    sem_getvalue(&semaphore, &value);
    return value;
}

// 1 for the last one.
static inline int meet()
{
    return pthread_barrier_wait(&barrier) != 0;
}

static inline bool take_spinlock()
{
    int free = 0;
    return f.compare_exchange_strong(free, 1);
}

static inline void spin_by_exchange()
{
    while (f.exchange(1)) {
    }
}

static inline void spin_by_cas()
{
    while (!take_spinlock()) {
    }
}

static inline void spin_by_looking()
{
    do
        while (f.load()) {
        }
    while (!take_spinlock());
}

static inline void spin_unlock()
{
    f.store(0);
}

// Appends the values at the end of an execution to an open file.
static void report(int file)
{
    char line[200], *at = line;
    at = put(at, x.load());
    at = put(at, bytes.y.load());
    at = put(at, bytes.z.load());
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
    x.store(program->values[0]);
    bytes.y.store((unsigned char)program->values[1]);
    bytes.z.store((unsigned char)program->values[2]);
    sem_init(&semaphore, 0, (unsigned)program->values[3]);
    pthread_barrier_init(&barrier, NULL, 2);
    program->run();
    report(number(arguments[2]));
}

// --- the words of the programs; from here on they mean nothing else

#define BEGIN                                                                                                          \
    int v = 0, r = 0;                                                                                                  \
    std::thread h;                                                                                                     \
    struct expected *expected = new struct expected;                                                                   \
    (void)v, (void)r, (void)expected;
#define pthread_t std::thread
#define pthread_create(place, unused, function, argument) (*(place) = std::thread(function, (void *)argument))
#define pthread_exit(value) return value
#define y bytes.y
#define z bytes.z
#define skip (void)0
#define lock(mutex) mutex.lock()
#define trylock(mutex) mutex.try_lock()
#define timedlock(mutex) mutex.try_lock()
#define unlock(mutex) mutex.unlock()
#define wait(condition, mutex) wait_at(condition, mutex)
#define signal(condition) condition.notify_one()
#define broadcast(condition) condition.notify_all()
#define join(thread) join_thread(thread)
#define fetch_add(place, value) place.fetch_add(value)
#define cas(place, old, new) place.compare_exchange_strong(expected->at(place, old), new)
// The value that was found.
#define swapped(place, old, new)                                                                                       \
    ({                                                                                                                 \
        auto &found = expected->at(place, old);                                                                        \
        place.compare_exchange_strong(found, new);                                                                     \
        found;                                                                                                         \
    })
#define check_lock(thread) (pthread_mutex_lock(&checked) != 0)
#define check_unlock(thread) (pthread_mutex_unlock(&checked) != 0)
#define enter(thread) enter_recursive(true)
#define try_enter(thread) enter_recursive(false)
#define leave(thread) leave_recursive()
