// expected: holds, 75 executions
// Initialisation once, of one atomic: untouched, under way, ready.  Holds: one thread alone gets from untouched to
// under way, and nobody goes on before it is ready.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { UNTOUCHED, UNDER_WAY, READY };
static atomic_int state;
static int value;

static void initialise(void)
{
    int expected = UNTOUCHED;
    if (atomic_load(&state) == READY)
        return;
    if (atomic_compare_exchange_strong(&state, &expected, UNDER_WAY)) {
        value = 42;
        atomic_store(&state, READY);
    } else {
        while (atomic_load(&state) != READY) {
        }
    }
}

static void *user(void *argument)
{
    initialise();
    assert(value == 42);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
