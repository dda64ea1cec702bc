// expected: holds, 90 executions
// What the locks beside this one are measured by: 6! / (2! 2! 2!) orders.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static int count;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&mutex);
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
