// expected: holds, 1 executions
// More threads than a word has bits come to a barrier.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 70 };

static pthread_barrier_t barrier;
static atomic_int count;

static void *run(void *argument)
{
    atomic_fetch_add(&count, 1);
    pthread_barrier_wait(&barrier);
    assert(atomic_load(&count) == THREADS);
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
