/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds
// options:
// A long loop without a visible operation comes by the same place with the same registers and the same stack, but it
// writes: it does not go round in vain.
#include <assert.h>
#include <pthread.h>

static int count, zero, copy;

static void *run(void *argument)
{
    while (count < 100000) {
        count++;
        copy = zero; /* so that no register remembers the count */
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    assert(count == 100000);
}
