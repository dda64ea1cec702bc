// expected: data race
// The lock of Craig, Landin and Hagersten, with an error: a thread marks its node after it has put it into the queue.
// Whoever comes next may look at it before, and goes in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = 2 };

struct node {
    atomic_int locked;
};

static struct node nodes[N + 1];
static _Atomic(struct node *) tail = &nodes[N];
static int data;

static void *adder(void *argument)
{
    struct node *mine = argument;
    struct node *before = atomic_exchange(&tail, mine);
    atomic_store(&mine->locked, 1);
    while (atomic_load(&before->locked)) {
    }
    data++;
    atomic_store(&mine->locked, 0);
    return before;
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
