/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds
// options:
// executions: 26
// Additions whose results nobody uses commute.  What an exchange finds once it comes before one of them depends on the
// others that still come before it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int seen;

static void *add_two(void *argument)
{
    atomic_fetch_add(&x, 2);
    return argument;
}

static void *add_one(void *argument)
{
    int two = 2;
    atomic_fetch_add(&x, 1);
    atomic_compare_exchange_strong(&x, &two, 1);
    return argument;
}

static void *exchange(void *argument)
{
    int zero = 0;
    atomic_compare_exchange_strong(&x, &zero, 1);
    return argument;
}

static void *look(void *argument)
{
    seen = atomic_load(&x);
    return argument;
}

int main(void)
{
    void *(*const functions[])(void *) = {add_two, add_one, exchange, look};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
