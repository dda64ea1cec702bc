// SPDX-License-Identifier: Apache-2.0
// expected: holds, 1 executions
// A pipe without a writer is ready: POLLHUP.  One can always write; a time limit does not wait.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *argument)
{
    close(ends[1]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    struct pollfd entries[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
    assert(poll(entries, 2, -1) == 1 && entries[0].revents == 0 && entries[1].revents == POLLOUT);
    assert(poll(entries, 1, 100) == 0);
    assert(poll(NULL, 0, 100) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    assert(poll(entries, 1, -1) == 1 && entries[0].revents == POLLHUP);
    pthread_join(thread, NULL);
    return 0;
}
