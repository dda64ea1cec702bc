/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 4 executions
// The wait is signalled, or its time is over before the signal: then main has the mutex again before or after the
// other. Or there is no wait.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;

static void *other(void *unused)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = {0};
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&mutex);
    if (!done) {
        int error = pthread_cond_timedwait(&condition, &mutex, &until);
        assert(error == ETIMEDOUT || (error == 0 && done));
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
