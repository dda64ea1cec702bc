// expected: deadlock
// Nobody makes the value that the loop waits for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *waiter(void *argument)
{
    while (atomic_load(&x) != 42)
        ;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    for (int i = 1; i < 42; i++)
        atomic_store(&x, i);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
