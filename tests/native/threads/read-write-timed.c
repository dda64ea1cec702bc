/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 4 executions
// As with a mutex that is tried: two orders, and two in which one of them comes when the other is inside.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *unused)
{
    struct timespec until = {0};
    int error = pthread_rwlock_timedrdlock(&lock, &until), seen = 0;
    assert(error == 0 || error == ETIMEDOUT);
    if (error)
        return unused;
    seen = value;
    assert(seen == 0 || seen == 2);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = {0};
    pthread_create(&thread, NULL, reader, NULL);
    int error = pthread_rwlock_timedwrlock(&lock, &until);
    assert(error == 0 || error == ETIMEDOUT);
    if (!error) {
        value++;
        value++;
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}
