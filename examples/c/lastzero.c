// expected: holds, 64 executions
// lastzero (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): thread 0 looks for the last zero of an array whose
// elements the others set from their left neighbours.  (N + 3) * 2^(N - 2) executions.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif

static atomic_int array[N + 1];

static void *setter(void *argument)
{
    int j = (int)(long)argument;
    atomic_store(&array[j], atomic_load(&array[j - 1]) + 1);
    return NULL;
}

static void *finder(void *argument)
{
    (void)argument;
    int i = N;
    while (atomic_load(&array[i]) != 0)
        i--;
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, finder, NULL);
    for (long j = 1; j <= N; j++)
        pthread_create(&threads[j], NULL, setter, (void *)j);
    for (int j = 0; j <= N; j++)
        pthread_join(threads[j], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
