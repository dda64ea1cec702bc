// expected: holds, 2 executions
// Where another thread has written to variables there is an array later, of which only its function knows.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MANY = 32, OWN = 7, WAITS = 8 };

static atomic_int flag, seen;
static _Atomic(int *) place;
int chosen = 2;

static void *writer(void *argument)
{
    int *written;
    while (!(written = atomic_load(&place)))
        ;
    int value = atomic_load(&seen);
    for (int i = 0; i < MANY; i++)
        written[i] = value;
    atomic_store(&flag, 1);
    return argument;
}

static void *setter(void *argument)
{
    atomic_store(&seen, 1);
    return argument;
}

__attribute__((noinline)) static int wait_or_count(int from)
{
    int counts[MANY];
    for (int i = 0; i < MANY; i++)
        counts[i] = from;
    while (counts[chosen] < 3 || counts[chosen] >= OWN) {
        int found = atomic_load(&flag);
        if (counts[chosen] == WAITS && found)
            break;
        if (counts[chosen] < 3)
            counts[chosen]++;
    }
    return counts[chosen];
}

__attribute__((noinline)) static int receive(void)
{
    int values[MANY];
    for (int i = 0; i < MANY; i++)
        values[i] = OWN;
    atomic_store(&place, values);
    wait_or_count(WAITS);
    return values[0];
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    int value = receive();
    assert(value != OWN);
    assert(wait_or_count(value) == 3);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
// SPDX-License-Identifier: Apache-2.0
