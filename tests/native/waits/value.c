// expected: holds, 1 executions
// A loop waits for its condition, not for any change: none of the other values makes an execution.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int data;

static void *waiter(void *argument)
{
    while (atomic_load(&x) != 42)
        ;
    assert(data == 1);
    return argument;
}

static void *writer(void *argument)
{
    data = 1;
    for (int i = 1; i <= 42; i++)
        atomic_store(&x, i);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
