// expected: data race
// A ring buffer whose indexes are relaxed: no order comes with them, so the place that is read is not ordered behind
// its being written.  On x86 it works by luck.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

enum { PLACES = 2 };
static int place[PLACES];
static atomic_int written, read;

static void *producer(void *argument)
{
    for (int i = 0; i < N; i++) {
        while (i - atomic_load_explicit(&read, memory_order_relaxed) == PLACES) {
        }
        place[i % PLACES] = i + 1;
        atomic_store_explicit(&written, i + 1, memory_order_relaxed);
    }
    return argument;
}

static void *consumer(void *argument)
{
    for (int i = 0; i < N; i++) {
        while (atomic_load_explicit(&written, memory_order_relaxed) == i) {
        }
        assert(place[i % PLACES] == i + 1);
        atomic_store_explicit(&read, i + 1, memory_order_relaxed);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
