// SPDX-License-Identifier: Apache-2.0
// expected: holds, 2 executions
// A read that does not wait finds something, or EAGAIN.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
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
    char c;
    pipe(ends);
    fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
    pthread_create(&thread, NULL, writer, NULL);
    ssize_t count = read(ends[0], &c, 1);
    assert(count == 1 || (count == -1 && errno == EAGAIN));
    pthread_join(thread, NULL);
    return 0;
}
