// expected: data race
// The same, and the variable is read only after the loop has begun to wait for another value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int hint;

static void *waiter(void *argument)
{
    int value;
    while ((value = atomic_load(&x)) != 2)
        if (value == 1 && hint == 5)
            break;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&x, 1);
    hint = 1;
    atomic_store(&x, 2);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
