/* SPDX-License-Identifier: Apache-2.0 */
// One thread sets a variable of the environment that another one looks at: with an argument without a lock.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int locks;

static void *sets(void *unused)
{
    if (locks)
        pthread_mutex_lock(&mutex);
    setenv("VARIABLE", "1", 1);
    if (locks)
        pthread_mutex_unlock(&mutex);
    return unused;
}

static void *looks(void *unused)
{
    if (locks)
        pthread_mutex_lock(&mutex);
    assert(getenv("VARIABLE") || !locks);
    if (locks)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t a, b;
    (void)arguments;
    locks = count == 1;
    pthread_create(&a, NULL, sets, NULL);
    pthread_create(&b, NULL, looks, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
