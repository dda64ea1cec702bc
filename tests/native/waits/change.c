// expected: assertion
// A loop that ends when the variable changes between two reads of one round.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *waiter(void *argument)
{
    int first, second;
    do {
        first = atomic_load(&x);
        second = atomic_load(&x);
    } while (first == second);
    assert(second != 2);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
