// expected: holds, 32 executions
// The third queue of docs/c-tutorial.md.  Holds: each producer has a place of its own, and the consumer leaves a place
// alone until there is an item in it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PRODUCERS = 2 };

static atomic_int items[PRODUCERS];
static atomic_int filled; // places
static int taken;

static void put(int item)
{
    int place = atomic_fetch_add(&filled, 1);
    atomic_store(&items[place], item);
}

// The next item, 0 when there is none.
static int take(void)
{
    if (taken == atomic_load(&filled))
        return 0;
    int item = atomic_load(&items[taken]);
    if (item)
        taken++;
    return item;
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
