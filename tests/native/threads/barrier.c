/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 4 executions
// Two rounds of two threads: either is the last of each round, which it is told.  What comes before a barrier is
// ordered before what comes after it.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int parts[2], serial;

static void *work(void *which)
{
    long me = (long)which;
    for (int round = 1; round <= 2; round++) {
        parts[me] = round;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
        if (round == 1)
            continue;
        assert(parts[!me] == 2);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, (void *)1);
    work((void *)0);
    pthread_join(thread, NULL);
    assert(serial == 2);
    return 0;
}
