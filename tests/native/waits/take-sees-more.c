// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// Who fails to take the lock and then sees that it is closed does something else than who finds it closed at once.  At
// first nobody closes it, and to fail seems to be in vain.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { FREE, HELD, CLOSED };

static atomic_int lock, wants_it_closed;

static void *first(void *argument)
{
    int found = FREE;
    if (atomic_compare_exchange_strong(&lock, &found, HELD))
        atomic_store(&lock, atomic_load(&wants_it_closed) ? CLOSED : FREE);
    return argument;
}

static void *second(void *argument)
{
    for (;;) {
        int found = FREE, seen;
        if (atomic_compare_exchange_strong(&lock, &found, HELD) || found == CLOSED)
            return argument;
        while ((seen = atomic_load(&lock)) == HELD)
            ;
        assert(seen != CLOSED);
    }
}

static void *third(void *argument)
{
    atomic_store(&wants_it_closed, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
