// expected: holds, 1 executions
// Volatile used as atomic: a loop waits for its value.
#include <assert.h>
#include <pthread.h>

static volatile int flag;
static volatile struct {
    char text[3];
    volatile short number;
} seen;

static void *waiter(void *argument)
{
    while (flag != 9)
        ;
    seen.number = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    volatile int own = 0;
    pthread_create(&thread, NULL, waiter, NULL);
    for (int i = 0; i < 10; i++) {
        flag = i;
        own++;
    }
    pthread_join(thread, NULL);
    assert(own == 10 && seen.number == 1);
}
// SPDX-License-Identifier: Apache-2.0
