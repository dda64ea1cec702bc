/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// options: --interleave
// In a round there is a read that is not atomic, and a step all the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data, seen;

static void *waiter(void *argument)
{
    while (atomic_load(&flag) == 0)
        if (data == 7) {
            seen = 1;
            break;
        }
    return argument;
}

static void *other(void *argument)
{
    data = 7;
    data = 1;
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
    assert(!seen);
    return 0;
}
