// expected: holds, 16 executions
// A stack without locks over nodes that are used again.  The top is a node together with a number that every change
// increases, both swapped at once: a top that was taken and put back is another one, so the ABA problem is none.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NONE = 0, NODES = 3 };

struct tagged {
    int node;
    unsigned changes;
};

static atomic_int next[NODES] = {[1] = 2};
static _Atomic(struct tagged) top = {1, 0};
static atomic_int owners[NODES];

static int pop(void)
{
    struct tagged old = atomic_load(&top), new;
    do {
        if (old.node == NONE)
            return NONE;
        new = (struct tagged){atomic_load(&next[old.node]), old.changes + 1};
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    assert(atomic_fetch_add(&owners[old.node], 1) == 0); // nobody else has it
    return old.node;
}

static void push(int node)
{
    struct tagged old = atomic_load(&top), new;
    atomic_fetch_sub(&owners[node], 1);
    do {
        atomic_store(&next[node], old.node);
        new = (struct tagged){node, old.changes + 1};
    } while (!atomic_compare_exchange_strong(&top, &old, new));
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
