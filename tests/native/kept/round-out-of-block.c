/* SPDX-License-Identifier: Apache-2.0 */
// expected: memory error
// options:
// A round of a loop that waits may read beyond a block, if the index was read before it was right.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int index_read, ready;
static int *list;

static void *setter(void *argument)
{
    index_read = 9;
    index_read = 1;
    ready = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    list = calloc(4, sizeof *list);
    list[1] = 1;
    pthread_create(&thread, NULL, setter, NULL);
    for (;;) {
        int i = index_read;
        if (ready && list[i])
            break;
    }
    pthread_join(thread, NULL);
    free(list);
    return 0;
}
