/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// A read-write lock takes the place of a condition variable that a thread was let go at.  It may be late, or not.
#ifndef EXPECTED
#define EXPECTED !is_late
#endif

#include <assert.h>
#include <pthread.h>

static union {
    pthread_cond_t condition;
    pthread_rwlock_t lock;
} place;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;
static int waits, late, is_late;

static void *wait(void *unused)
{
    pthread_mutex_lock(&mutex);
    waits = 1;
    pthread_cond_signal(&begun);
    while (waits)
        pthread_cond_wait(&place.condition, &mutex);
    is_late = late;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_cond_init(&place.condition, NULL);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&mutex);
    while (!waits)
        pthread_cond_wait(&begun, &mutex);
    waits = 0;
    pthread_cond_broadcast(&place.condition);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&place.condition);
    pthread_rwlock_init(&place.lock, NULL);
    pthread_rwlock_rdlock(&place.lock);
    pthread_mutex_lock(&mutex);
    late = 1;
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&place.lock);
    pthread_join(thread, NULL);
    pthread_rwlock_wrlock(&place.lock);
    assert(EXPECTED);
    return 0;
}
