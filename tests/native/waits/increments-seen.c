// expected: holds, 8 executions
// Who reads between them sees any of the sums, each for every set of threads that may have come before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *run(void *argument)
{
    atomic_fetch_add(&sum, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    int seen = atomic_load(&sum);
    assert(seen >= 0 && seen <= 3);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
