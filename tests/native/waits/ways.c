// expected: holds, 6 executions
// Each of the two stores that make the value may be the one that is seen, in each of the three orders of the stores.
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

static void *writer(void *argument)
{
    atomic_store(&x, 42);
    return argument;
}

static void *other(void *argument)
{
    atomic_store(&x, 1);
    atomic_store(&x, 42);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    void *(*const functions[])(void *) = {waiter, writer, other};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
