/* SPDX-License-Identifier: Apache-2.0 */
// expected: deadlock
// options:
// A loop that may end by what is read behind its second read, and may not.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, z, chosen;
int data;
static void *waiter(void *argument)
{
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
    data = atomic_load(&chosen) ? 7 : 5;
    atomic_store(&y, 1);
    return argument;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, other, NULL);
    atomic_store(&chosen, 1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
