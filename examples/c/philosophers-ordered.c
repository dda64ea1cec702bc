// expected: holds, 6 executions
// N philosophers take the fork with the smaller number first.
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *philosopher(void *argument)
{
    int left = (int)(long)argument, right = (left + 1) % N;
    if (left > right) {
        left = right;
        right = N - 1;
    }
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
