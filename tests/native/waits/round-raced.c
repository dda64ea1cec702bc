// expected: data race
// Only a round that goes on waiting reads the plain variable, while another thread writes it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x = 1;
static int hint;

static void *waiter(void *argument)
{
    int seen = 0;
    while (atomic_load(&x))
        if (hint)
            seen = 1;
    return argument ? argument : seen ? &hint : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    hint = 0;
    atomic_store(&x, 0);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
