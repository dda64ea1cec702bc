// expected: holds, 2 executions
// Where another thread has written, another array of the same function never is, of which only that function knows.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MANY = 32, OWN = 7, WAITS = 8 };

static atomic_int flag, seen, over;
static _Atomic(int *) place;
int chosen = 2;

static void *writer(void *argument)
{
    int *written;
    atomic_store(&flag, 1);
    while (!(written = atomic_load(&place)))
        ;
    int value = atomic_load(&seen);
    for (int i = 0; i < MANY; i++)
        written[i] = value;
    atomic_store(&over, 1);
    return argument;
}

static void *setter(void *argument)
{
    atomic_store(&seen, 1);
    return argument;
}

__attribute__((noinline)) static void wait_for_writer(int *values)
{
    atomic_store(&place, values);
    while (!atomic_load(&over))
        ;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    int from = WAITS;
    for (int turn = 0; turn < 2; turn++) {
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
            from = counts[chosen];
        }
        if (turn == 0) {
            int values[MANY];
            for (int i = 0; i < MANY; i++)
                values[i] = OWN;
            wait_for_writer(values);
            from = values[0];
        }
    }
    assert(from == 3);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
// SPDX-License-Identifier: Apache-2.0
