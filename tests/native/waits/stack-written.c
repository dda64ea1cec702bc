// expected: holds, 37 executions
// What others write to variables of main, which waits for others of them, is no part of where main is in its loops.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct shared {
    atomic_int first, second;
    int one, two;
};

static void *run_one(void *argument)
{
    struct shared *shared = argument;
    atomic_store(&shared->second, 0);
    shared->one++;
    atomic_fetch_add(&shared->first, 2);
    return NULL;
}

static void *run_two(void *argument)
{
    struct shared *shared = argument;
    atomic_store(&shared->second, 2);
    atomic_fetch_add(&shared->first, 1);
    shared->two++;
    atomic_fetch_add(&shared->first, 1);
    atomic_store(&shared->second, 0);
    return NULL;
}

int main(void)
{
    struct shared shared = {0};
    pthread_t one, two;
    pthread_create(&one, NULL, run_one, &shared);
    pthread_create(&two, NULL, run_two, &shared);
    while (atomic_load(&shared.second) != 2 && atomic_load(&shared.first) != 4)
        ;
    while (atomic_load(&shared.first) != 4 || atomic_load(&shared.second) != 0)
        ;
    assert(shared.one == 1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(shared.two == 1);
}
// SPDX-License-Identifier: Apache-2.0
