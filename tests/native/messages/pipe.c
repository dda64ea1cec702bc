// SPDX-License-Identifier: Apache-2.0
// expected: holds, 1 executions
// What is sent comes in order; sending the next and receiving the last do not conflict.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int plain; // handed over by the last message

static void *writer(void *argument)
{
    for (int i = 1; i <= 3; i++) {
        plain = i == 3 ? 7 : plain;
        assert(write(ends[1], &i, sizeof i) == sizeof i);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    int value = 0;
    pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    for (int i = 1; i <= 3; i++) {
        assert(read(ends[0], &value, sizeof value) == sizeof value);
        assert(value == i);
    }
    assert(plain == 7);
    pthread_join(thread, NULL);
    return 0;
}
