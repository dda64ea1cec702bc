// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// poll without waiting may come too early.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *argument)
{
    write(ends[1], "x", 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    struct pollfd entry = {ends[0], POLLIN, 0};
    assert(poll(&entry, 1, 0) == 1);
    pthread_join(thread, NULL);
    return 0;
}
