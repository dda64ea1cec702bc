// SPDX-License-Identifier: Apache-2.0
// expected: holds, 90 executions
// The same with a compare-exchange, which leaves what it found in a variable that nobody reads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static atomic_int lock;
static int counter;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        for (;;) {
            int nobody = 0;
            if (!atomic_load(&lock) && atomic_compare_exchange_strong(&lock, &nobody, 1))
                break;
        }
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
