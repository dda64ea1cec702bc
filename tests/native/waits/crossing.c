// expected: assertion
// The two values are never there together, but a round reads one after the other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *waiter(void *argument)
{
    while (!(atomic_load(&x) == 1 && atomic_load(&y) == 1))
        ;
    assert(0);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&x, 1);
    atomic_store(&x, 0);
    atomic_store(&y, 1);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
