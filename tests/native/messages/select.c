// SPDX-License-Identifier: Apache-2.0
// expected: holds, 3 executions
// The same with select.
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2][2];

static void *writer(void *argument)
{
    write(ends[(long)argument][1], "x", 1);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    fd_set set;
    FD_ZERO(&set);
    for (long i = 0; i < 2; i++) {
        pipe(ends[i]);
        FD_SET(ends[i][0], &set);
        pthread_create(&threads[i], NULL, writer, (void *)i);
    }
    int found = select(ends[1][0] + 1, &set, NULL, NULL, NULL);
    assert(found == FD_ISSET(ends[0][0], &set) + FD_ISSET(ends[1][0], &set) && found > 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
