// expected: assertion
// Two threads add to a counter by a read and a write: each is atomic, both together are not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter;

static void *adder(void *argument)
{
    (void)argument;
    int old = counter;
    counter = old + 1;
    printf("added to %d\n", old);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, adder, NULL);
    pthread_create(&b, NULL, adder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
