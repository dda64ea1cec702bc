/* SPDX-License-Identifier: Apache-2.0 */
// expected: deadlock
// options:
// A loop of three reads: what it looks at behind the second makes a difference at the others too.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, z;
int data;

static void *waiter(void *argument)
{
    for (;;) {
        if (atomic_load(&x) == 1)
            break;
        if (atomic_load(&y) == 1 && data == 5)
            break;
        if (atomic_load(&z) == 1)
            break;
    }
    return argument;
}

static void *other(void *argument)
{
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
