// expected: data race
// Increments order what is around them in one order only, and here the other one is a race.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;
static int data;

static void *first(void *argument)
{
    data = 1;
    atomic_fetch_add(&sum, 1);
    return argument;
}

static void *second(void *argument)
{
    atomic_fetch_add(&sum, 1);
    data = 2;
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
// SPDX-License-Identifier: Apache-2.0
