// SPDX-License-Identifier: Apache-2.0
// expected: holds, 2 executions
// A read of an eventfd takes all that was added, whoever else reads.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *reader(void *argument)
{
    uint64_t sum = 0;
    assert(read(event, &sum, sizeof sum) == -1 || sum == 3);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    uint64_t added = 2;
    event = eventfd(1, EFD_NONBLOCK);
    write(event, &added, sizeof added);
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
