// expected: assertion
// Three threads at a barrier for two: it matters who is left.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int passed;

static void *run(void *argument)
{
    pthread_barrier_wait(&barrier);
    atomic_fetch_or(&passed, (int)(long)argument);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)(1l << i));
    int seen;
    while (__builtin_popcount((unsigned)(seen = atomic_load(&passed))) < 2)
        ;
    assert(seen != 5);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
