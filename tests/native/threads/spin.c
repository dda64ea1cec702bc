/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 6 executions
// Three threads at a spinlock: each order once.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int inside;

static void *enter(void *unused)
{
    pthread_spin_lock(&lock);
    inside++;
    assert(inside == 1);
    inside--;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    assert(pthread_spin_trylock(&lock) == 0 && pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    enter(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_spin_destroy(&lock);
    return 0;
}
