// expected: data race
// A read-write lock of one atomic, with an error: a reader looks whether there is a writer and counts itself in
// afterwards. A writer may have come in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int users;
static int a, b;

static void read_lock(void)
{
    while (atomic_load_explicit(&users, memory_order_acquire) < 0) {
    }
    atomic_fetch_add_explicit(&users, 1, memory_order_acquire);
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
