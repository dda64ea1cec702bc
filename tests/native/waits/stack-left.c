// expected: holds, 2 executions
// As stack-reused.c, where the function is left by a jump.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MANY = 32, OWN = 7, WAITS = 8 };

static atomic_int flag, seen;
static jmp_buf back;
static int received;
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

__attribute__((noinline)) static void receive(void)
{
    int values[MANY];
    for (int i = 0; i < MANY; i++)
        values[i] = OWN;
    atomic_store(&place, values);
    wait_or_count(WAITS);
    received = values[0];
    longjmp(back, 1);
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    if (!setjmp(back))
        receive();
    assert(received != OWN);
    assert(wait_or_count(received) == 3);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
// SPDX-License-Identifier: Apache-2.0
