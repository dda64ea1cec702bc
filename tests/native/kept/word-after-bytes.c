/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// options:
// A word is accessed as a whole only in an execution that could be the last: then its bytes are one object, also for
// the steps that were taken before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static union {
    atomic_uint word;
    atomic_uchar bytes[4];
} all;
static atomic_int go;

static void *store(void *argument)
{
    atomic_store(&all.bytes[1], 1);
    return argument;
}

static void *load(void *argument)
{
    if (atomic_load(&go) == 1)
        assert(atomic_load(&all.word) != 0);
    return argument;
}

static void *start(void *argument)
{
    atomic_store(&go, 1);
    return argument;
}

int main(void)
{
    void *(*const functions[])(void *) = {store, load, start};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, functions[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
