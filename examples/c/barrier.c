// expected: holds, 4 executions
// A barrier of two atomics, used twice: who comes last opens the present round, which the others wait for.  Holds: a
// round has a number of its own, so nobody mixes up two of them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int arrived, rounds;
static int value[N];

static void meet(void)
{
    int now = atomic_load(&rounds);
    if (atomic_fetch_add(&arrived, 1) == N - 1) {
        atomic_store(&arrived, 0);
        atomic_store(&rounds, now + 1);
    } else {
        while (atomic_load(&rounds) == now) {
        }
    }
}

static void *worker(void *argument)
{
    int me = (int)(long)argument;
    value[me] = 1;
    meet();
    assert(value[(me + 1) % N] == 1);
    meet();
    value[me] = 2;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
