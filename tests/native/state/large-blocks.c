// SPDX-License-Identifier: Apache-2.0
// Large blocks, filled before the first step, in a step, and freed at the end: going back does not begin from the
// start. Each time that the program does begin, it says so to a descriptor that was there before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, SIZE = 65 << 20, TOLD = 9 };

static atomic_int turn;
static char *shared;

static void *run(void *argument)
{
    shared[(long)argument << 16] = 1;
    int mine = atomic_fetch_add(&turn, 1);
    char *own = argument ? NULL : malloc(SIZE);
    if (own) {
        memset(own, mine, SIZE);
        assert(own[SIZE - 1] == mine);
    }
    atomic_load(&turn);
    free(own);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    assert(write(TOLD, "x", 1) == 1);
    shared = malloc(SIZE);
    memset(shared, 1, SIZE);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    free(shared);
}
