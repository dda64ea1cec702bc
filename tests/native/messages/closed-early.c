// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// One thread closes what another writes to.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *closer(void *argument)
{
    close(ends[1]);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, closer, NULL);
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, NULL);
    return 0;
}
