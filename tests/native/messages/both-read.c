// SPDX-License-Identifier: Apache-2.0
// expected: deadlock
// Both wait for the other to begin.
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *partner(void *argument)
{
    char c = 0;
    read(ends[1], &c, 1);
    write(ends[1], &c, 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    char c = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&thread, NULL, partner, NULL);
    read(ends[0], &c, 1);
    write(ends[0], &c, 1);
    pthread_join(thread, NULL);
    return 0;
}
