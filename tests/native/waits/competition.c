// expected: assertion
// The names of the competition on software verification.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int x;

static void *run(void *argument)
{
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number > 1);
    if (x != 2)
        return 0;
    if (number > 2 && __VERIFIER_nondet_bool())
        reach_error();
}
// SPDX-License-Identifier: Apache-2.0
