/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// A read-write lock is at the place of another one that was left held when its function returned.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t *shared;
static int written, seen;

static __attribute__((noinline)) void leave_held(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    shared = &lock;
    pthread_rwlock_rdlock(shared);
    shared = NULL;
}

static void *reads(void *unused)
{
    pthread_rwlock_rdlock(shared);
    seen = written;
    pthread_rwlock_unlock(shared);
    return unused;
}

static void *writes(void *unused)
{
    pthread_rwlock_wrlock(shared);
    written = 1;
    pthread_rwlock_unlock(shared);
    return unused;
}

static __attribute__((noinline)) void use(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_t first, second;
    shared = &lock;
    pthread_create(&first, NULL, reads, NULL);
    pthread_create(&second, NULL, writes, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(void)
{
    leave_held();
    use();
    assert(!seen); // the writer may come first
    return 0;
}
