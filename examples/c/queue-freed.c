// expected: data race
// The queue without locks of Michael and Scott, with an error: take frees the old dummy at once, though a thread that
// is putting something in may still look at it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static _Atomic(struct node *) head, tail; // the first node is a dummy

static struct node *new_node(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static void put(int value)
{
    struct node *node = new_node(value);
    for (;;) {
        struct node *last = atomic_load(&tail), *next = NULL;
        if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
        atomic_compare_exchange_strong(&tail, &last, next);
    }
}

// The first value, 0 when there is none.
static int take(void)
{
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (!next)
            return 0;
        if (first == last)
            atomic_compare_exchange_strong(&tail, &last, next);
        else if (atomic_compare_exchange_strong(&head, &first, next)) {
            int value = next->value;
            free(first);
            return value;
        }
    }
}

static void *producer(void *value)
{
    put((int)(long)value);
    return NULL;
}

static void *consumer(void *argument)
{
    (void)argument;
    return (void *)(long)take();
}

int main(void)
{
    pthread_t threads[3];
    void *taken;
    struct node *dummy = new_node(0);
    atomic_init(&head, dummy);
    atomic_init(&tail, dummy);
    pthread_create(&threads[0], NULL, producer, (void *)1);
    pthread_create(&threads[1], NULL, producer, (void *)2);
    pthread_create(&threads[2], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], &taken);
    int sum = (int)(long)taken;
    for (int value; (value = take());)
        sum += value;
    assert(sum == 3); // nothing is lost, nothing comes twice
    free(atomic_load(&head));
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
