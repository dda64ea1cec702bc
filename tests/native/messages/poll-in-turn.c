// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// The first one becomes ready after it was looked at, and before the second one: only the second one is seen.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int first[2], second[2];

static void *sender(void *argument)
{
    write(first[1], "x", 1);
    write(second[1], "x", 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(first);
    pipe(second);
    pthread_create(&thread, NULL, sender, NULL);
    struct pollfd entries[] = {{.fd = first[0], .events = POLLIN}, {.fd = second[0], .events = POLLIN}};
    poll(entries, 2, -1);
    assert(entries[0].revents);
    pthread_join(thread, NULL);
    return 0;
}
