// expected: holds, 90 executions
// An exchange that puts back what was there only adds to happens-before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, TIMES = 2 };

static int count;

static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *run(void *argument)
{
    for (int i = 0; i < TIMES; i++) {
        while (atomic_flag_test_and_set(&lock))
            ;
        count++;
        atomic_flag_clear(&lock);
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
