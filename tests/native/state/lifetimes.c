/* SPDX-License-Identifier: Apache-2.0 */
// Mutexes and their like that are not there: not yet, no longer, or still used when they are to go.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

static pthread_mutex_t mutex, fixed = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static pthread_rwlock_t read_write;
static pthread_barrier_t barrier;
static pthread_spinlock_t spins[2];
static pthread_once_t onces[2];
static sem_t semaphore;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static atomic_int waits;
static int references = 2, which, n;

static void adds(void)
{
    n++;
}

static void adds_inside(void)
{
    pthread_once(&onces[1], adds);
}

/* They have one place on the stack, one after the other. */
union local {
    sem_t semaphore;
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    pthread_rwlock_t read_write;
};

static void destroys(unsigned count)
{
    union local local;
    sem_init(&local.semaphore, 0, count);
    sem_destroy(&local.semaphore);
    pthread_barrier_init(&local.barrier, NULL, count);
    pthread_barrier_destroy(&local.barrier);
}

static void leaves_locked(void)
{
    union local local = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&local.mutex);
        if (i < 2)
            pthread_mutex_unlock(&local.mutex);
    }
}

static void writes_locked(void)
{
    union local local = {.read_write = PTHREAD_RWLOCK_INITIALIZER};
    pthread_rwlock_wrlock(&local.read_write);
}

static void same_places(void)
{
    destroys(2);
    leaves_locked();
    leaves_locked();
    destroys(2);
    writes_locked();
    leaves_locked();
}

/* What is right: static initialisers, cleared memory, beginning again, locals, neighbours in a word. */
static void fine(void)
{
    pthread_mutex_t *cleared = calloc(1, sizeof *cleared);
    pthread_mutex_lock(cleared);
    pthread_mutex_unlock(cleared);
    pthread_mutex_destroy(cleared);
    free(cleared);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t local;
        pthread_mutex_init(&local, NULL);
        pthread_mutex_lock(&local);
        pthread_mutex_unlock(&local);
        pthread_mutex_init(&mutex, NULL);
        pthread_mutex_destroy(&mutex);
    }
    pthread_mutex_lock(&fixed);
    pthread_mutex_unlock(&fixed);
    pthread_mutex_destroy(&fixed);
    fixed = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&fixed);
    pthread_mutex_unlock(&fixed);
    pthread_spin_init(&spins[0], 0);
    pthread_spin_init(&spins[1], 0);
    pthread_spin_lock(&spins[1]);
    pthread_spin_lock(&spins[0]);
    pthread_spin_unlock(&spins[1]);
    pthread_spin_unlock(&spins[0]);
    pthread_once(&onces[0], adds_inside);
    onces[1] = PTHREAD_ONCE_INIT;
    pthread_once(&onces[1], adds);
    if (n != 2)
        abort();
    same_places();
}

static void *other(void *object)
{
    switch (which) {
    case 21: /* the last one destroys it */
        pthread_mutex_lock(object);
        int left = --references;
        pthread_mutex_unlock(object);
        if (!left) {
            pthread_mutex_destroy(object);
            free(object);
        }
        break;
    case 22: pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex); break;
    case 23:
        pthread_mutex_lock(&fixed);
        atomic_store(&waits, 1);
        pthread_cond_wait(&condition, &fixed);
        pthread_mutex_unlock(&fixed);
        break;
    case 24: atomic_store(&waits, 1), sem_wait(&semaphore); break;
    default: atomic_store(&waits, 1), pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* Two threads. */
static void together(void)
{
    pthread_t thread;
    pthread_mutex_t *object = malloc(sizeof *object);
    pthread_mutex_init(object, NULL);
    pthread_mutex_init(&mutex, NULL);
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, other, object);
    if (which == 21)
        other(object);
    if (which == 22)
        pthread_mutex_destroy(&mutex);
    while (which > 22 && !atomic_load(&waits))
        ;
    if (which == 23) {
        pthread_mutex_lock(&fixed);
        pthread_mutex_unlock(&fixed);
        pthread_cond_destroy(&condition);
    }
    if (which == 24)
        sem_destroy(&semaphore);
    if (which == 25)
        pthread_barrier_destroy(&barrier);
    pthread_join(thread, NULL);
}

int main(int count, char **arguments)
{
    which = count > 1 ? atoi(arguments[1]) : 1;
    switch (which) {
    case 1: fine(); break;
    case 2: pthread_mutex_destroy(&mutex), pthread_mutex_lock(&mutex); break;
    case 3: pthread_mutex_lock(&mutex), pthread_mutex_destroy(&mutex); break;
    case 4: pthread_mutex_init(&mutex, NULL), pthread_mutex_init(&mutex, NULL); break;
    case 5: pthread_mutex_lock(&fixed), pthread_mutex_init(&fixed, NULL); break;
    case 6: pthread_mutex_destroy(&mutex), pthread_mutex_destroy(&mutex); break;
    case 7: pthread_barrier_wait(&barrier); break;
    case 8: sem_post(&semaphore); break;
    case 9: sem_init(&semaphore, 0, 0), sem_destroy(&semaphore), sem_post(&semaphore); break;
    case 10: pthread_spin_lock(&spins[0]); break;
    case 11: mtx_lock(&c11_mutex); break;
    case 12: cnd_signal(&c11_condition); break;
    case 13: pthread_rwlock_rdlock(&read_write), pthread_rwlock_destroy(&read_write); break;
    case 14: pthread_rwlock_destroy(&read_write), pthread_rwlock_trywrlock(&read_write); break;
    case 15: pthread_cond_destroy(&condition), pthread_cond_broadcast(&condition); break;
    case 16: pthread_barrier_init(&barrier, NULL, 1), pthread_barrier_init(&barrier, NULL, 2); break;
    default: together();
    }
    return 0;
}
