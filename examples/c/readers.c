// expected: holds, 256 executions
// One writer and N readers of one variable: each reader comes before or after the write, 2^N executions.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 8
#endif

static atomic_int x;

static void *reader(void *argument)
{
    (void)argument;
    (void)atomic_load(&x);
    return NULL;
}

static void *writer(void *argument)
{
    (void)argument;
    atomic_store(&x, 42);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[N], NULL, writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
