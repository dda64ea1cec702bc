// expected: holds, 1 executions
// Who arrives first makes no difference, in every round, with work before and after.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 3 };

static pthread_barrier_t barrier;
static int done[THREADS];

static void *run(void *argument)
{
    long me = (long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        done[me]++;
        pthread_barrier_wait(&barrier);
        assert(done[(me + 1) % THREADS] == i + 1);
        pthread_barrier_wait(&barrier);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
