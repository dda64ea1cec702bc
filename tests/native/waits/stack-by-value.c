/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// Another thread writes to a structure that was handed over by value.  Later another call has a parameter with equal
// bytes in the same place, and a loop that waits depends on it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { MANY = 16, OWN = 7, LATER = 1 };

struct numbers {
    long number[MANY];
};

long few[] = {12, 13, 14, 15, 16, 17};
static atomic_long flag;
static _Atomic(struct numbers *) place;
static long received; /* by one thread */

static void *writer(void *argument)
{
    struct numbers *written;
    while (!(written = atomic_load(&place)))
        ;
    for (int i = 0; i < MANY; i++)
        written->number[i] = LATER;
    atomic_store(&flag, LATER);
    atomic_store(&flag, LATER + 1);
    return argument;
}

/* More parameters than there are registers: the last one is where it was handed over. */
__attribute__((noinline)) static long wait_for_more(long a, long b, long c, long d, long e, long f, long than)
{
    for (;;) {
        long found = atomic_load(&flag);
        if (found > than)
            return found;
        if (found == a || found == b || found == c || found == d || found == e || found == f)
            return OWN;
        if (found == -a || found == -b || found == -c || found == -d || found == -e || found == -f)
            return OWN;
    }
}

__attribute__((noinline)) static void receive(struct numbers numbers)
{
    atomic_store(&place, &numbers);
    wait_for_more(few[0], few[1], few[2], few[3], few[4], few[5], 0);
    received = numbers.number[0];
}

static void *waits(void *argument)
{
    struct numbers numbers;
    for (int i = 0; i < MANY; i++)
        numbers.number[i] = OWN;
    receive(numbers);
    assert(wait_for_more(few[0], few[1], few[2], few[3], few[4], few[5], received) == OWN);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, waits, NULL);
    exit(0); /* that a thread waits is no error then */
}
