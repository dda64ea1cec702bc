/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options:
// A round reads what another thread writes only after the loop has ended, of which it hears by what orders nothing.
#include <pthread.h>
#include <stdatomic.h>

#define LOOK(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define TELL(x) atomic_store_explicit(&(x), 1, memory_order_relaxed)

static atomic_int start, over, never;
static int data;

static void *waiter(void *argument)
{
    while (!LOOK(start)) {
        int seen = data;
        __asm__ volatile("" : : "r"(seen));
    }
    TELL(over);
    return argument;
}

static void *writer(void *argument)
{
    while (!LOOK(over))
        ;
    data = 1 + LOOK(never);
    return argument;
}

static void *starter(void *argument)
{
    TELL(start);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, starter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
