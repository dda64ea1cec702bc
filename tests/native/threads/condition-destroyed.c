/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// Who broadcasts may free the condition variable when nobody will come to it any more: those who were let go do not
// need it.  Here main either waits or comes late.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *condition;
static int done;

static void *other(void *unused)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_broadcast(condition);
    pthread_cond_destroy(condition);
    free(condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    condition = malloc(sizeof *condition);
    pthread_cond_init(condition, NULL);
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&mutex);
    while (!done)
        pthread_cond_wait(condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
