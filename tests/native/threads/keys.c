/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// Each thread has its own value; destructors run when it ends, again if they set one; none for a thread that ends the
// process.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key, unused_key;
static int destroyed;

static void destroy(void *value)
{
    destroyed += *(int *)value;
    if (*(int *)value == 3) {
        *(int *)value = 4;
        pthread_setspecific(key, value);
        return;
    }
    free(value);
}

static void *work(void *unused)
{
    int *value = malloc(sizeof *value);
    assert(pthread_getspecific(key) == NULL);
    *value = 3;
    pthread_setspecific(key, value);
    assert(pthread_getspecific(key) == value && pthread_getspecific(unused_key) == NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int own = 100;
    pthread_key_create(&key, destroy);
    pthread_key_create(&unused_key, NULL);
    assert(key != unused_key);
    pthread_setspecific(key, &own);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(destroyed == 7 && pthread_getspecific(key) == &own);
    return 0;
}
