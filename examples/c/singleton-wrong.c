// expected: assertion
// One object made when it is first needed, with an error: it is published by a store, so two threads may each have one.
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
    atomic_store_explicit(&object, mine, memory_order_release);
    return mine;
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
