// expected: data race
// An object that is freed by whoever lets it go last, with an error: who looks at the count after it has gone down may
// find 0 together with another thread, or look at an object that is already freed.
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
    atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel);
    if (atomic_load_explicit(&object->users, memory_order_acquire) == 0)
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
