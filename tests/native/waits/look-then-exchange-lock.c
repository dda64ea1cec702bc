// SPDX-License-Identifier: Apache-2.0
// expected: holds, 90 executions
// When a thread has looked at the lock makes no difference, if it takes it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static atomic_int lock;
static int counter;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        while (atomic_load(&lock) || atomic_exchange(&lock, 1))
            ;
        counter++;
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
    assert(counter == THREADS * TIMES);
}
