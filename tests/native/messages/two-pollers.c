// SPDX-License-Identifier: Apache-2.0
// expected: holds, 2 executions
// Two threads look at one pipe, in which something is all the time.
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *look(void *timeout)
{
    struct pollfd entry = {.fd = ends[0], .events = POLLIN};
    assert(poll(&entry, 1, *(int *)timeout) == 1 && entry.revents == POLLIN);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    int now = 0, ever = -1;
    pipe(ends);
    write(ends[1], "x", 1);
    pthread_create(&one, NULL, look, &ever);
    pthread_create(&two, NULL, look, &now);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
