// expected: deadlock
// The lock of Mellor-Crummey and Scott, with an error: who leaves empties the queue by a store when nobody has linked
// itself in. A thread that has exchanged the tail but not yet linked itself in is forgotten: nobody will ever let it
// in.
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
    if (!atomic_load(&mine->next)) {
        atomic_store(&tail, NULL);
        return;
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
