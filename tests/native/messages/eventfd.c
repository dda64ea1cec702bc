// SPDX-License-Identifier: Apache-2.0
// expected: holds, 2 executions
// An eventfd adds up.  Who adds first makes no difference here, but is one.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *adder(void *argument)
{
    uint64_t value = 3;
    write(event, &value, sizeof value);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    uint64_t sum;
    event = eventfd(1, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(read(event, &sum, sizeof sum) == sizeof sum && sum == 7);
    int steps = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    assert(read(steps, &sum, sizeof sum) == sizeof sum && sum == 1);
    assert(read(steps, &sum, sizeof sum) == sizeof sum && sum == 1);
    assert(read(steps, &sum, sizeof sum) == -1);
    return 0;
}
