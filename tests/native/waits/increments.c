// expected: holds, 1 executions
// Nobody asks for the results: in which order they come makes no difference.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 5 };

static atomic_int sum, members;
static atomic_uint toggled;

static void *run(void *argument)
{
    int me = (int)(long)argument;
    atomic_fetch_add(&sum, 2);
    atomic_fetch_or(&members, 1 << me);
    sum--;
    atomic_fetch_xor_explicit(&toggled, 3u << me, memory_order_relaxed);
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(sum == THREADS && members == 31 && toggled == 33);
}
// SPDX-License-Identifier: Apache-2.0
