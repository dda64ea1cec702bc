// expected: holds, 114 executions
// The work-stealing deque of Chase and Lev with a fixed array: the owner puts and takes at the bottom, a thief takes at
// the top.  Holds under sequential consistency: for the last element both use a compare-and-swap of the top.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PLACES = 4, NOTHING = 0 };
static atomic_int items[PLACES];
static atomic_int top, bottom;

static void put(int item)
{
    int b = atomic_load(&bottom);
    atomic_store(&items[b % PLACES], item);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top), item = NOTHING;
    if (t < b)
        return atomic_load(&items[b % PLACES]);
    if (t == b) {
        item = atomic_load(&items[b % PLACES]);
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            item = NOTHING; // the thief was faster
    }
    atomic_store(&bottom, b + 1);
    return item;
}

static int steal(void)
{
    int t = atomic_load(&top), b = atomic_load(&bottom);
    if (t >= b)
        return NOTHING;
    int item = atomic_load(&items[t % PLACES]);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : NOTHING;
}

static atomic_int times[PLACES];

static void count(int item)
{
    if (item != NOTHING)
        assert(atomic_fetch_add(&times[item], 1) == 0); // nobody else had it
}

static void *thief(void *argument)
{
    count(steal());
    count(steal());
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, thief, NULL);
    put(1);
    put(2);
    count(take());
    put(3);
    count(take());
    pthread_join(thread, NULL);
    count(take());
    count(take());
    for (int item = 1; item < PLACES; item++)
        assert(times[item] == 1);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
