// expected: assertion
// What another thread does could have come before the assumption was found broken.
#include <assert.h>
#include <portolan/program.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *run(void *argument)
{
    assume(argument);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    atomic_store(&x, 1);
    assert(choose(2) == 0);
    pthread_join(thread, NULL);
}
// SPDX-License-Identifier: Apache-2.0
