// expected: holds, 12 executions
// One object made when it is first needed, without locks: whoever makes it publishes it by a compare-and-swap; who
// comes too late frees its own.  Holds: all get the same object, and its contents are ordered by the swap.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) object;

static int *get(void)
{
    int *found = atomic_load_explicit(&object, memory_order_acquire);
    if (found)
        return found;
    int *mine = malloc(sizeof *mine);
    *mine = 42;
    if (atomic_compare_exchange_strong_explicit(&object, &found, mine, memory_order_acq_rel, memory_order_acquire))
        return mine;
    free(mine);
    return found;
}

static void *user(void *argument)
{
    (void)argument;
    int *mine = get();
    assert(*mine == 42);
    return mine;
}

int main(void)
{
    pthread_t threads[3];
    void *got[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], &got[i]);
    assert(got[0] == got[1] && got[1] == got[2]);
    free(got[0]);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
