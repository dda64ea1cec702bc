/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// A detached thread may run before or after main looks; that it is still there when main returns is no deadlock.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int seen;

static void *work(void *unused)
{
    seen = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, work, NULL);
    return seen > 1;
}
