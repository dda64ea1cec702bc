/* SPDX-License-Identifier: Apache-2.0 */
// expected: data race
// options: --volatile plain
// The schedule that is shown may bring two accesses that race in the other order than the execution that had the race.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int z;
static volatile int p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *argument)
{
    p = 2;
    atomic_fetch_add(&z, 2);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}

static void *reader(void *argument)
{
    atomic_fetch_add(&z, 1);
    pthread_mutex_lock(&m);
    int seen = p;
    pthread_mutex_unlock(&m);
    return seen ? argument : NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
