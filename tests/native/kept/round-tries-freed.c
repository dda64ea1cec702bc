/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options:
// A round tries a semaphore that is freed when the loop has ended, of which the other hears by what orders nothing.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LOOK(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define TELL(x) atomic_store_explicit(&(x), 1, memory_order_relaxed)

static atomic_int start, over;
static sem_t *semaphore;

static void *waiter(void *argument)
{
    while (!LOOK(start))
        if (sem_trywait(semaphore) == 0)
            break;
    TELL(over);
    return argument;
}

static void *owner(void *argument)
{
    while (!LOOK(over))
        ;
    free(semaphore);
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
    semaphore = malloc(sizeof *semaphore);
    sem_init(semaphore, 0, 0);
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, owner, NULL);
    pthread_create(&threads[2], NULL, starter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
