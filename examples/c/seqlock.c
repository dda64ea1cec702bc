// expected: holds, 14 executions
// A sequence lock with one writer: readers try again when the number was odd or has changed; the data are atomic.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int a, b;

static void *writer(void *argument)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    atomic_fetch_add(&sequence, 1);
    return argument;
}

static void *reader(void *argument)
{
    unsigned before = atomic_load(&sequence);
    int x = atomic_load(&a), y = atomic_load(&b);
    if (before % 2 == 0 && atomic_load(&sequence) == before)
        assert(x == y);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
