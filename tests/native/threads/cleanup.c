/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// pthread_exit runs the handlers that were pushed and not popped, the last first; pop runs one if asked.
#include <assert.h>
#include <pthread.h>

static int order;

static void note(void *digit)
{
    order = order * 10 + (int)(long)digit;
}

static void leave(void)
{
    pthread_cleanup_push(note, (void *)3);
    pthread_exit((void *)7);
    pthread_cleanup_pop(0);
}

static void *work(void *unused)
{
    pthread_cleanup_push(note, (void *)1);
    pthread_cleanup_push(note, (void *)2);
    pthread_cleanup_push(note, (void *)4);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(note, (void *)5);
    pthread_cleanup_pop(0);
    leave();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *value;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &value);
    assert(value == (void *)7 && order == 4321);
    return 0;
}
