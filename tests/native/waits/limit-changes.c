// expected: holds, 3 executions
// What a value means to a loop depends on a plain variable, too.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, passed;
static int limit;

static void *waiter(void *argument)
{
    for (limit = 2; limit > 0; limit--) {
        while (atomic_load(&x) < limit)
            ;
        atomic_store(&passed, 1);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    while (!atomic_load(&passed))
        ;
    atomic_store(&x, 0);
    atomic_store(&x, 1);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
