// expected: holds, 1 executions
// What another thread has written to main's stack keeps main in its loop.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct shared {
    atomic_int flag;
    int value;
};

static void *run(void *argument)
{
    struct shared *shared = argument;
    shared->value = 1;
    atomic_store(&shared->flag, 1);
    atomic_store(&shared->flag, 2);
    return NULL;
}

int main(void)
{
    struct shared shared = {0};
    pthread_t thread;
    int found;
    pthread_create(&thread, NULL, run, &shared);
    do
        found = atomic_load(&shared.flag);
    while (found == 0 || (found == 1 && shared.value == 1));
    assert(found == 2);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
