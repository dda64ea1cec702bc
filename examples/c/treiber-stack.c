// expected: data race
// A stack without locks (Treiber) whose pop frees the node at once: another pop may still read its link.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    struct node *old = atomic_load(&top);
    do
        atomic_store(&node->next, old);
    while (!atomic_compare_exchange_weak(&top, &old, node));
}

static void *pop(void *argument)
{
    struct node *node = atomic_load(&top);
    while (node && !atomic_compare_exchange_weak(&top, &node, atomic_load(&node->next))) {
    }
    free(node);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    push(1);
    push(2);
    pthread_create(&a, NULL, pop, NULL);
    pthread_create(&b, NULL, pop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
