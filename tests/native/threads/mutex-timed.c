/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 4 executions
// Either may find the mutex held by the other, then its time is over: two orders, and two in which one of them fails.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *enter(void *unused)
{
    struct timespec until = {0};
    int error = pthread_mutex_timedlock(&mutex, &until);
    assert(error == 0 || error == ETIMEDOUT);
    if (error)
        return unused;
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, enter, NULL);
    enter(NULL);
    pthread_join(thread, NULL);
    return 0;
}
