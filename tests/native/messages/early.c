// SPDX-License-Identifier: Apache-2.0
// expected: data race
// The message does not come after the last write.
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int plain;

static void *writer(void *argument)
{
    char c = 0;
    plain = 1;
    write(ends[1], &c, 1);
    plain = 2;
    return argument;
}

int main(void)
{
    pthread_t thread;
    char c;
    pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    read(ends[0], &c, 1);
    int seen = plain;
    pthread_join(thread, NULL);
    return seen < 0;
}
