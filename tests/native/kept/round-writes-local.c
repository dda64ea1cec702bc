/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options:
// Only a round that goes on waiting writes the thread-local variable that another thread reads.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
_Atomic(int *) shown;
static _Thread_local int local;

static void *waiter(void *argument)
{
    int *place = &local;
    atomic_store(&shown, place);
    while (atomic_load(&flag) == 0)
        *place = 0;
    return argument;
}

static void *other(void *argument)
{
    const int *place = atomic_load(&shown);
    int seen = place ? *place : 0;
    atomic_store(&flag, 1 + (seen & 1));
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
