// expected: data race
// The first queue of docs/c-tutorial.md: two producers put items into an array, one consumer takes them out, no locks.
// Wrong: two producers may find the same place free.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PRODUCERS = 2 };

static int items[PRODUCERS];
static atomic_int filled; // places
static int taken;

static void put(int item)
{
    int place = atomic_load(&filled);
    items[place] = item;
    atomic_store(&filled, place + 1);
}

// The next item, 0 when there is none.
static int take(void)
{
    if (taken == atomic_load(&filled))
        return 0;
    return items[taken++];
}

static void *producer(void *item)
{
    put((int)(long)item);
    return NULL;
}

static void *consumer(void *sum)
{
    for (int i = 0; i < PRODUCERS; i++)
        *(int *)sum += take();
    return NULL;
}

int main(void)
{
    pthread_t threads[PRODUCERS + 1];
    int sum = 0;
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, producer, (void *)(i + 1));
    pthread_create(&threads[PRODUCERS], NULL, consumer, &sum);
    for (int i = 0; i <= PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    for (int item; (item = take());)
        sum += item;
    assert(sum == PRODUCERS * (PRODUCERS + 1) / 2); // every item came out, once
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
