/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options:
// Only a round that goes on waiting reads the local variable that another thread writes.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
_Atomic(int *) shown;

static void *waiter(void *argument)
{
    int local = 0;
    atomic_store(&shown, &local);
    while (atomic_load(&flag) == 0)
        if (local == 5)
            break;
    return argument;
}

static void *other(void *argument)
{
    int *place = atomic_load(&shown);
    if (place)
        *place = 0;
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
