// SPDX-License-Identifier: Apache-2.0
// expected: holds, 1 executions
// A reader finds the end when the last writer has closed; a writer without a reader is told so.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *argument)
{
    char text[8];
    assert(read(ends[0], text, 2) == 2);
    assert(memcmp(text, "ab", 2) == 0);
    assert(read(ends[0], text, 1) == 1 && text[0] == 'c');
    assert(read(ends[0], text, 8) == 0);
    assert(read(ends[0], text, 8) == 0);
    close(ends[0]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    signal(SIGPIPE, SIG_IGN);
    pipe(ends);
    int other = dup(ends[1]);
    pthread_create(&thread, NULL, reader, NULL);
    assert(write(ends[1], "abc", 3) == 3);
    close(ends[1]);
    close(other);
    pthread_join(thread, NULL);
    assert(close(ends[0]) == -1 && errno == EBADF);
    int more[2];
    pipe(more);
    close(more[0]);
    assert(write(more[1], "x", 1) == -1 && errno == EPIPE);
    return 0;
}
