/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options:
// Only a round that goes on waiting reads, not atomically, what another thread writes atomically.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data;

static void *waiter(void *argument)
{
    while (atomic_load(&flag) == 0)
        if (data == 5)
            break;
    return argument;
}

static void *other(void *argument)
{
    __atomic_store_n(&data, 1, __ATOMIC_SEQ_CST);
    atomic_store(&flag, 1);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
