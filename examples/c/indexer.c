// expected: holds, 8 executions
// indexer (Flanagan and Godefroid, POPL 2005): N threads put 4 messages each into a hash table of 128 places, by
// compare-and-swap.  No two of fewer than 12 threads meet; 8^(N - 11) executions from there on.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif

enum { PLACES = 128, MESSAGES = 4 };
static atomic_int table[PLACES];

static void *put(void *argument)
{
    int thread = (int)(long)argument;
    for (int m = 1; m <= MESSAGES; m++) {
        int message = m * 11 + thread, place = message * 7 % PLACES, empty = 0;
        while (!atomic_compare_exchange_strong(&table[place], &empty, message)) {
            place = (place + 1) % PLACES;
            empty = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, put, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
