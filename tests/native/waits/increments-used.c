// expected: holds, 6 executions
// The results are used: every order is another one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;
static int found[3];

static void *run(void *argument)
{
    found[(long)argument] = atomic_fetch_add(&sum, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(found[0] + found[1] + found[2] == 3);
}
// SPDX-License-Identifier: Apache-2.0
