// expected: holds, 6 executions
// A ticket lock: threads enter in the order of their tickets.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next_ticket, now_serving;
static int inside, data;

static void *adder(void *argument)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_serving) != mine) {
    }
    assert(inside++ == 0);
    data++;
    inside--;
    atomic_store(&now_serving, mine + 1);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, adder, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(data == 3);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
