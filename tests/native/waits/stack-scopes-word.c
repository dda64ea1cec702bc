/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// As stack-scopes.c, where another thread writes to a variable without parts.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { OWN = 7, LATER = 1 };

static atomic_long flag;
static _Atomic(long *) place;
int chosen = 0;

static void *writer(void *argument)
{
    long *written;
    atomic_store(&flag, LATER);
    while (!(written = atomic_load(&place)))
        ;
    *written = LATER;
    atomic_store(&flag, LATER + 1);
    return argument;
}

__attribute__((noinline)) static void wait_for(long number)
{
    while (atomic_load(&flag) < number)
        ;
}

static void *waits(void *argument)
{
    long from = 0;
    for (int i = 0; i < 2; i++) {
        if (i) {
            long value = OWN;
            atomic_store(&place, &value);
            wait_for(LATER + 1);
            from = value;
        }
        long numbers[2] = {from, from};
        while (atomic_load(&flag) <= numbers[chosen])
            ;
    }
    assert(from == OWN);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[1], NULL, waits, NULL);
    pthread_create(&threads[0], NULL, writer, NULL);
    exit(0); /* that a thread waits is no error then */
}
