/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// It is done once, and it is done when a call returns.
#include <assert.h>
#include <pthread.h>
#include <threads.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int made, times;

static void make(void)
{
    made = 1;
    times++;
}

static void *use(void *unused)
{
    pthread_once(&once, make);
    assert(made == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    assert(times == 1);
    call_once(&flag, make);
    call_once(&flag, make);
    assert(times == 2);
    return 0;
}
