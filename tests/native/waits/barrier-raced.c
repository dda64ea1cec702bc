// expected: data race
// What one thread does after a barrier and another before the next one is not ordered.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int data;

static void *run(void *argument)
{
    pthread_barrier_wait(&barrier);
    if (argument)
        data = 1;
    pthread_barrier_wait(&barrier);
    return argument;
}

static void *other(void *argument)
{
    pthread_barrier_wait(&barrier);
    data = 2;
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, run, &data);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
