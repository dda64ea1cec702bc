/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 4 executions
// A writer and two readers: nobody is inside together with the writer.  Each reader comes before it or after it; in
// which order the readers come makes no difference.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    assert(seen % 2 == 0);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    assert(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    pthread_rwlock_wrlock(&lock);
    value++;
    value++;
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
