// expected: holds, 18 executions
// Each choice is explored, in every thread, and again; where an assumption does not hold the execution does not count.
#include <assert.h>
#include <portolan/program.h>
#include <pthread.h>

static unsigned first;

static void *run(void *argument)
{
    first = choose(3);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    unsigned second = choose(4), third = choose(2);
    pthread_join(thread, NULL);
    assume(first != second);
    assert(first < 3 && second < 4 && third < 2);
}
// SPDX-License-Identifier: Apache-2.0
