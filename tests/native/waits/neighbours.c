// expected: holds, 1 executions
// With --races interleave, neighbours in a word do not conflict.
#include <pthread.h>

static struct {
    int number[2];
    char letter[2];
    int after; /* in the word of the letters */
} all __attribute__((aligned(8)));

static void *run(void *argument)
{
    long me = (long)argument;
    all.number[me]++;
    all.letter[me] = 1;
    if (me)
        all.after = 1;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
