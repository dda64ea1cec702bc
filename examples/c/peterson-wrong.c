// expected: data race
// Peterson's algorithm with its first two lines in the other order: who gives the turn away before it raises its flag
// can be overtaken in between, and both go in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int data;

static void *adder(void *argument)
{
    int me = (int)(long)argument, other = 1 - me;
    atomic_store(&turn, other);
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other) {
    }
    data++;
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
