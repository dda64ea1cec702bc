// expected: assertion
// Two increments of a volatile variable are four steps.
#include <assert.h>
#include <pthread.h>

static volatile int count;

static void *run(void *argument)
{
    count++;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
}
// SPDX-License-Identifier: Apache-2.0
