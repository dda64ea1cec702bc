// SPDX-License-Identifier: Apache-2.0
// The structure of a stream is a library's.
#include <pthread.h>
#include <stdio.h>
static void *other(void *a)
{
    putc_unlocked('x', stdout);
    return a;
}
int main(void)
{
    pthread_t t;
    putc_unlocked('y', stdout);
    pthread_create(&t, 0, other, 0);
#ifndef ORDERED
    putc_unlocked('z', stdout);
#endif
    pthread_join(t, 0);
    putc_unlocked('z', stdout);
    return 0;
}
