/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 288 executions
// A thread chooses between three while that between two may still be counted.
#include <portolan/program.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *chooser(void *argument)
{
    unsigned one = choose(2), other = choose(3), last = choose(2);
    atomic_store(&x, (int)(one * 6 + other * 2 + last));
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, chooser, NULL);
    pthread_create(&b, NULL, chooser, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return atomic_load(&x) > 11;
}
