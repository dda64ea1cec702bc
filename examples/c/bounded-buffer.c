// expected: holds, 72 executions
// A buffer with one place, two producers and two consumers, by condition variables.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void *producer(void *argument)
{
    pthread_mutex_lock(&lock);
    while (items == 1)
        pthread_cond_wait(&not_full, &lock);
    items++;
    assert(items == 1);
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *consumer(void *argument)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&not_empty, &lock);
    items--;
    assert(items == 0);
    taken++;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i < 2 ? producer : consumer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(taken == 2);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
