// SPDX-License-Identifier: Apache-2.0
// expected: holds, 2 executions
// Two write to one pipe: who comes first.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *argument)
{
    write(ends[1], &argument, sizeof argument);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pipe(ends);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writer, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    long values[2];
    assert(read(ends[0], values, sizeof values) == sizeof values);
    assert(values[0] + values[1] == 3);
    return 0;
}
