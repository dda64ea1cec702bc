// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// Who has failed to take the lock looks with other eyes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *first(void *argument)
{
    while (atomic_load(&lock) || atomic_exchange(&lock, 1))
        ;
    atomic_store(&lock, 0);
    return argument;
}

static void *second(void *argument)
{
    int found = 0;
    for (;;) {
        int now = atomic_load(&lock);
        assert(now == 0 || found == 0);
        if (now == 0) {
            found = atomic_exchange(&lock, 1);
            if (!found)
                break;
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
