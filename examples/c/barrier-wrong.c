// expected: deadlock
// A barrier that can be used once only: those who wait look whether the number of those that have come is back at 0.  A
// fast thread that has come to the next round by then has made it 1 again; now both wait.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int arrived;
static int value[N];

static void meet(void)
{
    if (atomic_fetch_add(&arrived, 1) == N - 1) {
        atomic_store(&arrived, 0);
    } else {
        while (atomic_load(&arrived) != 0) {
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
