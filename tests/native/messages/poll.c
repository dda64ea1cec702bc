// SPDX-License-Identifier: Apache-2.0
// expected: holds, 3 executions
// poll finds one of two, the other, or both; what it finds can be read at once.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
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
    for (long i = 0; i < 2; i++) {
        pipe(ends[i]);
        pthread_create(&threads[i], NULL, writer, (void *)i);
    }
    struct pollfd entries[2] = {{ends[0][0], POLLIN, 0}, {ends[1][0], POLLIN, 0}};
    int found = poll(entries, 2, -1), count = 0;
    for (int i = 0; i < 2; i++)
        if (entries[i].revents == POLLIN) {
            char c;
            assert(read(ends[i][0], &c, 1) == 1);
            count++;
        }
    assert(found == count && count > 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
