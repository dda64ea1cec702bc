// SPDX-License-Identifier: Apache-2.0
// expected: holds, 50 executions
// Two threads write through descriptors of one pipe, and close them: whoever comes last ends it.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], other;

static void *writer(void *number)
{
    assert(write(*(int *)number, "x", 1) == 1);
    close(*(int *)number);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    char text[4];
    pipe(ends);
    other = dup(ends[1]);
    pthread_create(&one, NULL, writer, &ends[1]);
    pthread_create(&two, NULL, writer, &other);
    assert(read(ends[0], text, 1) == 1 && read(ends[0], text, 1) == 1);
    assert(read(ends[0], text, 1) == 0);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
