/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// Locks for reading do not order readers.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    reader(NULL);
    pthread_join(thread, NULL);
    return 0;
}
