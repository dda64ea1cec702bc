// expected: holds, 146 executions
// A read-write lock of one atomic: the number of readers, or -1 for a writer.  Holds: only a compare-and-swap from a
// state that allows it lets anybody in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int users;
static int a, b;

static void read_lock(void)
{
    for (;;) {
        int readers = atomic_load_explicit(&users, memory_order_relaxed);
        if (readers >= 0 && atomic_compare_exchange_weak_explicit(&users, &readers, readers + 1, memory_order_acquire,
                                                                  memory_order_relaxed))
            return;
    }
}

static void read_unlock(void)
{
    atomic_fetch_sub_explicit(&users, 1, memory_order_release);
}

static void write_lock(void)
{
    int nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(&users, &nobody, -1, memory_order_acquire, memory_order_relaxed))
        nobody = 0;
}

static void write_unlock(void)
{
    atomic_store_explicit(&users, 0, memory_order_release);
}

static void *reader(void *argument)
{
    read_lock();
    assert(a == b);
    read_unlock();
    return argument;
}

static void *writer(void *argument)
{
    write_lock();
    a++;
    b++;
    write_unlock();
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
