/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds
// options:
// A thread stands at the third read of a loop while that changes which ends it at the second: it does not stay there.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, z, begun;
int data;

static void *waiter(void *argument)
{
    atomic_store(&begun, 1);
    for (;;) {
        if (atomic_load(&x) == 1)
            break;
        if (atomic_load(&y) == 1 && data == 7)
            break;
        if (atomic_load(&z) == 1)
            break;
    }
    return argument;
}

static void *other(void *argument)
{
    while (atomic_load(&begun) == 0) {
    }
    data = 7;
    atomic_store(&y, 1);
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
