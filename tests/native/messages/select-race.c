// SPDX-License-Identifier: Apache-2.0
// expected: data race
// A thread changes the set while another may be about to read it, or has begun to wait.
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2];
static fd_set set;

static void *changes(void *argument)
{
    FD_SET(ends[0], &set);
    write(ends[1], "x", 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    FD_SET(ends[0], &set);
    pthread_create(&thread, NULL, changes, NULL);
    select(ends[0] + 1, &set, NULL, NULL, NULL);
    pthread_join(thread, NULL);
    return 0;
}
