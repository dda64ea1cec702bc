// SPDX-License-Identifier: Apache-2.0
// expected: crash
// The reader may close before the second write: SIGPIPE.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *argument)
{
    char c;
    read(ends[0], &c, 1);
    close(ends[0]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, reader, NULL);
    write(ends[1], "a", 1);
    write(ends[1], "b", 1);
    pthread_join(thread, NULL);
    return 0;
}
