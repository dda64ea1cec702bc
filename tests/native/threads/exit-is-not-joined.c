/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// Nobody joins a thread that has ended the process.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int go;
static int done;

static void *work(void *unused)
{
    if (go)
        exit(0);
    done = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    go = 1;
    pthread_join(thread, NULL);
    assert(done == 1);
    return 0;
}
