/* SPDX-License-Identifier: Apache-2.0 */
// Local variables of threads that have ended and of functions that have returned.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) place;
static atomic_int flag;
static sem_t semaphore;
static int which;

__attribute__((noinline)) static void tells(void)
{
    int far[1000], local = 1;
    far[0] = far[999] = 2;
    atomic_store(&place, which == 2 ? far : &local);
    atomic_store(&flag, 1);
}

struct completion {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int done;
};

/* Right when the last use is under the lock. */
static void *completes(void *argument)
{
    struct completion *completion = argument;
    pthread_mutex_lock(&completion->mutex);
    completion->done = 1;
    if (which == 5)
        pthread_cond_signal(&completion->condition);
    pthread_mutex_unlock(&completion->mutex);
    if (which == 6)
        pthread_cond_signal(&completion->condition);
    return NULL;
}

static void *one(void *argument)
{
    int local = 0;
    if (which >= 5) {
        struct completion completion = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
        pthread_t thread;
        pthread_create(&thread, NULL, completes, &completion);
        pthread_detach(thread);
        pthread_mutex_lock(&completion.mutex);
        while (!completion.done)
            pthread_cond_wait(&completion.condition, &completion.mutex);
        pthread_mutex_unlock(&completion.mutex);
        return argument;
    }
    if (which == 2 || which == 3)
        tells();
    else
        atomic_store(&place, &local);
    if (which == 3)
        local = *atomic_load(&place);
    if (which == 2)
        sem_wait(&semaphore); /* it is still there */
    if (which == 4)
        atomic_store(&flag, 1); /* its last step, which says nothing of its end */
    return argument;
}

static void *two(void *argument)
{
    int *found = atomic_load(&place);
    if (found && (which != 2 || atomic_load(&flag)))
        *found = 42;
    if (which == 2)
        sem_post(&semaphore);
    return argument;
}

int main(int count, char **arguments)
{
    pthread_t a, b;
    which = count > 1 ? atoi(arguments[1]) : 1;
    sem_init(&semaphore, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    if (which == 1)
        pthread_join(a, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(b, NULL);
    if (which != 1)
        pthread_join(a, NULL);
    return 0;
}
