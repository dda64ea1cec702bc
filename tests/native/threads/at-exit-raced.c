/* SPDX-License-Identifier: Apache-2.0 */
// expected: abort
// A thread adds a function of atexit, perhaps before main returns.
#include <pthread.h>
#include <stdlib.h>

static void *adds(void *unused)
{
    atexit(abort);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, adds, NULL);
    return 0;
}
