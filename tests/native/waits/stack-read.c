// expected: holds, 1 executions
// A loop reads what another thread has written to main's stack, beside what it waits for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct shared {
    atomic_int flag;
    int value, limit;
};

static void *run(void *argument)
{
    struct shared *shared = argument;
    shared->value = 1;
    atomic_store(&shared->flag, 1);
    return NULL;
}

int main(void)
{
    struct shared shared = {.limit = 7};
    pthread_t thread;
    pthread_create(&thread, NULL, run, &shared);
    while (!atomic_load(&shared.flag) || shared.value == 0)
        if (shared.limit != 7)
            break;
    assert(shared.value == 1);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
