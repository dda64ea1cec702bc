/* SPDX-License-Identifier: Apache-2.0 */
// expected: memory error
// options: --interleave
// Only a round that goes on waiting reads what has been freed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag;
static int *block;

static void *waiter(void *argument)
{
    while (atomic_load(&flag) == 0)
        if (*block == 5)
            break;
    return argument;
}

static void *other(void *argument)
{
    free(block);
    atomic_store(&flag, 1);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    block = calloc(1, sizeof *block);
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
