// expected: deadlock
// A pool of two threads that loses a wake-up: `closing` is atomic, so it seems to need no lock.  But a worker may have
// found it false and not yet wait when it is set and everybody is woken; then it waits forever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { WORKERS = 2, JOBS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static atomic_bool closing;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !closing)
            pthread_cond_wait(&work, &lock);
        if (jobs == 0)
            break;
        jobs--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return argument;
}

static void submit(void)
{
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++)
        submit();
    closing = true;
    pthread_cond_broadcast(&work);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    assert(done == JOBS);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
