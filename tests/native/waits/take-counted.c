// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// Who fails to take the lock, and waits until it seems free, counts that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *run(void *argument)
{
    int failed = 0;
    while (atomic_exchange(&lock, 1)) {
        while (atomic_load(&lock))
            ;
        failed++;
    }
    assert(failed == 0);
    atomic_store(&lock, 0);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
