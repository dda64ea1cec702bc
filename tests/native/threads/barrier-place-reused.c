/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// A mutex takes the place of a barrier that a thread is still about to leave.
#include <pthread.h>

static union {
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
} place;

static void *wait(void *unused)
{
    pthread_barrier_wait(&place.barrier);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&place.barrier, NULL, 2);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_barrier_wait(&place.barrier);
    pthread_barrier_destroy(&place.barrier);
    pthread_mutex_init(&place.mutex, NULL);
    pthread_mutex_lock(&place.mutex);
    pthread_mutex_unlock(&place.mutex);
    pthread_join(thread, NULL);
    return 0;
}
