// expected: data race
// Volatile does not order what is around it.
#include <pthread.h>

static volatile int ready;
static int data;

static void *run(void *argument)
{
    while (!ready)
        ;
    data++;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    data = 1;
    ready = 1;
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
