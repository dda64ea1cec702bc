// expected: holds, 27 executions
// A ring buffer with one producer and one consumer, without locks.  Each index is written by one of them alone; the
// places are plain memory.  Holds: a place is filled before the release of `written`, and read before that of `read`.
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
        while (i - atomic_load_explicit(&read, memory_order_acquire) == PLACES) {
        }
        place[i % PLACES] = i + 1;
        atomic_store_explicit(&written, i + 1, memory_order_release);
    }
    return argument;
}

static void *consumer(void *argument)
{
    for (int i = 0; i < N; i++) {
        while (atomic_load_explicit(&written, memory_order_acquire) == i) {
        }
        assert(place[i % PLACES] == i + 1);
        atomic_store_explicit(&read, i + 1, memory_order_release);
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
