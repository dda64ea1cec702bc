/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __real_pthread_cond_broadcast(pthread_cond_t *condition);
int __real_pthread_cond_signal(pthread_cond_t *condition);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **result);
int __real_sched_yield(void);

/* What stands in for them; the linker gives them these names. */
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_sched_yield(void);

enum { MOST = 64 };

struct scheduled {
    bool live;             /* not joined */
    bool ended;            /* its function has returned */
    const void *waits_for; /* a mutex, a condition or a thread; NULL: it can go on */
    pthread_t thread;
    pthread_cond_t turn;
    void *(*start)(void *argument);
    void *argument;
};

static struct {
    pthread_mutex_t mutex; /* of what follows; held by nobody who runs */
    struct scheduled threads[MOST];
    uint32_t count, running;
    uint64_t random, switches;
    uint32_t rarely; /* a turn is lost at one point of so many */
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static __thread struct scheduled *self; /* NULL: not scheduled */

static uint64_t draw(void)
{
    all.random ^= all.random << 13;
    all.random ^= all.random >> 7;
    all.random ^= all.random << 17;
    return all.random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

/* --- turns; the caller holds the mutex */

static bool can_run(uint32_t i)
{
    return all.threads[i].live && !all.threads[i].ended && !all.threads[i].waits_for;
}

static void await_turn(void)
{
    while (&all.threads[all.running] != self)
        __real_pthread_cond_wait(&self->turn, &all.mutex);
}

/* Gives the turn to one of the others; false when none of them can go on. */
static bool give_turn(void)
{
    uint32_t others = 0, chosen;
    for (uint32_t i = 0; i < all.count; i++)
        others += &all.threads[i] != self && can_run(i);
    if (!others)
        return false;
    chosen = (uint32_t)(draw() % others);
    for (uint32_t i = 0; i < all.count; i++)
        if (&all.threads[i] != self && can_run(i) && chosen-- == 0) {
            all.running = i;
            break;
        }
    all.switches++;
    __real_pthread_cond_signal(&all.threads[all.running].turn);
    return true;
}

static void must_give_turn(void)
{
    if (give_turn())
        return;
    fprintf(stderr, "scheduler: all threads wait for each other\n");
    abort();
}

static void wait_for(const void *what)
{
    self->waits_for = what;
    must_give_turn();
    await_turn();
}

static void wake(const void *what)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (all.threads[i].waits_for == what)
            all.threads[i].waits_for = NULL;
}

/* --- points */

static void lose_turn(bool surely)
{
    if (!self || (!surely && draw() % all.rarely != 0))
        return;
    __real_pthread_mutex_lock(&all.mutex);
    if (give_turn())
        await_turn();
    __real_pthread_mutex_unlock(&all.mutex);
}

void scheduler_point(void)
{
    lose_turn(false);
}

int __wrap_sched_yield(void)
{
    if (!self)
        return __real_sched_yield();
    lose_turn(true);
    return 0;
}

/* --- mutexes and conditions */

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!self)
        return __real_pthread_mutex_lock(mutex);
    lose_turn(false);
    while (pthread_mutex_trylock(mutex) != 0) {
        __real_pthread_mutex_lock(&all.mutex);
        wait_for(mutex);
        __real_pthread_mutex_unlock(&all.mutex);
    }
    return 0;
}

static void unlock(pthread_mutex_t *mutex)
{
    __real_pthread_mutex_unlock(mutex);
    wake(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!self)
        return __real_pthread_mutex_unlock(mutex);
    unlock(mutex);
    lose_turn(false);
    return 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!self)
        return __real_pthread_cond_wait(condition, mutex);
    unlock(mutex);
    __real_pthread_mutex_lock(&all.mutex);
    wait_for(condition);
    __real_pthread_mutex_unlock(&all.mutex);
    return __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    if (!self)
        return __real_pthread_cond_broadcast(condition);
    wake(condition);
    lose_turn(false);
    return 0;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    return self ? __wrap_pthread_cond_broadcast(condition) : __real_pthread_cond_signal(condition);
}

/* --- threads */

static void *run(void *argument)
{
    self = argument;
    __real_pthread_mutex_lock(&all.mutex);
    await_turn();
    __real_pthread_mutex_unlock(&all.mutex);
    void *result = self->start(self->argument);
    __real_pthread_mutex_lock(&all.mutex);
    self->ended = true;
    wake(self);
    must_give_turn();
    __real_pthread_mutex_unlock(&all.mutex);
    return result;
}

static struct scheduled *free_place(void)
{
    uint32_t i = 0;
    while (i < all.count && all.threads[i].live)
        i++;
    if (i == MOST)
        return NULL;
    if (i == all.count)
        pthread_cond_init(&all.threads[all.count++].turn, NULL);
    return &all.threads[i];
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    if (!self)
        return __real_pthread_create(thread, attributes, start, argument);
    struct scheduled *fresh = free_place();
    if (!fresh) {
        fprintf(stderr, "scheduler: too many threads\n");
        abort();
    }
    fresh->start = start;
    fresh->argument = argument;
    fresh->waits_for = NULL;
    fresh->ended = false;
    fresh->live = true;
    int failed = __real_pthread_create(thread, attributes, run, fresh);
    fresh->thread = *thread;
    fresh->live = !failed;
    lose_turn(false);
    return failed;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    for (uint32_t i = 0; self && i < all.count; i++) {
        struct scheduled *other = &all.threads[i];
        if (!other->live || !pthread_equal(other->thread, thread))
            continue;
        __real_pthread_mutex_lock(&all.mutex);
        while (!other->ended)
            wait_for(other);
        __real_pthread_mutex_unlock(&all.mutex);
        other->live = false;
    }
    return __real_pthread_join(thread, result);
}

/* --- from outside */

void scheduler_begin(uint64_t seed)
{
    enum { SPREAD = 4 };
    all.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    all.rarely = 2U << 2 * (seed % SPREAD); /* 2, 8, 32, 128 */
    self = free_place();
    *self = (struct scheduled){.live = true, .thread = pthread_self(), .turn = self->turn};
    all.running = (uint32_t)(self - all.threads);
}

void scheduler_end(void)
{
    self->live = false;
    self = NULL;
}

uint64_t scheduler_switches(void)
{
    return all.switches;
}
