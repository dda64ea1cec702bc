// expected: holds, 4 executions
// Dekker's algorithm: mutual exclusion of two threads by loads and stores.  Who finds the other's flag up and does not
// have the turn takes its own flag down until it has.  Holds because the accesses are sequentially consistent.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int data;

static void *adder(void *argument)
{
    int me = (int)(long)argument, other = 1 - me;
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other]))
        if (atomic_load(&turn) != me) {
            atomic_store(&flag[me], 0);
            while (atomic_load(&turn) != me) {
            }
            atomic_store(&flag[me], 1);
        }
    data++;
    atomic_store(&turn, other);
    atomic_store(&flag[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(data == 2);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
