// expected: holds, 1 executions
// Rounds may read several objects, in functions that they call, look at plain variables, and sleep.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

struct gate {
    atomic_int open, allowed;
};

static struct gate gates[2], *gate;
static int limit;

static int is_open(struct gate *which)
{
    return atomic_load(&which->open) >= limit && atomic_load(&which->allowed) == 1;
}

static void *waiter(void *argument)
{
    while (!is_open(gate)) {
        sched_yield();
        usleep(1);
    }
    return argument;
}

static void *writer(void *argument)
{
    for (int i = 1; i <= 5; i++)
        atomic_store(&gate->open, i);
    atomic_store(&gate->allowed, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    gate = &gates[1];
    limit = 5;
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
// SPDX-License-Identifier: Apache-2.0
