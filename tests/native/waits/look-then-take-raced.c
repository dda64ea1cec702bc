// expected: data race
// It is the look at the lock that acquires, not the exchange: another thread may have held it in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int count;

static void *run(void *argument)
{
    do
        while (atomic_load_explicit(&lock, memory_order_acquire))
            ;
    while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed));
    count++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
