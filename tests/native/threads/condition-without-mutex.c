/* SPDX-License-Identifier: Apache-2.0 */
// expected: deadlock
// One who does not hold the mutex does not wait, so that a signal is lost.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

int main(void)
{
    assert(pthread_cond_wait(&condition, &mutex) == EPERM);
    pthread_cond_signal(&condition);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    return 0;
}
