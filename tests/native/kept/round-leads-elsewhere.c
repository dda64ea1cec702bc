/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// options:
// What a round reads has changed since the thread came to the last read of its loop: by then it does not go round.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, z, chosen;
int data;
static void *waiter(void *argument)
{
    for (;;) {
        if (atomic_load(&z) == 1)
            break;
        if (atomic_load(&x) == 1)
            break;
        if (atomic_load(&y) == 1 && data == 7)
            assert(0);
    }
    return argument;
}
static void *other(void *argument)
{
    int c = atomic_load(&chosen);
    atomic_store(&x, 1);
    data = c ? 7 : 5;
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
