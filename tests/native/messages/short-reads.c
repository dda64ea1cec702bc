// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// options: --partial-io
// A read may give less than is asked for.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *argument)
{
    int value = 42;
    for (size_t done = 0; done < sizeof value;)
        done += (size_t)write(ends[1], (char *)&value + done, sizeof value - done);
    return argument;
}

int main(void)
{
    pthread_t thread;
    int value = 0;
    pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    assert(read(ends[0], &value, sizeof value) == sizeof value);
    pthread_join(thread, NULL);
    return 0;
}
