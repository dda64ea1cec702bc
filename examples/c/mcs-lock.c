// expected: holds, 6 executions
// The lock of Mellor-Crummey and Scott: who waits has a node in a queue and looks at that alone; the one before it lets
// it in.  Holds: the exchange of the tail orders those who come, and who leaves a queue of which it is not the end
// waits until its successor has linked itself in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_bool waits;
};

static _Atomic(struct node *) tail;
static int data;

static void lock(struct node *mine)
{
    atomic_store(&mine->next, NULL);
    atomic_store(&mine->waits, true);
    struct node *before = atomic_exchange(&tail, mine);
    if (!before)
        return;
    atomic_store(&before->next, mine);
    while (atomic_load(&mine->waits)) {
    }
}

static void unlock(struct node *mine)
{
    struct node *expected = mine;
    if (!atomic_load(&mine->next) && atomic_compare_exchange_strong(&tail, &expected, NULL))
        return;
    while (!atomic_load(&mine->next)) {
    }
    atomic_store(&atomic_load(&mine->next)->waits, false);
}

static void *adder(void *argument)
{
    struct node *mine = argument;
    lock(mine);
    data++;
    unlock(mine);
    return NULL;
}

int main(void)
{
    static struct node nodes[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, adder, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(data == N);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
