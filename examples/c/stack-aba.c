// expected: assertion
// A stack without locks (Treiber) over nodes that are used again: the ABA problem.  A pop reads the top (node 1) and
// what is below it (node 2).  Meanwhile the other thread takes 1 and 2 and puts 1 back.  The top is node 1 as before,
// so the compare-and-swap succeeds and makes node 2 the top, which the other thread still has.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NONE = 0, NODES = 3 };

static atomic_int next[NODES] = {[1] = 2};
static atomic_int top = 1;
static atomic_int owners[NODES];

static int pop(void)
{
    int node = atomic_load(&top);
    while (node != NONE && !atomic_compare_exchange_strong(&top, &node, atomic_load(&next[node]))) {
    }
    if (node != NONE)
        assert(atomic_fetch_add(&owners[node], 1) == 0); // nobody else has it
    return node;
}

static void push(int node)
{
    int old = atomic_load(&top);
    atomic_fetch_sub(&owners[node], 1);
    do
        atomic_store(&next[node], old);
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static void *popper(void *argument)
{
    pop();
    return argument;
}

static void *user(void *argument)
{
    int first = pop();
    pop();
    if (first != NONE)
        push(first);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, popper, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pop();
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
