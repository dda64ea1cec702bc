// expected: holds, 6 executions
// A test-and-set lock protects plain data.  The loop that waits is recognised: it is not unrolled.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int data;

static void *adder(void *argument)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
    }
    data++;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, adder, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(data == 3);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
