// expected: holds, 6 executions
// Two threads take an MCS lock once: for each order, the first is gone before the second comes (1); it is still there
// and sees the second at once (2); it looks too early, fails to leave, and waits for the second (3).  What they do
// differs.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 2 };

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) last;
static struct node nodes[THREADS];
static int count;

static void take(struct node *node)
{
    atomic_store(&node->next, NULL);
    atomic_store(&node->waits, 1);
    struct node *before = atomic_exchange(&last, node);
    if (!before)
        return;
    atomic_store(&before->next, node);
    while (atomic_load(&node->waits))
        ;
}

static void leave(struct node *node)
{
    struct node *next = atomic_load(&node->next), *expected = node;
    if (!next) {
        if (atomic_compare_exchange_strong(&last, &expected, NULL))
            return;
        while (!(next = atomic_load(&node->next)))
            ;
    }
    atomic_store(&next->waits, 0);
}

static void *run(void *node)
{
    take(node);
    count++;
    leave(node);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, &nodes[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(count == THREADS);
}
// SPDX-License-Identifier: Apache-2.0
