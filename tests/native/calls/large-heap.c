// SPDX-License-Identifier: Apache-2.0
// A block of 400 MB that several threads use.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { N = 400 << 20 };
static char *big;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < 4; i++)
        big[(size_t)(rand() % N)]++;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t[3];
    big = malloc(N);
#ifdef FILL
    memset(big, 1, N);
#endif
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, w, 0);
#ifdef FREED_EARLY
    free(big);
#endif
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    free(big);
    return 0;
}
