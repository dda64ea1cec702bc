/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 3 executions
// C11 threads: main has the mutex first and waits, or the other was there before, or is there when main tries.
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t condition;
static tss_t key;
static int done, destroyed;
static thread_local int own = 7;

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int work(void *argument)
{
    tss_set(key, argument);
    mtx_lock(&mutex);
    own++;
    done = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    assert(own == 8);
    thrd_exit(5);
}

int main(void)
{
    thrd_t thread;
    int result, four = 4;
    struct timespec little = {0, 1000};
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    tss_create(&key, destroy);
    assert(thrd_create(&thread, work, &four) == thrd_success);
    thrd_yield();
    thrd_sleep(&little, NULL);
    int tried = mtx_trylock(&mutex);
    assert(tried == thrd_success || tried == thrd_busy);
    if (tried == thrd_success) {
        while (!done)
            assert(cnd_wait(&condition, &mutex) == thrd_success);
        mtx_unlock(&mutex);
    }
    assert(thrd_join(thread, &result) == thrd_success && result == 5);
    assert(destroyed == 4 && own == 7 && done == 1 && tss_get(key) == NULL);
    assert(thrd_equal(thrd_current(), thrd_current()) && !thrd_equal(thread, thrd_current()));
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    return 0;
}
