// expected: holds, 90 executions
// Who draws which number is all there is to explore.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static int count;

static atomic_int next, serving;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        int ticket = atomic_fetch_add(&next, 1);
        while (atomic_load(&serving) != ticket)
            ;
        count++;
        atomic_store(&serving, ticket + 1);
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
