// expected: holds, 6 executions
// An object that is freed by whoever lets it go last.  Holds: the count goes down in one step, so one thread alone sees
// it reach 0, and that has acquired what the others released.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

struct shared {
    atomic_int users;
    int value[N];
};

static struct shared *object;

static void *user(void *argument)
{
    object->value[(long)argument] = 1;
    if (atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    object = malloc(sizeof *object);
    atomic_init(&object->users, N);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, user, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
