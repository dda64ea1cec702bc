// SPDX-License-Identifier: Apache-2.0
// expected: holds, 2 executions
// Functions whose names begin like that are atomic by the rules of the competition, also when they call each other.
#include <pthread.h>

extern void __VERIFIER_assume(int condition);
extern void reach_error(void);

static int lock, count;

static void __VERIFIER_atomic_take(void)
{
    lock = 1;
}

static void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(lock == 0);
    __VERIFIER_atomic_take();
}

static int __VERIFIER_atomic_release(int value)
{
    lock = 0;
    return value;
}

static void *run(void *argument)
{
    __VERIFIER_atomic_acquire();
    if (++count != 1)
        reach_error();
    count--;
    return __VERIFIER_atomic_release(1) == 1 ? argument : NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
