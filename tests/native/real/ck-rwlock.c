// SPDX-License-Identifier: Apache-2.0
// The read-write lock of Concurrency Kit (libck-dev): two who write both of two variables, one who compares them.
#include <assert.h>
#include <ck_rwlock.h>
#include <pthread.h>

static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
static int one, other;

static void *write_both(void *unused)
{
    ck_rwlock_write_lock(&lock);
    one++;
    other++;
    ck_rwlock_write_unlock(&lock);
    return unused;
}

static void *compare(void *unused)
{
#ifndef FORGETS
    ck_rwlock_read_lock(&lock);
#endif
    assert(one == other);
#ifndef FORGETS
    ck_rwlock_read_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, write_both, NULL);
    pthread_create(&threads[1], NULL, compare, NULL);
    pthread_create(&threads[2], NULL, write_both, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(one == 2 && other == 2);
    return 0;
}
