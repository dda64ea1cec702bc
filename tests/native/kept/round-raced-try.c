/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options:
// A round reads what another thread writes only after the loop has ended, of which a lock tells that is not obtained.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int start;
static int data;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *argument)
{
    while (!atomic_load(&start)) {
        int seen = data;
        __asm__ volatile("" : : "r"(seen));
    }
    pthread_mutex_lock(&mutex);
    return argument;
}

static void *writer(void *argument)
{
    if (pthread_mutex_trylock(&mutex) != 0)
        data = 1;
    else
        pthread_mutex_unlock(&mutex);
    return argument;
}

static void *starter(void *argument)
{
    atomic_store(&start, 1);
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
