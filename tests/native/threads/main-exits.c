/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// main ends as a thread; the other one goes on, joins it, and is the last.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t first;
static int result = 5;

static void *work(void *unused)
{
    void *value;
    pthread_join(first, &value);
    assert(value == &result);
    return unused;
}

int main(void)
{
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    pthread_exit(&result);
}
