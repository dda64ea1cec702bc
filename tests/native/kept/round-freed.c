/* SPDX-License-Identifier: Apache-2.0 */
// expected: memory error
// options:
// A round of a loop that waits may read what was freed, for one of the values that it waits through.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;
static int *list;

static void *setter(void *argument)
{
    x = 2;
    x = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    list = calloc(4, sizeof *list);
    free(list);
    pthread_create(&thread, NULL, setter, NULL);
    for (;;) {
        int i = x;
        if (i == 1)
            break;
        if (i == 2 && list[0] == 77)
            break;
    }
    pthread_join(thread, NULL);
    return 0;
}
