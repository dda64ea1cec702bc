// expected: holds, 90 executions
// As many as with a mutex: none for who failed to get it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static int count;

static atomic_int lock;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        int nobody = 0;
        while (!atomic_compare_exchange_strong(&lock, &nobody, 1))
            nobody = 0;
        count++;
        atomic_store(&lock, 0);
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
