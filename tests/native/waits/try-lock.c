// expected: holds, 90 executions
// A loop that tries a mutex waits for it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static int count;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        while (pthread_mutex_trylock(&mutex))
            ;
        count++;
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(count == THREADS * TIMES);
}
// SPDX-License-Identifier: Apache-2.0
