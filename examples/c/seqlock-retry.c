// expected: holds, 648 executions
// A sequence lock with two writers and a reader that tries until it has a copy that was written as a whole.  The
// writers lock each other out by the number itself: odd means that somebody writes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int a, b;

static void *writer(void *argument)
{
    unsigned even;
    do
        even = atomic_load(&sequence);
    while (even % 2 || !atomic_compare_exchange_strong(&sequence, &even, even + 1));
    int value = (int)(long)argument;
    atomic_store(&a, value);
    atomic_store(&b, value);
    atomic_store(&sequence, even + 2);
    return NULL;
}

static void *reader(void *argument)
{
    unsigned before;
    int x, y;
    do {
        while ((before = atomic_load(&sequence)) % 2) {
        }
        x = atomic_load(&a);
        y = atomic_load(&b);
    } while (atomic_load(&sequence) != before);
    assert(x == y);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, writer, (void *)1);
    pthread_create(&threads[1], NULL, writer, (void *)2);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(sequence == 4);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
