// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// The same, but only for a value that comes later.
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
    int found = 0;
    for (;;) {
        int now = atomic_load(&lock), nobody = 0;
        assert(now != 2 || found == 0);
        if (now == 0) {
            if (atomic_compare_exchange_strong(&lock, &nobody, 1))
                break;
            found = 1;
        }
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
