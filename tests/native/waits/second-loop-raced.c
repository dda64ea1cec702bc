// expected: data race
// The loop is known to wait when it comes to where a round reads what another thread writes.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;
static int hints[2];

static __attribute__((noinline)) void wait_for(atomic_int *flag, const int *hint)
{
    while (!atomic_load(flag))
        if (*hint == 5)
            break;
}

static void *run(void *argument)
{
    atomic_store(&first, 1);
    hints[1] = 1;
    atomic_store(&second, 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    wait_for(&first, &hints[0]);
    wait_for(&second, &hints[1]);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
