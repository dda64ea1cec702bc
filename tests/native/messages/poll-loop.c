// SPDX-License-Identifier: Apache-2.0
// expected: deadlock
// A loop that polls with a time limit never ends when nobody writes.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *argument)
{
    struct pollfd entry = {ends[0], POLLIN, 0};
    while (poll(&entry, 1, 10) == 0) {
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return 0;
}
