/* SPDX-License-Identifier: Apache-2.0 */
// expected: deadlock
// options:
// One thread waits at a barrier, the other in a loop.
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag; // not static: else a compiler may see that nobody writes it
static pthread_barrier_t barrier;

static void *waiter(void *argument)
{
    while (atomic_load(&flag) == 0) {
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
