// expected: holds, 6 executions
// The lock of Craig, Landin and Hagersten: a queue without links; who waits looks at the node of the one before it, and
// takes that node over when it leaves.  Holds: the exchange of the tail gives everybody another predecessor.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

struct node {
    atomic_int locked;
};

static struct node nodes[N + 1];
static _Atomic(struct node *) tail = &nodes[N];
static int data;

static void *adder(void *argument)
{
    struct node *mine = argument;
    atomic_store(&mine->locked, 1);
    struct node *before = atomic_exchange(&tail, mine);
    while (atomic_load(&before->locked)) {
    }
    data++;
    atomic_store(&mine->locked, 0);
    return before; // its own from now on
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, adder, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(data == N);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
