// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// The look tells of more than whether the lock is free.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *first(void *argument)
{
    while (atomic_load(&lock) || atomic_exchange(&lock, 1))
        ;
    atomic_store(&lock, 2);
    atomic_store(&lock, 0);
    return argument;
}

static void *second(void *argument)
{
    for (;;) {
        int found = atomic_load(&lock);
        assert(found != 2);
        if (found == 0 && !atomic_exchange(&lock, 1))
            break;
    }
    atomic_store(&lock, 0);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
