/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 3 executions
// Every way to end the process ends the execution, not the search.  The write comes before, between or after the reads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int x;

static void *work(void *unused)
{
    if (x == 1)
        _exit(0);
    if (x == 1)
        quick_exit(0);
    _Exit(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    x = 1;
    pthread_join(thread, NULL);
    return 0;
}
