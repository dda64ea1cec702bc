// expected: assertion
// A loop waits for two of three increments, whichever those are.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *run(void *argument)
{
    atomic_fetch_add(&sum, (int)(long)argument);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    int seen;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)(1l << i));
    while (__builtin_popcount((unsigned)(seen = atomic_load(&sum))) < 2)
        ;
    assert(seen != 5);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
